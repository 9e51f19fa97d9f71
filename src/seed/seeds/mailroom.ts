import { createHash, randomBytes } from 'node:crypto';
import type { ScanStatus, ShipmentStatus, ShipmentType } from '../../database/generated/client/client.ts';
import type { Seed } from '../context.ts';

const ours = 'Larkfield Instruments';

const shipment = (
  days: number,
  type: ShipmentType,
  status: ShipmentStatus,
  description: string,
  carrier: string | null,
  trackingNumber: string | null,
  other: string,
  weightKg: number | null,
  /** Days from today. */
  expected: number | null,
) => ({ days, type, status, description, carrier, trackingNumber, other, weightKg, expected });

const shipments = [
  shipment(88, 'OUTBOUND', 'DELIVERED', 'Two flow meters', 'DHL', '3318810014', 'Werft Nord, Hamburg', 14.6, -85),
  shipment(
    71,
    'INBOUND',
    'DELIVERED',
    'Samples for calibration',
    'UPS',
    '1Z879E930346834440',
    'Eastmere Water',
    6.2,
    -68,
  ),
  shipment(
    60,
    'OUTBOUND',
    'DELIVERED',
    'Calibrated samples, back',
    'UPS',
    '1Z410E7W0392751591',
    'Eastmere Water',
    6.4,
    -57,
  ),
  shipment(
    47,
    'INBOUND',
    'DELIVERED',
    'Print head for the plotter',
    'FedEx',
    '986578788855',
    'Wideline Service',
    1.1,
    -45,
  ),
  shipment(
    33,
    'OUTBOUND',
    'DELIVERED',
    'Catalogues',
    'Royal Mail Group plc',
    'RB123456785GB',
    'Instrument Fair, Stand 44',
    22,
    -30,
  ),
  shipment(21, 'INBOUND', 'DELIVERED', 'Fire blankets', 'DHL', '3318810025', 'Brightway Safety', 4.8, -20),
  shipment(
    12,
    'OUTBOUND',
    'SHIPPED',
    'Pressure transmitter PT-9',
    'FedEx',
    '477179081230',
    'Halden Papir AS',
    3.75,
    -1,
  ),
  shipment(8, 'INBOUND', 'SHIPPED', 'Floor cleaner, 24 canisters', null, null, 'Pemberton Hygiene', 264, -2),
  shipment(
    5,
    'OUTBOUND',
    'SHIPPED',
    'Spare parts for the Boston office',
    'USPS',
    '9400111202555842332669',
    'Larkfield Instruments Inc.',
    2.3,
    3,
  ),
  shipment(3, 'INBOUND', 'SHIPPED', 'LED drivers', 'UPS', '1Z5R89390357567127', 'Wattle Electrical', 8.9, 5),
  shipment(1, 'OUTBOUND', 'PENDING', 'Reference weights for recalibration', 'DHL', '3318810036', 'Precisa', 31.5, 6),
  shipment(0.4, 'OUTBOUND', 'PENDING', 'Demonstration case', null, null, 'Instrument Fair, Stand 44', 18, 10),
];

const labelTemplates = [
  { name: 'Parcel label', labelSize: '4x6', isDefault: true },
  { name: 'Letter', labelSize: '62x29' },
  { name: 'Pallet', labelSize: 'A5' },
  { name: 'Internal mail', labelSize: '62x29' },
];

const scan = (
  days: number,
  scanType: string,
  number: string,
  status: ScanStatus = 'PROCESSED',
  carrier: string | null = null,
) => ({ days, scanType, number, status, carrier });

const scans = [
  scan(68, 'intake', '1Z879E930346834440', 'PROCESSED', 'UPS'),
  scan(60, 'dispatch', '1Z410E7W0392751591', 'PROCESSED', 'UPS'),
  scan(45, 'intake', '986578788855', 'PROCESSED', 'FedEx'),
  scan(33, 'dispatch', 'RB123456785GB', 'PROCESSED', 'Royal Mail Group plc'),
  scan(20, 'intake', '3318810025', 'PROCESSED', 'DHL'),
  scan(17, 'intake', '799531274483', 'PROCESSED', 'FedEx'),
  scan(17, 'shelf', 'SHELF-B4'),
  scan(12, 'dispatch', '477179081230', 'PROCESSED', 'FedEx'),
  scan(9, 'intake', 'LK000000005GB', 'PROCESSED', 'Royal Mail Group plc'),
  scan(8, 'collection', 'LK000000005GB', 'PROCESSED', 'Royal Mail Group plc'),
  scan(5, 'dispatch', '9400111202555842332669', 'PROCESSED', 'USPS'),
  scan(2, 'intake', '8487135506', 'PROCESSED', 'DHL'),
  scan(1, 'intake', '00000-SMUDGED', 'FAILED'),
  scan(0.3, 'intake', '1Z8V92A70367203024', 'PENDING', 'UPS'),
];

/** Packages that guests announced; `came` is when their number was scanned. Days ago, but `due` from today. */
const packages = [
  {
    days: 22,
    guestName: 'Mira Solberg',
    guestEmail: 'mira@halden.test',
    description: 'Conference posters',
    vendorName: 'Plakat AS',
    trackingNumber: '799531274483',
    due: -17,
    quantity: 1,
    came: 17,
    status: 'COLLECTED',
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
    came: 9,
    status: 'COLLECTED',
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
    came: 2,
    status: 'RECEIVED',
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
    came: null,
    status: 'EXPECTED',
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
    came: null,
    status: 'EXPECTED',
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
    came: null,
    status: 'EXPECTED',
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
    came: null,
    status: 'EXPECTED',
    notes: null,
  },
] as const;

/** What came to the demo company, what it sent, and what its guests wait for. */
export const mailroom: Seed = (prisma, seed) => [
  prisma.shipment.createMany({
    data: shipments.map(({ days, other, expected, ...columns }) => {
      const [sender, recipient] = columns.type === 'INBOUND' ? [other, ours] : [ours, other];
      return {
        ...seed.row(seed.ago(days), columns.description),
        ...columns,
        sender,
        recipient,
        estimatedDelivery: expected === null ? null : seed.date(expected),
      };
    }),
  }),
  prisma.labelTemplate.createMany({
    data: labelTemplates.map((columns, nth) => ({ ...seed.row(seed.ago(120 - nth)), ...columns })),
  }),
  prisma.scanEvent.createMany({
    data: scans.map(({ days, number, status: processingStatus, carrier: detectedCarrier, scanType }) => {
      const at = seed.ago(days);
      // What no carrier's number looks like was read off a bar code of our own.
      const read = detectedCarrier ? { trackingNumber: number } : { barcode: number };
      return { ...seed.row(at), ...read, scanType, processingStatus, detectedCarrier, scannedAt: at };
    }),
  }),
  prisma.expectedPackage.createMany({
    data: packages.map(({ days, due, came, ...columns }) => {
      const receivedAt = came === null ? null : seed.ago(came);
      const row = seed.row(seed.ago(days), `package: ${columns.description}`);
      // Nobody is told the token: its guest lives in the demo only.
      const tokenHash = createHash('sha256').update(randomBytes(16)).digest();
      return {
        ...row,
        ...columns,
        expectedDate: seed.date(due),
        receivedAt,
        tokenHash,
        updatedAt: receivedAt ?? row.updatedAt,
      };
    }),
  }),
];
