import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Database } from '../src/database/index.ts';
import { carrierOf } from '../src/schema/mailroom/carrier.ts';
import { createDemo } from '../src/seed/index.ts';
import { serviceScripts } from '../src/seed/scripts.ts';
import { testDatabase } from './support/database.ts';

jest.setTimeout(120_000);

describe('the demo company', () => {
  let database: Database;
  let companyId: string;
  const progress: [number, number][] = [];

  beforeAll(async () => {
    database = await testDatabase();
    const { prisma } = database;
    expect(await createDemo(prisma)).toMatchObject({ companySlug: 'demo', created: true, serviceRequests: 60 });
    const again = await createDemo(prisma, { serviceRequests: 360, onProgress: (...step) => progress.push(step) });
    expect(again).toMatchObject({ created: false, serviceRequests: 360 });
    companyId = (await prisma.company.findUniqueOrThrow({ where: { slug: 'demo' } })).id;
  });
  afterAll(() => database.close());

  const count = async (sql: string) =>
    Number((await database.query({ text: `SELECT count(*) FROM ${sql}` })).rows[0]?.['count']);

  test('has its people, places and paints, and something in its sandbox', async () => {
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

  test('reports how far the topping up is', () => {
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
  describe.each(kinds)('tells of its %s what the service would have told', (table, reference) => {
    const last = (action: string) =>
      `(SELECT to_value FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = '${action}' ORDER BY created_at DESC, id DESC LIMIT 1)`;
    const told = (action: string) =>
      `(SELECT count(*) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = '${action}')`;
    const had = (thread: string) =>
      `(SELECT count(*) FROM ${thread} t WHERE t.company_id = r.company_id AND t.${reference} = r.id)`;

    test.each([
      ['the status is the last one told of', `r.status::text <> coalesce(${last('status_changed')}, 'pending')`],
      [
        'a priority told of is the last one',
        `r.priority::text <> coalesce(${last('priority_changed')}, r.priority::text)`,
      ],
      ['the assignee is the last one told of', `r.assigned_to::text IS DISTINCT FROM ${last('assigned')}`],
      ['just what is completed has its time of completion', `(r.status = 'completed') <> (r.completed_at IS NOT NULL)`],
      [
        'one entry tells of its creation, when and by whom it was made',
        `1 <> (SELECT count(*) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = 'created' AND a.created_at = r.created_at AND a.user_id = r.created_by)`,
      ],
      ['each comment is told of', `${told('commented')} <> ${had('comments')}`],
      ['each watcher is told of', `${told('watcher_added')} <> ${had('watchers')}`],
      ['each time log is told of', `${told('time_logged')} <> ${had('time_logs')}`],
      [
        'nothing is told of before it was made or after now',
        `EXISTS (SELECT 1 FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND (a.created_at < r.created_at OR a.created_at > now()))`,
      ],
      [
        'its last change is the last one told of',
        `r.updated_at <> (SELECT max(created_at) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action IN ('created', 'status_changed', 'priority_changed', 'assigned'))`,
      ],
      [
        'the id is a version 7 UUID of the time it was made',
        `substr(r.id::text, 15, 1) <> '7' OR ('x' || substr(replace(r.id::text, '-', ''), 1, 12))::bit(48)::bigint <> floor(extract(epoch FROM r.created_at) * 1000)`,
      ],
    ])('%s', async (_what, fault) => {
      expect(await count(`${table} r WHERE ${fault}`)).toBe(0);
    });
  });

  test('chains the statuses told of without a gap', async () => {
    const broken = `(SELECT from_value, lag(to_value, 1, 'pending') OVER (PARTITION BY service_request_id, move_request_id ORDER BY created_at, id) AS before
      FROM activity_entries WHERE action = 'status_changed') AS step WHERE from_value <> before`;
    expect(await count(broken)).toBe(0);
  });

  describe('in every family', () => {
    /** What comes and goes with use, and would be strange to have from the start. */
    const fleeting = ['sessions', 'idempotency_keys'];
    /** The tables that hold what belongs to a company. */
    const tables = async () => {
      const { rows } = await database.query({
        text: `SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'company_id' ORDER BY 1`,
      });
      return rows.map(({ table_name: name }) => String(name)).filter((name) => !fleeting.includes(name));
    };
    const empty = async () => {
      const counted = await Promise.all(
        (await tables()).map(async (table) => ({
          table,
          rows: await count(`${table} WHERE company_id = '${companyId}'`),
        })),
      );
      expect(counted.length).toBeGreaterThan(50);
      return counted.filter(({ rows }) => rows === 0).map(({ table }) => table);
    };
    const today = `(now() AT TIME ZONE 'UTC')::date`;
    /** Rows of a table that belong to a row `r`, by the column that refers to it. */
    const of = (table: string, column: string) => `${table} x WHERE x.company_id = r.company_id AND x.${column} = r.id`;
    const costs = (lines: string, column: string) =>
      `r.total_amount IS DISTINCT FROM (SELECT sum(x.quantity * x.unit_price) FROM ${of(lines, column)})`;
    /** The last of something in an asset's transfers. */
    const lastMove = (column: string) =>
      `(SELECT ${column} FROM ${of('asset_transfers', 'asset_id')} ORDER BY x.created_at DESC LIMIT 1)`;

    test('has rows in every table', async () => {
      expect(await empty()).toEqual([]);
    });

    test('was made once, and a part of it in the sandbox', async () => {
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

    test('tells of no row that it was made after now, or changed before it was made', async () => {
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

    test.each([
      [
        'a stock is what its ledger ends with',
        `inventory_items r WHERE r.quantity <> (SELECT x.quantity_after FROM ${of('stock_adjustments', 'item_id')} ORDER BY x.created_at DESC LIMIT 1)`,
      ],
      [
        'no two entries of a ledger are of one moment',
        `(SELECT 1 FROM stock_adjustments GROUP BY company_id, item_id, created_at HAVING count(*) > 1) AS tie`,
      ],
      [
        'a ledger has no gap, and begins with nothing',
        `(SELECT quantity_before, lag(quantity_after, 1, 0) OVER (PARTITION BY company_id, item_id ORDER BY created_at) AS last FROM stock_adjustments) AS step WHERE quantity_before <> last`,
      ],
      [
        'an entry of a ledger says what it did',
        `stock_adjustments WHERE quantity_after < 0 OR quantity_after <> CASE type WHEN 'addition' THEN quantity_before + quantity WHEN 'removal' THEN quantity_before - quantity ELSE quantity END`,
      ],
      [
        'just what was received is in the stock',
        `receiving_lines l JOIN receiving_records r ON r.company_id = l.company_id AND r.id = l.receiving_record_id
        WHERE (r.status = 'complete') <> EXISTS (SELECT 1 FROM ${of('stock_adjustments', 'receiving_record_id')} AND x.item_id = l.item_id AND x.type = 'addition' AND x.quantity = l.quantity)`,
      ],
      [
        'an entry by a delivery has its line',
        `stock_adjustments a WHERE receiving_record_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM receiving_lines l WHERE l.company_id = a.company_id AND l.receiving_record_id = a.receiving_record_id AND l.item_id = a.item_id)`,
      ],
      [
        'an order stands as its deliveries say',
        `(SELECT r.status::text, sum(l.quantity) AS ordered, (
          SELECT coalesce(sum(came.quantity), 0) FROM receiving_lines came JOIN receiving_records d ON d.company_id = came.company_id AND d.id = came.receiving_record_id
          WHERE d.company_id = r.company_id AND d.purchase_order_id = r.id AND d.status = 'complete') AS came
        FROM purchase_orders r JOIN purchase_order_lines l ON l.company_id = r.company_id AND l.purchase_order_id = r.id GROUP BY r.company_id, r.id) AS o
        WHERE NOT CASE WHEN came = 0 THEN status IN ('draft', 'sent', 'cancelled') WHEN came < ordered THEN status = 'partially_received' ELSE status = 'received' END`,
      ],
      [
        'a requisition costs what its lines cost',
        `requisitions r WHERE ${costs('requisition_lines', 'requisition_id')}`,
      ],
      [
        'an order costs what its lines cost',
        `purchase_orders r WHERE ${costs('purchase_order_lines', 'purchase_order_id')}`,
      ],
      [
        'an order fulfils an approved requisition',
        `purchase_orders o JOIN requisitions r ON r.company_id = o.company_id AND r.id = o.requisition_id WHERE r.status <> 'approved' OR r.vendor_id <> o.vendor_id`,
      ],
      [
        'the next number of an order is free',
        `counters c WHERE name = 'purchase_orders' AND value <> (SELECT max(substr(number, 4)::int) FROM purchase_orders o WHERE o.company_id = c.company_id)`,
      ],
      [
        "an invoice is of its order's vendor",
        `invoices i JOIN purchase_orders o ON o.company_id = i.company_id AND o.id = i.purchase_order_id WHERE o.vendor_id <> i.vendor_id`,
      ],
      [
        'a transfer begins where its item is',
        `inventory_transfers t JOIN inventory_items i ON i.company_id = t.company_id AND i.id = t.item_id WHERE t.from_location_id <> i.location_id`,
      ],
      [
        'just a lease that has ended is expired',
        `leases WHERE status <> 'terminated' AND (status = 'expired') <> coalesce(end_date < ${today}, false)`,
      ],
      ['a lease ends after its beginning', `leases WHERE end_date < start_date`],
      [
        'a payment is due while its lease lasts',
        `lease_payments p JOIN leases r ON r.company_id = p.company_id AND r.id = p.lease_id WHERE p.due_date < r.start_date OR p.due_date > r.end_date`,
      ],
      ['no payment was made ahead of its day', `lease_payments WHERE status = 'paid' AND due_date > ${today}`],
      [
        'just maintenance that is late is overdue',
        `asset_maintenance WHERE status <> 'completed' AND (status = 'overdue') <> (scheduled_date < ${today})`,
      ],
      [
        'an asset is where it was moved to',
        `assets r WHERE EXISTS (SELECT 1 FROM ${of('asset_transfers', 'asset_id')}) AND (building_id, assigned_to) IS DISTINCT FROM (${lastMove('to_location')}, ${lastMove('to_user')})`,
      ],
      [
        'a transfer begins where the last one ended',
        `(SELECT from_location, from_user, lag(to_location) OVER moves AS place, lag(to_user) OVER moves AS holder, lag(id) OVER moves AS last
        FROM asset_transfers WINDOW moves AS (PARTITION BY company_id, asset_id ORDER BY created_at)) AS step WHERE last IS NOT NULL AND (from_location, from_user) IS DISTINCT FROM (place, holder)`,
      ],
      [
        'a task is in a group of its checklist',
        `checklist_tasks t JOIN checklist_groups g ON g.company_id = t.company_id AND g.id = t.group_id WHERE g.checklist_id <> t.checklist_id`,
      ],
      [
        'nobody has two open time records',
        `(SELECT 1 FROM time_clock_records WHERE clock_out_time IS NULL GROUP BY company_id, user_id HAVING count(*) > 1) AS twice`,
      ],
      [
        "just an open record is its user's open one",
        `time_clock_records WHERE open_user_id IS DISTINCT FROM CASE WHEN clock_out_time IS NULL THEN user_id END`,
      ],
      [
        'somebody clocks out after clocking in',
        `time_clock_records WHERE clock_out_time <= clock_in_time OR clock_out_time > now()`,
      ],
      [
        'a company has one default template',
        `companies r WHERE slug = 'demo' AND 1 <> (SELECT count(*) FROM label_templates x WHERE x.company_id = r.id AND is_default)`,
      ],
      [
        'just a package that has come has its time',
        `expected_packages WHERE (status = 'expected') <> (received_at IS NULL)`,
      ],
      [
        'a package that has come was scanned then',
        `expected_packages p WHERE received_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM scan_events s WHERE s.company_id = p.company_id AND s.tracking_number = p.tracking_number AND scanned_at = received_at)`,
      ],
      [
        'a desk is assigned when somebody works there',
        `desks r WHERE is_assigned <> EXISTS (SELECT 1 FROM ${of('workspace_records', 'active_desk_id')})`,
      ],
      [
        'a workspace record is active until it ends',
        `workspace_records WHERE active_desk_id IS DISTINCT FROM CASE WHEN end_date IS NULL OR end_date >= ${today} THEN desk_id END`,
      ],
      [
        'nobody acknowledges what does not ask for it',
        `hr_acknowledgments a JOIN hr_documents d ON d.company_id = a.company_id AND d.id = a.document_id WHERE NOT d.requires_acknowledgment OR a.acknowledged_at < d.created_at`,
      ],
      [
        'whoever reaches the score has passed',
        `training_completions c JOIN training_programs p ON p.company_id = c.company_id AND p.id = c.training_program_id WHERE passed IS DISTINCT FROM (score >= passing_score)`,
      ],
      [
        'a month of AI usage is what its events add up to',
        `ai_usage_months m WHERE (requests, input_tokens, output_tokens, cost_usd) <> (
        SELECT count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd) FROM ai_usage_events e WHERE e.company_id = m.company_id AND e.feature = m.feature
          AND date_trunc('month', occurred_at, 'UTC') = date_trunc('month', m.month::timestamp AT TIME ZONE 'UTC', 'UTC'))`,
      ],
      [
        'a right answer is one of the options',
        `training_questions WHERE cardinality(options) > 0 AND correct_answer <> ALL (options)`,
      ],
    ])('%s', async (_what, fault) => {
      expect(await count(fault)).toBe(0);
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
      ['somebody at work', `time_clock_records WHERE clock_out_time IS NULL`],
      ["a note that is somebody's own", `notes WHERE NOT is_shared`],
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

    test('knows connectionTypes by their numbers', async () => {
      const { shipment, scanEvent } = database.prisma;
      const sent = await shipment.findMany({ where: { companyId } });
      const scanned = await scanEvent.findMany({ where: { companyId } });
      for (const { trackingNumber, carrier } of sent)
        expect({ trackingNumber, carrier }).toEqual({ trackingNumber, carrier: carrierOf(trackingNumber) });
      for (const { trackingNumber, barcode, detectedCarrier } of scanned) {
        expect({ trackingNumber, detectedCarrier }).toEqual({
          trackingNumber,
          detectedCarrier: carrierOf(trackingNumber) ?? carrierOf(barcode),
        });
      }
    });

    test('reminds of rows that there are', async () => {
      const linked = await database.prisma.reminder.findMany({ where: { companyId, NOT: { linkedEntityType: null } } });
      expect(linked.length).toBeGreaterThan(5);
      for (const { linkedEntityType: type, linkedEntityId: id } of linked) {
        expect({ type, found: await count(`${type}s WHERE company_id = '${companyId}' AND id = '${id}'`) }).toEqual({
          type,
          found: 1,
        });
      }
    });

    test('is made up for where a company has nothing of them', async () => {
      const before = [
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
      const later = (await tables()).filter((table) => !before.includes(table));
      await database.query({ text: `TRUNCATE ${later.join(', ')}` });
      expect(await empty()).toEqual(later);
      await createDemo(database.prisma);
      expect(await empty()).toEqual([]);
    });
  });
});
