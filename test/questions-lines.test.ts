// Questions about rows that are part of others, or only recorded: line items and uses of AI. Against SQL by hand.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Prisma } from '../src/database/generated/client/client.ts';
import { signInAll } from './support/browser.ts';
import type { Client, Row } from './support/client.ts';
import { fillLines } from './support/office-lines.ts';
import { Questions } from './support/questions.ts';

let questions: Questions;
let company: Prisma.Sql;
beforeAll(async () => {
  questions = await Questions.start();
  company = Prisma.sql`r.company_id = ${questions.companyId}::uuid`;
  await fillLines(questions.prisma, questions.companyId, questions.tenant.users[0]?.id ?? '');
});
afterAll(() => questions.close());

describe('what was ordered, by item?', () => {
  const expected = () => questions.sql`
    SELECT item.name, count(*), sum(r.quantity * r.unit_price) AS value, sum(r.quantity)
      FROM purchase_order_lines r
      JOIN purchase_orders o ON o.company_id = r.company_id AND o.id = r.purchase_order_id
      LEFT JOIN inventory_items item ON item.company_id = r.company_id AND item.id = r.item_id
     WHERE ${company} AND o.status <> 'cancelled' GROUP BY 1 ORDER BY value DESC NULLS LAST, item.name NULLS LAST`;

  test('the value of the lines of orders', async () => {
    questions.expectGroups(
      await questions.groupsOf(
        'purchaseOrderLineItems(filter: { purchaseOrder: { status: { ne: CANCELLED } } })',
        'key { item { name } } count value { sum } quantity { sum }',
        'orderBy: [{ field: "value.sum", direction: DESC }]',
      ),
      ['key.item.name', 'count', 'value.sum', 'quantity.sum'],
      await expected(),
      5,
    );
  });

  test('in REST', async () => {
    const { rows } = await questions.client.get('/procurement/orders/line-items/aggregates', {
      filter: JSON.stringify({ purchase_order: { status: { ne: 'cancelled' } } }),
      group_by: 'item.name',
      measures: 'count,value.sum,quantity.sum',
      sort: '-value.sum',
    });
    questions.expectGroups(rows, ['key.item.name', 'count', 'value.sum', 'quantity.sum'], await expected(), 5);
  });

  test('by the month of the order, in the time zone of the company', async () => {
    questions.expectGroups(
      await questions.groupsOf(
        'requisitionLineItems',
        'key { requisition { createdAt { month } status } } count value { sum avg }',
      ),
      ['key.requisition.createdAt.month', 'key.requisition.status', 'count', 'value.sum', 'value.avg'],
      await questions.sql`
        SELECT date_trunc('month', o.created_at AT TIME ZONE 'Europe/Berlin')::date::text, upper(o.status::text), count(*),
               sum(r.quantity * r.unit_price), avg(r.quantity * r.unit_price)
          FROM requisition_lines r JOIN requisitions o ON o.company_id = r.company_id AND o.id = r.requisition_id
         WHERE ${company} GROUP BY 1, o.status ORDER BY 1, o.status`,
      3,
    );
  });

  test('what was received of each item', async () => {
    questions.expectGroups(
      await questions.groupsOf(
        'receivingRecordLineItems(filter: { receivingRecord: { status: { eq: PENDING } } })',
        'key { itemId } quantity { sum max }',
      ),
      ['key.itemId', 'quantity.sum', 'quantity.max'],
      await questions.sql`
        SELECT r.item_id::text, sum(r.quantity), max(r.quantity)
          FROM receiving_lines r WHERE ${company} GROUP BY r.item_id ORDER BY r.item_id`,
    );
  });

  test('the lines themselves are filtered, sorted and paged, and those of one order have its path', async () => {
    const { data, errors } = await questions.client.graphql<{ lines: { nodes: Row[]; totalCount: number } }>(`{
      lines: purchaseOrderLineItems(filter: { value: { gt: 500 } }, orderBy: [{ field: QUANTITY, direction: DESC }], first: 5) {
        totalCount nodes { id purchaseOrderId position quantity unitPrice purchaseOrder { number } item { name } }
      } }`);
    expect(errors).toEqual([]);
    const rows = await questions.sql`
      SELECT r.id::text, r.quantity FROM purchase_order_lines r
       WHERE ${company} AND r.quantity * r.unit_price > 500 ORDER BY r.quantity DESC, r.id`;
    expect(data.lines.totalCount).toBe(rows.length);
    expect(data.lines.nodes.map(({ id, quantity }) => [id, quantity])).toEqual(rows.slice(0, 5));
    const orderId = String(data.lines.nodes[0]?.['purchaseOrderId']);
    const order = await questions.client.get(`/procurement/orders/${orderId}`);
    const lines = await questions.client.get(`/procurement/orders/${orderId}/line-items`, {
      sort: 'position',
      order: 'asc',
    });
    const items = order.row['line_items'] as Row[];
    expect(lines.rows.map(({ item_id, quantity, unit_price }) => [item_id, quantity, unit_price])).toEqual(
      items.map(({ item_id, quantity, unit_price }) => [item_id, quantity, unit_price]),
    );
  });

  test('other scopes are refused, and items are unknown without theirs', async () => {
    const other = await questions.tenant.client(['vendors:read']);
    expect((await other.get('/procurement/orders/line-items')).status).toBe(403);
    const { errors } = await other.graphql('{ purchaseOrderLineItems { totalCount } }');
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['INSUFFICIENT_SCOPE']);
    const buyer = await questions.tenant.client(['procurement:read']);
    const byItem = '{ purchaseOrderLineItems { aggregates { key { item { name } } value { sum } } } }';
    expect((await buyer.graphql(byItem)).errors.map(({ extensions }) => extensions.code)).toEqual([
      'INSUFFICIENT_SCOPE',
    ]);
    const byId = '{ purchaseOrderLineItems { aggregates { key { itemId } value { sum } } } }';
    expect((await buyer.graphql(byId)).errors).toEqual([]);
  });
});

