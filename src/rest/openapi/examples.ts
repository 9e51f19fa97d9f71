import { createHash } from 'node:crypto';
import type { JsonSchema } from './schemas.ts';

/** An id for examples, the same wherever the same thing is meant. */
export function exampleId(of: string): string {
  const hex = createHash('sha256').update(of).digest('hex');
  return `019b6f3c-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
}

/** Values of fields that mean the same wherever they are. */
const byName: Record<string, unknown> = {
  acknowledged_at: '2026-03-03T10:15:00.000Z',
  address: '12 Harbour Street, Larkfield',
  allow_overtime: true,
  area: '4.12',
  avatar_url: 'https://example.com/avatars/nora.png',
  barcode: '5901234123457',
  brand: 'Acme',
  building: 'HQ',
  carrier: 'UPS',
  clock_in_time: '2026-03-02T08:30:00.000Z',
  clock_out_time: '2026-03-02T17:05:00.000Z',
  code: 'HQ',
  color: '#0a8',
  color_code: 'RAL 9010',
  comment: 'The part has arrived; it is fixed by noon.',
  company_name: 'Brightline Electric',
  company_slug: 'larkfield',
  contact_name: 'Maya Brandt',
  correct_answer: 'At the north gate',
  coverage: 'Parts and labour, on site within two working days.',
  detected_carrier: 'UPS',
  department: 'Engineering',
  due_date: '2026-04-30',
  due_this_month: 12500,
  email: 'maya.brandt@example.com',
  end_date: '2026-12-31',
  endDate: '2026-03-31',
  feature: 'request-summary',
  file_name: 'floor-plan-4.pdf',
  file_type: 'pdf',
  file_url: 'https://files.example.com/floor-plan-4.pdf',
  finish: 'Matt',
  floor: '4',
  floors: 6,
  from_location: 'Room 4.12',
  full_name: 'Nora Lindqvist',
  gallons_available: 12.5,
  grace_period_minutes: 5,
  guest_email: 'leo@example.com',
  guest_name: 'Leo Martin',
  hours: 1.5,
  ip_address: '203.0.113.7',
  label_size: '4x6',
  latitude: 51.5072,
  lessee: 'Larkfield Ltd',
  lessor: 'Harbour Estates',
  longitude: -0.1276,
  model: 'LaserJet 4350',
  month: '2026-03-01',
  monthly_payment: 12500,
  order: 1,
  order_number: 'PO-2026-0042',
  passing_score: 80,
  payment_terms: 'Net 30',
  phone: '+44 20 7946 0018',
  provider: 'Northwind Service',
  question_text: 'Where is the assembly point?',
  question_type: 'multiple_choice',
  radius_meters: 150,
  recipient: 'Nora Lindqvist',
  role: 'admin',
  room: '4.12',
  rounding_minutes: 15,
  scan_type: 'arrival',
  score: 92,
  sender: 'Brightline Electric',
  serial_number: 'SN-48213',
  sku: 'LAMP-E27-8W',
  slug: 'larkfield',
  square_feet: 48000,
  start_date: '2026-01-01',
  startDate: '2026-03-01',
  surface_type: 'Wall',
  to_location: 'Room 5.03',
  total_amount: 300,
  tracking_number: '1Z999AA10123456784',
  tracking_token: 'q3Zk8Yw1T0u5VbN2xRc7Lg',
  token: 'q3Zk8Yw1T0u5VbN2xRc7Lg',
  unit: 'piece',
  unit_cost: 4.75,
  unit_price: 75,
  vendor_name: 'Brightline Electric',
  vendor_type: 'Electrical',
  version: '2.1',
  warranty_type: 'Extended',
  weight_kg: 2.4,
};

/** Values of fields that mean something else in each resource. */
const byOwner: Record<string, Record<string, unknown>> = {
  Area: { name: 'East wing' },
  Building: { name: 'Headquarters' },
  Company: { name: 'Larkfield' },
  Checklist: { name: 'Opening round', description: 'What to look at before the doors open.', recurrence: 'daily' },
  ChecklistGroup: { name: 'Lobby' },
  ChecklistTask: { title: 'Check the emergency lights', description: 'All of them, also behind the bar.' },
  Desk: { name: '4.12-A' },
  Document: { title: 'Floor plan, level 4', category: 'Plans', description: 'As of the refit of 2025.' },
  GuestPackage: { description: 'A box of samples' },
  HrDocument: {
    title: 'Fire safety policy',
    document_type: 'Safety',
    description: 'What everybody does when the alarm sounds.',
  },
  Asset: {
    asset_name: 'Printer, second floor',
    description: 'Shared by the second floor.',
    condition: 'good',
    purchase_price: 1899,
  },
  AssetMaintenance: { description: 'Replace the fuser and clean the rollers.', estimated_cost: 240 },
  AssetTransfer: { reason: 'The team has moved.' },
  InventoryItem: {
    name: 'LED lamp E27, 8 W',
    description: 'Warm white',
    category: 'Lighting',
    reorder_point: 20,
    quantity: 140,
  },
  InventoryTransfer: { notes: 'For the spring refit' },
  LabelTemplate: { name: 'Standard label' },
  Lease: { name: 'Headquarters, levels 4 to 6', description: 'Office space' },
  LeaseDate: { description: 'Last day to renew', type: 'renewal_option' },
  LeasePayment: { description: 'Rent for April', amount: 12500 },
  MoveRequest: { title: 'Move the design team to level 5', description: 'Eight desks and two plotters.' },
  Note: { title: 'Keys to the roof', content: 'In the safe of the porter’s lodge.' },
  NoteCategory: { name: 'Keys' },
  Paint: { name: 'Harbour white' },
  Reminder: {
    title: 'Renew the lift inspection',
    description: 'The inspector wants four weeks.',
    linked_entity_type: 'asset',
  },
  Requisition: { title: 'Task chairs for level 5', description: 'The old ones are beyond repair.' },
  ServiceRequest: {
    title: 'The lobby light flickers',
    description: 'Since this morning, above the front desk.',
    category: 'Electrical',
  },
  StockAdjustment: { reason: 'Delivery', reference: 'PO-2026-0042' },
  TimeClockLocation: { name: 'Headquarters' },
  TrainingProgram: {
    title: 'Forklift safety',
    description: 'Yearly, for everybody in the warehouse.',
    training_type: 'Safety',
    duration_minutes: 45,
  },
  TrainingQuestion: { options: 'At the north gate' },
  VendorSummary: { company_name: 'Brightline Electric' },
};

/** Times that a row has not yet in examples, whose status is the first there is, where they may be unset. */
export const notYet: ReadonlySet<string> = new Set(['completed_at', 'received_at']);

const byEnding: readonly (readonly [RegExp, unknown])[] = [
  [/_url$/, 'https://example.com/file.pdf'],
  [/email$/, 'maya.brandt@example.com'],
  [/name$/, 'Headquarters'],
  [/description$/, 'As agreed with the facilities team.'],
  [/notes$/, 'Ring twice.'],
  [/title$/, 'Quarterly round'],
  [/number$/, 'INV-2026-0117'],
  [/(amount|cost|price|paid|due|balance|value)$/, 300],
  [/quantity/, 4],
  [/tokens$/, 1840],
  [/minutes$/, 30],
  [/points$/, 5],
  [/^created_(at|after)$/, '2026-03-02T09:14:07.412Z'],
  [/^(updated_at|created_before)$/, '2026-03-03T15:40:22.108Z'],
];

/** A believable value of a field, from its name or its form. */
export function exampleOf(owner: string, name: string, schema: JsonSchema): unknown {
  const { type, format } = schema as { type?: string | readonly string[]; format?: string };
  const kind = typeof type === 'string' ? type : type?.[0];
  if (kind === 'object' || (kind === 'boolean' && !(name in byName)))
    return kind === 'boolean' ? true : { pending: 4, completed: 9 };
  const known =
    byOwner[owner.replace(/(Request)(Comment|TimeLog|ActivityEntry|Watcher)$/, '$2')]?.[name] ??
    byName[name] ??
    byEnding.find(([ending]) => ending.test(name))?.[1];
  if (fits(known, kind, format)) return known;
  if (format === 'date') return '2026-04-01';
  if (format === 'date-time') return '2026-03-03T15:40:22.108Z';
  if (kind === 'integer' || kind === 'number') return 4;
  return name === 'search' ? 'light' : name.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
}

function fits(value: unknown, kind: string | undefined, format: string | undefined): boolean {
  if (kind === 'integer') return Number.isInteger(value);
  if (format === 'date') return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
  if (format === 'date-time') return typeof value === 'string' && /T/.test(value);
  return typeof value === kind;
}

/** An example of a whole value, out of those of its parts. @param all the schemas that it may refer to */
export function exampleValue(schema: JsonSchema, all: Readonly<Record<string, JsonSchema>>): unknown {
  const {
    $ref,
    examples,
    enum: words,
    const: only,
    anyOf,
    properties,
    required,
    items,
  } = schema as {
    $ref?: string;
    examples?: unknown[];
    enum?: unknown[];
    const?: unknown;
    anyOf?: JsonSchema[];
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
    items?: JsonSchema;
  };
  if (examples) return examples[0];
  if ($ref) return exampleValue(all[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, all);
  if (anyOf?.[0]) return exampleValue(anyOf[0], all);
  if (properties) {
    // What a row has only when it is asked for is no part of what every answer shows.
    const shown = Object.entries(properties).filter(
      ([name, { readOnly }]) => !readOnly || !required || required.includes(name),
    );
    return Object.fromEntries(shown.map(([name, value]) => [name, exampleValue(value, all)]));
  }
  if (items) return [exampleValue(items, all)];
  return only ?? words?.[0] ?? null;
}
