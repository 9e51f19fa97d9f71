import type { InvoiceStatus, ReceivingStatus, RequisitionStatus } from '../../database/generated/client/client.ts';
import type { Person } from '../people.ts';
import { amira, david, grace, ingrid, jonas, kofi, priya, samuel, tomas } from '../people.ts';

/** A line item: an item of the store by its SKU, or anything else with its price. */
export type Line =
  | readonly [sku: string, quantity: number]
  | readonly [text: string, quantity: number, unitPrice: number];

/** Received goods, a number of days ago. */
export interface Delivery {
  days: number;
  by: Person;
  lines: readonly (readonly [sku: string, quantity: number])[];
  status?: ReceivingStatus;
  notes?: string;
}

const requisition = (
  days: number,
  by: Person,
  status: RequisitionStatus,
  title: string,
  vendor: string | null,
  lines: readonly Line[],
  description: string | null = null,
) => ({ days, by, status, title, vendor, lines, description });

/** Requisitions, oldest first. */
export const requisitions = [
  requisition(146, david, 'APPROVED', 'Copier paper for the half-year', 'Cobalt Office Supply', [['OF-A480', 60]]),
  requisition(
    133,
    ingrid,
    'APPROVED',
    'Batteries for the emergency lights',
    'Wattle Electrical',
    [['EL-2210', 20]],
    'For the yearly exchange',
  ),
  requisition(101, jonas, 'APPROVED', 'Clean room supplies', 'Harrow Laboratory Supply', [
    ['LB-0090', 10],
    ['LB-0220', 100],
  ]),
  requisition(77, grace, 'APPROVED', 'Six standing desks for the design studio', 'Cobalt Office Supply', [
    ['Standing desk, 160 cm', 6, 389],
    ['Assembly', 6, 25],
  ]),
  requisition(
    52,
    amira,
    'REJECTED',
    'Espresso machine for the sales floor',
    null,
    [['Espresso machine, two groups', 1, 1890]],
    'The canteen is three floors away',
  ),
  requisition(30, tomas, 'APPROVED', 'Filters and belts for the autumn service', 'Northstar Filters', [
    ['HV-7592', 24],
    ['HV-1250', 4],
  ]),
  requisition(
    24,
    samuel,
    'REJECTED',
    'Ride-on sweeper for the yard',
    null,
    [['Ride-on sweeper', 1, 8450]],
    'Rented twice last year',
  ),
  requisition(7, jonas, 'APPROVED', 'Gloves for the laboratory', 'Harrow Laboratory Supply', [['LB-0220', 150]]),
  requisition(6, david, 'PENDING', 'Chairs for accounts', 'Cobalt Office Supply', [
    ['Swivel chair, adjustable arms', 4, 245.5],
    ['Delivery', 1, 39],
  ]),
  requisition(4, tomas, 'PENDING', 'Flush valves and washers', 'Tarn Plumbing Merchants', [
    ['PL-0450', 10],
    ['PL-0100', 30],
  ]),
  requisition(2.5, david, 'APPROVED', 'Copier paper for the next half-year', 'Cobalt Office Supply', [['OF-A480', 60]]),
  requisition(2, priya, 'PENDING', 'Paint for the stairwell of Mill Annex', 'Fernhill Coatings', [
    ['Chalk White, matte, 5 gallons', 4, 118],
    ['Masking tape', 24, 3.35],
  ]),
  requisition(
    1,
    grace,
    'DRAFT',
    'Projector for the lecture hall',
    null,
    [['Laser projector, 6,000 lumen', 1, 2340]],
    'Three offers are on their way',
  ),
  requisition(0.4, samuel, 'DRAFT', 'Road salt', null, [['Road salt, 25 kg', 40, 8.9]]),
];

const order = (
  days: number,
  vendor: string,
  /** A requisition's title, whose lines are copied, or lines. */
  source: string | readonly Line[],
  expected: number,
  deliveries: readonly Delivery[] = [],
  notes: string | null = null,
  /** Its final status, unless deliveries determine it. */
  outcome?: 'draft' | 'cancelled',
) => ({
  days,
  vendor,
  source,
  expected,
  deliveries,
  notes,
  isDraft: outcome === 'draft',
  isCancelled: outcome === 'cancelled',
});

