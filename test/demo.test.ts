import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Database } from '../src/database/index.ts';
import { detectCarrier } from '../src/schema/mailroom/carrier.ts';
import { createDemo } from '../src/seed/index.ts';
import { serviceScripts } from '../src/seed/scripts/index.ts';
import { invariants, today } from './demo-invariants.ts';
import { testDatabase } from './support/database.ts';

jest.setTimeout(120_000);

describe('the demo company', () => {
  let database: Database;
  let companyId: string;
  const progress: [number, number][] = [];

  beforeAll(async () => {
    database = await testDatabase();
    const { prisma } = database;
    expect(await createDemo(database)).toMatchObject({ companySlug: 'demo', created: true, serviceRequests: 60 });
    const again = await createDemo(database, { serviceRequests: 360, onProgress: (...step) => progress.push(step) });
    expect(again).toMatchObject({ created: false, serviceRequests: 360 });
    companyId = (await prisma.company.findUniqueOrThrow({ where: { slug: 'demo' } })).id;
  });
  afterAll(() => database.close());

  const count = async (sql: string) =>
    Number((await database.query({ text: `SELECT count(*) FROM ${sql}` })).rows[0]?.['count']);

  test('has people, places and paints, and rows in its sandbox', async () => {
    const tables = ['buildings', 'areas', 'paints', 'paint_locations', 'move_requests'];
    const counts = tables.map((table) => count(`${table} WHERE company_id = '${companyId}'`));
    expect(await Promise.all(counts)).toEqual([5, 23, 7, 16, 15]);
    const { company, serviceRequest } = database.prisma;
    const include = { users: true, sandbox: { include: { users: true } } };
    const { users, sandbox } = await company.findUniqueOrThrow({ where: { slug: 'demo' }, include });
    expect(users).toHaveLength(12);
    expect(sandbox?.users.map(({ id }) => id).sort()).toEqual(users.map(({ id }) => id).sort());
    expect(await serviceRequest.count({ where: { companyId: sandbox?.id } })).toBe(6);
    expect(new Set(serviceScripts.map(({ title }) => title)).size).toBe(60);
  });

  test('reports the progress of additional requests', () => {
    expect(progress.at(-1)).toEqual([300, 300]);
    expect(progress.every(([done], i) => done > (progress[i - 1]?.[0] ?? 0))).toBe(true);
  });

  test('has about three comments and two watchers a request, and every status', async () => {
    const requests = await count('service_requests');
    expect((await count('comments WHERE service_request_id IS NOT NULL')) / requests).toBeCloseTo(3, 0);
    expect((await count('watchers WHERE service_request_id IS NOT NULL')) / requests).toBeCloseTo(2, 0);
    for (const status of ['pending', 'in-progress', 'completed']) {
      expect(
        await count(`service_requests WHERE company_id = '${companyId}' AND status = '${status}'`),
      ).toBeGreaterThan(5);
    }
  });

  const kinds = [
    ['service_requests', 'service_request_id'],
    ['move_requests', 'move_request_id'],
  ] as const;
  describe.each(kinds)('has the activity of its %s that the service would record', (table, reference) => {
    const last = (action: string) =>
      `(SELECT to_value FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = '${action}' ORDER BY created_at DESC, id DESC LIMIT 1)`;
    const recorded = (action: string) =>
      `(SELECT count(*) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = '${action}')`;
    const had = (thread: string) =>
      `(SELECT count(*) FROM ${thread} t WHERE t.company_id = r.company_id AND t.${reference} = r.id)`;

    test.each([
      ['the status is the last recorded one', `r.status::text <> coalesce(${last('status_changed')}, 'pending')`],
      [
        'the priority is the last recorded one',
        `r.priority::text <> coalesce(${last('priority_changed')}, r.priority::text)`,
      ],
      ['the assignee is the last recorded one', `r.assigned_to::text IS DISTINCT FROM ${last('assigned')}`],
      ['exactly completed requests have a completion time', `(r.status = 'completed') <> (r.completed_at IS NOT NULL)`],
      [
        'one entry records the creation with time and user',
        `1 <> (SELECT count(*) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = 'created' AND a.created_at = r.created_at AND a.user_id = r.created_by)`,
      ],
      ['each comment is recorded', `${recorded('commented')} <> ${had('comments')}`],
      ['each watcher is recorded', `${recorded('watcher_added')} <> ${had('watchers')}`],
      ['each time log is recorded', `${recorded('time_logged')} <> ${had('time_logs')}`],
      [
        'no entry is before the creation or in the future',
        `EXISTS (SELECT 1 FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND (a.created_at < r.created_at OR a.created_at > now()))`,
      ],
      [
        'the update time is that of the last recorded change',
        `r.updated_at <> (SELECT max(created_at) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action IN ('created', 'status_changed', 'priority_changed', 'assigned'))`,
      ],
      [
        'the id is a version 7 UUID of the creation time',
        `substr(r.id::text, 15, 1) <> '7' OR ('x' || substr(replace(r.id::text, '-', ''), 1, 12))::bit(48)::bigint <> floor(extract(epoch FROM r.created_at) * 1000)`,
      ],
    ])('%s', async (_what, violation) => {
      expect(await count(`${table} r WHERE ${violation}`)).toBe(0);
    });
  });

  test('has activity without gaps between statuses', async () => {
    const broken = `(SELECT from_value, lag(to_value, 1, 'pending') OVER (PARTITION BY service_request_id, move_request_id ORDER BY created_at, id) AS before
      FROM activity_entries WHERE action = 'status_changed') AS step WHERE from_value <> before`;
    expect(await count(broken)).toBe(0);
  });

  describe('in its tables', () => {
    /** Tables with rows in every company that the demo creates. */
    const always = [
      'activity_entries',
      'api_tokens',
      'areas',
      'buildings',
      'comments',
      'move_requests',
      'paint_locations',
      'paints',
      'service_requests',
      'time_clock_settings',
      'time_logs',
      'users',
      'watchers',
    ];
    /** Tables with rows in any demo company that had none. A resource with demo data adds its tables. */
    const seeded = [
      'ai_usage_events',
      'ai_usage_months',
      'asset_documents',
      'asset_maintenance',
      'asset_transfers',
      'asset_warranties',
      'assets',
      'checklist_completions',
      'checklist_groups',
      'checklist_tasks',
      'checklists',
      'counters',
      'desks',
      'documents',
      'expected_packages',
      'hr_acknowledgments',
      'hr_documents',
      'inventory_items',
      'inventory_transfers',
      'invoices',
      'label_templates',
      'lease_dates',
      'lease_documents',
      'lease_payments',
      'leases',
      'note_categories',
      'notes',
      'purchase_order_lines',
      'purchase_orders',
      'receiving_lines',
      'receiving_records',
      'reminders',
      'requisition_lines',
      'requisitions',
      'scan_events',
      'shipments',
      'stock_adjustments',
      'time_clock_locations',
      'time_clock_records',
      'training_completions',
      'training_programs',
      'training_questions',
      'vendors',
      'workspace_records',
    ];
    const empty = async () => {
      const counted = await Promise.all(
        [...always, ...seeded].sort().map(async (table) => ({
          table,
          rows: await count(`${table} WHERE company_id = '${companyId}'`),
        })),
      );
      return counted.filter(({ rows }) => rows === 0).map(({ table }) => table);
    };
    test('has rows in each', async () => {
      expect(await empty()).toEqual([]);
    });

    test('was created once, and a part of it in the sandbox', async () => {
      const sandbox = (await database.prisma.company.findUniqueOrThrow({ where: { sandboxOfId: companyId } })).id;
      for (const [table, rows, there] of [
        ['vendors', 11, 11],
        ['inventory_items', 21, 21],
        ['purchase_orders', 14, 14],
        ['leases', 9, 0],
      ] as const) {
        const counts = [
          await count(`${table} WHERE company_id = '${companyId}'`),
          await count(`${table} WHERE company_id = '${sandbox}'`),
        ];
        expect({ table, counts }).toEqual({ table, counts: [rows, there] });
      }
    });

    test('has no rows created in the future or updated before creation', async () => {
      const { rows } = await database.query({
        text: `SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name IN ('created_at', 'updated_at') GROUP BY 1 HAVING count(*) = 2`,
      });
      expect(rows.length).toBeGreaterThan(40);
      for (const { table_name: table } of rows) {
        expect({
          table,
          wrong: await count(`${table} WHERE created_at > now() OR updated_at > now() OR updated_at < created_at`),
        }).toEqual({ table, wrong: 0 });
      }
    });

    test.each(invariants)('%s', async (_name, broken) => {
      expect(await count(broken)).toBe(0);
    });

    test.each([
      ['an item low in stock', `inventory_items WHERE quantity < reorder_point`],
      ['an expired lease', `leases WHERE status = 'expired'`],
      ['a terminated lease', `leases WHERE status = 'terminated'`],
      [
        'a lease that ends within 90 days',
        `leases WHERE status = 'active' AND end_date BETWEEN ${today} AND ${today} + 90`,
      ],
      ['a payment that is late', `lease_payments WHERE status = 'pending' AND due_date <= ${today}`],
      ['overdue maintenance', `asset_maintenance WHERE status = 'overdue'`],
      ['an open time record', `time_clock_records WHERE clock_out_time IS NULL`],
      ['a private note', `notes WHERE NOT is_shared`],
    ])('has %s', async (_what, wanted) => {
      expect(await count(`${wanted} AND company_id = '${companyId}'`)).toBeGreaterThan(0);
    });

    test.each([
      ['requisitions', 'status'],
      ['purchase_orders', 'status'],
      ['receiving_records', 'status'],
      ['invoices', 'status'],
      ['inventory_transfers', 'status'],
      ['inventory_items', 'status'],
      ['vendors', 'status'],
      ['leases', 'status'],
      ['leases', 'lease_type'],
      ['lease_payments', 'status'],
      ['assets', 'status'],
      ['assets', 'condition'],
      ['asset_maintenance', 'status'],
      ['asset_maintenance', 'maintenance_type'],
      ['checklists', 'status'],
      ['time_clock_records', 'type'],
      ['shipments', 'status'],
      ['shipments', 'type'],
      ['scan_events', 'processing_status'],
      ['expected_packages', 'status'],
      ['documents', 'processing_status'],
      ['hr_documents', 'status'],
      ['hr_documents', 'category'],
      ['training_programs', 'status'],
      ['reminders', 'status'],
    ])('has %s of every %s', async (table, column) => {
      const words = `unnest(enum_range((SELECT ${column} FROM ${table} LIMIT 1))) AS word`;
      expect(
        await count(
          `${words} WHERE word NOT IN (SELECT ${column} FROM ${table} WHERE company_id = '${companyId}' AND ${column} IS NOT NULL)`,
        ),
      ).toBe(0);
    });

    test('has carriers detected by their numbers', async () => {
      const { shipment, scanEvent } = database.prisma;
      const sent = await shipment.findMany({ where: { companyId } });
      const scanned = await scanEvent.findMany({ where: { companyId } });
      expect(Math.min(sent.length, scanned.length)).toBeGreaterThan(0);
      for (const { trackingNumber, carrier } of sent)
        expect({ trackingNumber, carrier }).toEqual({ trackingNumber, carrier: detectCarrier(trackingNumber) });
      for (const { trackingNumber, barcode, detectedCarrier } of scanned) {
        expect({ trackingNumber, detectedCarrier }).toEqual({
          trackingNumber,
          detectedCarrier: detectCarrier(trackingNumber) ?? detectCarrier(barcode),
        });
      }
    });

    test('has reminders that link to existing rows', async () => {
      const linked = await database.prisma.reminder.findMany({ where: { companyId, NOT: { linkedEntityType: null } } });
      expect(linked.length).toBeGreaterThan(5);
      for (const { linkedEntityType: type, linkedEntityId: id } of linked) {
        expect({ type, found: await count(`${type}s WHERE company_id = '${companyId}' AND id = '${id}'`) }).toEqual({
          type,
          found: 1,
        });
      }
    });

    test('is completed where a company lacks rows', async () => {
      await database.query({ text: `TRUNCATE ${seeded.join(', ')} CASCADE` });
      expect(await empty()).toEqual(seeded);
      await createDemo(database);
      expect(await empty()).toEqual([]);
    });
  });
});