describe('what did AI cost?', () => {
  let people: Record<'admin' | 'executive' | 'member', Client>;
  const query =
    '{ list: aiUses { aggregates { key { user { fullName } occurredAt { month } } count costUsd { sum } inputTokens { sum } } } }';
  beforeAll(async () => {
    people = await signInAll(questions.service, questions.tenant);
  });

  test('by user and month, across the change of summer time', async () => {
    const expected = await questions.sql`
      SELECT u.full_name, date_trunc('month', r.occurred_at AT TIME ZONE 'Europe/Berlin')::date::text, count(*), sum(r.cost_usd) AS cost, sum(r.input_tokens) AS tokens
        FROM ai_usage_events r JOIN users u ON u.company_id = r.company_id AND u.id = r.user_id
       WHERE ${company} GROUP BY 1, 2 ORDER BY 1, 2`;
    for (const client of [people.admin, people.executive]) {
      const { data, errors } = await client.graphql<{ list: { aggregates: Row[] } }>(query);
      expect(errors).toEqual([]);
      const places = ['key.user.fullName', 'key.occurredAt.month', 'count', 'costUsd.sum', 'inputTokens.sum'];
      questions.expectGroups(data.list.aggregates, places, expected, 3);
    }
    const { rows } = await people.admin.get('/ai-usage/uses/aggregates', {
      group_by: 'feature',
      measures: 'cost_usd.sum',
    });
    questions.expectGroups(
      rows,
      ['key.feature', 'cost_usd.sum'],
      await questions.sql`SELECT r.feature, sum(r.cost_usd) FROM ai_usage_events r WHERE ${company} GROUP BY 1 ORDER BY 1`,
    );
  });

  test('members and tokens are refused, whatever their scopes', async () => {
    const token = await questions.tenant.client(['*']);
    for (const [client, code, status] of [
      [people.member, 'INSUFFICIENT_SCOPE', 403],
      [token, 'INVALID_TOKEN', 401],
    ] as const) {
      const { data, errors } = await client.graphql<{ list: null }>(query);
      expect([data, errors.map(({ extensions }) => extensions.code)]).toEqual([{ list: null }, [code]]);
      for (const path of ['/ai-usage/uses', '/ai-usage/uses/aggregates'])
        expect((await client.get(path)).status).toBe(status);
    }
  });
});
