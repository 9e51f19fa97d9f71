import { createHash, randomBytes } from 'node:crypto';
import type { ScanStatus, ShipmentStatus, ShipmentType } from '../../database/generated/client/client.ts';
import { detectCarrier } from '../../schema/mailroom/carrier.ts';
import { ExpectedPackage } from '../../schema/mailroom/expected-package.ts';
import { LabelTemplate } from '../../schema/mailroom/label-template.ts';
import { ScanEvent } from '../../schema/mailroom/scan-event.ts';
import { Shipment } from '../../schema/mailroom/shipment.ts';
import type { Seed } from '../context.ts';

const ours = 'Larkfield Instruments';

const shipment = (
  days: number,
  type: ShipmentType,
  status: ShipmentStatus,
  description: string,
  trackingNumber: string | null,
  other: string,
  weightKg: number | null,
  /** Days from today. */
  expected: number | null,
) => ({ days, type, status, description, trackingNumber, other, weightKg, expected });

const shipments = [
  shipment(88, 'OUTBOUND', 'DELIVERED', 'Two flow meters', '3318810014', 'Werft Nord, Hamburg', 14.6, -85),
  shipment(71, 'INBOUND', 'DELIVERED', 'Samples for calibration', '1Z879E930346834440', 'Eastmere Water', 6.2, -68),
  shipment(60, 'OUTBOUND', 'DELIVERED', 'Calibrated samples, back', '1Z410E7W0392751591', 'Eastmere Water', 6.4, -57),
  shipment(47, 'INBOUND', 'DELIVERED', 'Print head for the plotter', '986578788855', 'Wideline Service', 1.1, -45),
  shipment(33, 'OUTBOUND', 'DELIVERED', 'Catalogs', 'RB123456785GB', 'Instrument Fair, Stand 44', 22, -30),
  shipment(21, 'INBOUND', 'DELIVERED', 'Fire blankets', '3318810025', 'Brightway Safety', 4.8, -20),
  shipment(12, 'OUTBOUND', 'SHIPPED', 'Pressure transmitter PT-9', '477179081230', 'Halden Papir AS', 3.75, -1),
  shipment(8, 'INBOUND', 'SHIPPED', 'Floor cleaner, 24 canisters', null, 'Pemberton Hygiene', 264, -2),
  shipment(
    5,
    'OUTBOUND',
    'SHIPPED',
    'Spare parts for the Boston office',
    '9400111202555842332669',
    'Larkfield Instruments Inc.',
    2.3,
    3,
  ),
  shipment(3, 'INBOUND', 'SHIPPED', 'LED drivers', '1Z5R89390357567127', 'Wattle Electrical', 8.9, 5),
  shipment(1, 'OUTBOUND', 'PENDING', 'Reference weights for recalibration', '3318810036', 'Precisa', 31.5, 6),
  shipment(0.4, 'OUTBOUND', 'PENDING', 'Demonstration case', null, 'Instrument Fair, Stand 44', 18, 10),
];

const labelTemplates = [
  { name: 'Parcel label', labelSize: '4x6', isDefault: true },
  { name: 'Letter', labelSize: '62x29' },
  { name: 'Pallet', labelSize: 'A5' },
  { name: 'Internal mail', labelSize: '62x29' },
];

const scan = (days: number, scanType: string, number: string, status: ScanStatus = 'PROCESSED') => ({
  days,
  scanType,
  number,
  status,
});

const scans = [
  scan(68, 'intake', '1Z879E930346834440'),
  scan(60, 'dispatch', '1Z410E7W0392751591'),
  scan(45, 'intake', '986578788855'),
  scan(33, 'dispatch', 'RB123456785GB'),
  scan(20, 'intake', '3318810025'),
  scan(17, 'intake', '799531274483'),
  scan(17, 'shelf', 'SHELF-B4'),
  scan(12, 'dispatch', '477179081230'),
  scan(9, 'intake', 'LK000000005GB'),
  scan(8, 'collection', 'LK000000005GB'),
  scan(5, 'dispatch', '9400111202555842332669'),
  scan(2, 'intake', '8487135506'),
  scan(1, 'intake', '00000-SMUDGED', 'FAILED'),
  scan(0.3, 'intake', '1Z8V92A70367203024', 'PENDING'),
];

