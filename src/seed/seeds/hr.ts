import type { HrCategory, HrDocumentStatus } from '../../database/generated/client/client.ts';
import { HrAcknowledgment } from '../../schema/hr/acknowledgment.ts';
import { HrDocument } from '../../schema/hr/document.ts';
import type { Seed } from '../context.ts';
import { type Person, people, victor } from '../people.ts';

const hrDocument = (
  days: number,
  category: HrCategory,
  documentType: string,
  title: string,
  description: string,
  /** Number of people who have acknowledged it; none need to if unset. */
  readers?: number,
  status?: HrDocumentStatus,
) => ({ days, category, documentType, title, description, readers, status });

const table = [
  hrDocument(175, 'HANDBOOK', 'general', 'Working at Larkfield', 'Hours, holidays, expenses, whom to ask', 12),
  hrDocument(174, 'POLICY', 'safety', 'Fire and evacuation', 'Assembly points, wardens, what to take and what not', 11),
  hrDocument(160, 'POLICY', 'safety', 'Working in the laboratory', 'For everybody who enters it, visitors included', 6),
  hrDocument(120, 'POLICY', 'it', 'Use of computers', 'Passwords, private use, what to do when one is lost', 9),
  hrDocument(110, 'FORM', 'leave', 'Application for leave', 'Two weeks ahead, please'),
  hrDocument(109, 'FORM', 'expenses', 'Travel expenses', 'With receipts'),
  hrDocument(
    158,
    'POLICY',
    'parking',
    'Parking, until last year',
    'Replaced by a paragraph of the handbook',
    undefined,
    'ARCHIVED',
  ),
  hrDocument(9, 'POLICY', 'workplace', 'Shared desks', 'For comments until the end of the month', undefined, 'DRAFT'),
];

/** The demo company's HR documents and their acknowledgments. */
export const hr: Seed = async (seed) => {
  for (const { days, readers, ...columns } of table) {
    const { title } = columns;
    const document = await seed.create(
      HrDocument,
      { at: seed.ago(days), name: title },
      {
        ...columns,
        requiresAcknowledgment: readers !== undefined,
        fileUrl: `https://files.demo.test/hr/${title.toLowerCase().replace(/\W+/g, '-')}.pdf`,
      },
    );
    for (const [nth, by] of readersOf(readers ?? 0).entries()) {
      const acknowledgedAt = seed.ago(days - 2 - nth * 3.5);
      const ipAddress = `192.0.2.${20 + nth}`;
      await seed.create(
        HrAcknowledgment,
        { at: acknowledgedAt, by },
        { documentId: document.id, acknowledgedAt, ipAddress },
      );
    }
  }
};

/** The first `count` readers, starting with the author. */
const readersOf = (count: number): readonly Person[] =>
  [victor, ...people.filter((person) => person !== victor)].slice(0, count);