/** The orders, oldest first: PO-000001 and so on. `expected` is in days from today. */
export const orders = [
  order(140, 'Cobalt Office Supply', 'Copier paper for the half-year', -131, [
    { days: 130, by: kofi, lines: [['OF-A480', 60]] },
  ]),
  order(128, 'Wattle Electrical', 'Batteries for the emergency lights', -119, [
    { days: 118, by: ingrid, lines: [['EL-2210', 20]] },
  ]),
  order(122, 'Pemberton Hygiene', [['CL-2000', 80]], -112, [
    { days: 112, by: samuel, lines: [['CL-2000', 50]], notes: 'The rest follows next week' },
    { days: 104, by: samuel, lines: [['CL-2000', 30]] },
  ]),
  order(110, 'Northstar Filters', [['HV-4592', 24]], -100, [{ days: 100, by: kofi, lines: [['HV-4592', 24]] }]),
  order(97, 'Harrow Laboratory Supply', 'Clean room supplies', -87, [
    {
      days: 85,
      by: jonas,
      lines: [
        ['LB-0090', 10],
        ['LB-0220', 100],
      ],
    },
  ]),
  order(
    70,
    'Cobalt Office Supply',
    'Six standing desks for the design studio',
    -40,
    [],
    'The maker has stopped making them; we wait for the new model.',
    'cancelled',
  ),
  order(34, 'Brightway Safety', [['SF-0031', 4]], -22, [{ days: 20, by: kofi, lines: [['SF-0031', 4]] }]),
  order(26, 'Northstar Filters', 'Filters and belts for the autumn service', -10, [
    { days: 12, by: kofi, lines: [['HV-7592', 12]], notes: 'Twelve filters and the belts are on back order' },
  ]),
  order(18, 'Kraft & Coil Packaging', [['PK-0500', 120]], 1, [
    { days: 6, by: samuel, lines: [['PK-0500', 60]] },
    { days: 0.6, by: samuel, lines: [['PK-0500', 60]], status: 'PENDING', notes: 'Two pallets, still to be counted' },
  ]),
  order(15, 'Pemberton Hygiene', [['CL-0510', 24]], -2, [], 'Late: they promise Thursday.'),
  order(
    9,
    'Wattle Electrical',
    [
      ['EL-3300', 10],
      ['EL-1201', 40],
    ],
    5,
  ),
  order(5, 'Harrow Laboratory Supply', 'Gloves for the laboratory', 2, [
    { days: 0.3, by: jonas, lines: [['LB-0220', 100]], status: 'PENDING', notes: 'One carton is damp' },
  ]),
  order(3, 'Northstar Filters', [['HV-4592', 48]], 12),
  order(1.5, 'Cobalt Office Supply', 'Copier paper for the next half-year', 14, [], null, 'draft'),
];

const invoice = (
  days: number,
  status: InvoiceStatus,
  invoiceNumber: string,
  /** An order's number, or a vendor. */
  from: string,
  amount?: number,
  notes: string | null = null,
) => ({ days, status, invoiceNumber, from, amount, notes });

/** Invoices, oldest first, for an order's total unless they have an amount. They are due after 30 days. */
export const invoices = [
  invoice(128, 'PAID', 'CO-40117', 'PO-000001'),
  invoice(117, 'PAID', '2026/0871', 'PO-000002'),
  invoice(103, 'PAID', 'P-55210', 'PO-000003'),
  invoice(99, 'PAID', 'NSF-3310', 'PO-000004'),
  invoice(92, 'PAID', 'ML-7741', 'Meridian Lifts', 640, 'Quarterly service of elevators A and B'),
  invoice(84, 'PAID', 'H-19082', 'PO-000005'),
  invoice(66, 'VOID', 'CO-40398', 'PO-000006', undefined, 'The order was canceled'),
  invoice(35, 'PENDING', 'ML-7902', 'Meridian Lifts', 812.5, 'With a door contact, which we have questions about'),
  invoice(19, 'APPROVED', 'BW-2209', 'PO-000007'),
  invoice(11, 'APPROVED', 'NSF-3587', 'PO-000008', 376.8, 'For what has come so far'),
  invoice(5, 'PENDING', 'KC-1180', 'PO-000009', 426, 'First half'),
];