interface GuestPackage {
  readonly days: number;
  readonly guestName: string;
  readonly guestEmail: string;
  readonly description: string;
  readonly vendorName: string | null;
  readonly trackingNumber: string | null;
  readonly due: number;
  readonly quantity: number;
  readonly collected?: number;
  readonly notes: string | null;
}

/** Packages of guests; `collected` is in days ago, `due` in days from today. */
const packages: readonly GuestPackage[] = [
  {
    days: 22,
    guestName: 'Mira Solberg',
    guestEmail: 'mira@halden.test',
    description: 'Conference posters',
    vendorName: 'Plakat AS',
    trackingNumber: '799531274483',
    due: -17,
    quantity: 1,
    collected: 16,
    notes: 'Collected by Mira',
  },
  {
    days: 14,
    guestName: 'Tom Achebe',
    guestEmail: 'tom.achebe@guests.test',
    description: 'Walking shoes',
    vendorName: 'Trailhead',
    trackingNumber: 'LK000000005GB',
    due: -10,
    quantity: 1,
    collected: 8,
    notes: null,
  },
  {
    days: 6,
    guestName: 'Mira Solberg',
    guestEmail: 'mira@halden.test',
    description: 'Samples of coated paper',
    vendorName: 'Halden Papir AS',
    trackingNumber: '8487135506',
    due: -2,
    quantity: 3,
    notes: 'Heavy, bring the trolley',
  },
  {
    days: 4,
    guestName: 'Ines Carvalho',
    guestEmail: 'ines@atlasaudit.test',
    description: 'Binders for the audit',
    vendorName: null,
    trackingNumber: '3318810003',
    due: -1,
    quantity: 2,
    notes: 'For the Alder room',
  },
  {
    days: 3,
    guestName: 'Tom Achebe',
    guestEmail: 'tom.achebe@guests.test',
    description: 'Laptop charger',
    vendorName: 'Notebook Direct',
    trackingNumber: '790535312317',
    due: 1,
    quantity: 1,
    notes: null,
  },
  {
    days: 2,
    guestName: 'Yuki Tanabe',
    guestEmail: 'yuki@tanabe-optics.test',
    description: 'Lens holder',
    vendorName: 'Tanabe Optics',
    trackingNumber: '9405511899223197428490',
    due: 6,
    quantity: 1,
    notes: 'Fragile',
  },
  {
    days: 0.6,
    guestName: 'Ines Carvalho',
    guestEmail: 'ines@atlasaudit.test',
    description: 'Printer paper',
    vendorName: 'Cobalt Office Supply',
    trackingNumber: null,
    due: 3,
    quantity: 5,
    notes: null,
  },
];

/** The demo company's shipments, scans and expected packages. */
export const mailroom: Seed = async (seed) => {
  for (const { days, other, expected, ...columns } of shipments) {
    const [sender, recipient] = columns.type === 'INBOUND' ? [other, ours] : [ours, other];
    const estimatedDelivery = expected === null ? null : seed.date(expected);
    const write = { at: seed.ago(days), name: columns.description };
    await seed.create(Shipment, write, { ...columns, sender, recipient, estimatedDelivery });
  }
  for (const [nth, columns] of labelTemplates.entries()) {
    await seed.create(LabelTemplate, { at: seed.ago(120 - nth) }, columns);
  }
  for (const { days, due, collected: _, ...columns } of packages) {
    // The token is discarded, as the guest is fictional.
    const tokenHash = createHash('sha256').update(randomBytes(16)).digest();
    const write = { at: seed.ago(days), name: `package: ${columns.description}` };
    await seed.create(ExpectedPackage, write, { ...columns, expectedDate: seed.date(due), tokenHash });
  }
  // A scan marks the package expected under its number as received.
  for (const { days, number, status: processingStatus, scanType } of scans) {
    const at = seed.ago(days);
    // Numbers of no known carrier come from our own bar codes.
    const read = detectCarrier(number) ? { trackingNumber: number } : { barcode: number };
    await seed.create(ScanEvent, { at }, { ...read, scanType, processingStatus, scannedAt: at });
  }
  for (const { description, collected } of packages) {
    if (collected === undefined) continue;
    const id = seed.id(`package: ${description}`);
    await seed.update(ExpectedPackage, id, { at: seed.ago(collected) }, { status: 'COLLECTED' });
  }
};
