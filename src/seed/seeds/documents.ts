import type { ProcessingStatus } from '../../database/generated/client/client.ts';
import { Document } from '../../schema/document.ts';
import type { Seed } from '../context.ts';

const document = (
  days: number,
  category: string,
  title: string,
  fileName: string,
  description: string | null = null,
  processingStatus: ProcessingStatus = 'PROCESSED',
) => ({ days, category, title, fileName, description, processingStatus });

const table = [
  document(170, 'Plans', 'Floor plans, Harbour House', 'harbour-house-floors.pdf', 'All six floors, as built'),
  document(169, 'Plans', 'Floor plans, Linden Laboratory', 'linden-laboratory-floors.pdf', 'With gas and water'),
  document(150, 'Safety', 'Fire safety concept', 'fire-safety-concept.pdf', 'Approved by the fire brigade'),
  document(131, 'Safety', 'Register of hazardous substances', 'hazardous-substances.xlsx', 'Wet lab and cold store'),
  document(96, 'Contracts', 'Cleaning contract', 'cleaning-contract.docx', 'Two years, with a list of rooms'),
  document(90, 'Reports', 'Energy report, second quarter', 'energy-q2.xlsx'),
  document(58, 'Reports', 'Audit of the archive', 'archive-audit.pdf', 'Racks 1 to 12'),
  document(44, 'Contracts', 'Lift maintenance contract', 'meridian-contract.pdf'),
  document(30, 'Photos', 'Terrace after the repair', 'terrace-repair.jpg'),
  document(11, 'Reports', 'Energy report, third quarter', 'energy-q3.xlsx'),
  document(2, 'Plans', 'Desk plan, sales floor', 'sales-floor-desks.vsdx', 'Hand-drawn corrections included', 'FAILED'),
  document(0.3, 'Safety', 'Minutes of the safety committee', 'safety-minutes.docx', null, 'PROCESSING'),
  document(
    0.15,
    'Reports',
    'Window cleaning offers',
    'window-cleaning-offers.pdf',
    'Three offers, for the board',
    'PENDING',
  ),
];

/** The demo company's documents. */
export const documents: Seed = async (seed) => {
  for (const { days, ...columns } of table) {
    const { title, fileName } = columns;
    const fileType = fileName.split('.').at(-1);
    const fileUrl = `https://files.demo.test/documents/${fileName}`;
    await seed.create(Document, { at: seed.ago(days), name: title }, { ...columns, fileType, fileUrl });
  }
};
