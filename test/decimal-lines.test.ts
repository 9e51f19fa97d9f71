// Digits that a double does not hold, in lines of orders and what is summed from rows. Responses are compared as text,
// as JSON.parse makes doubles of them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { signInAll } from './support/browser.ts';
import type { Client, Row } from './support/client.ts';
import { askText, member, post, withDigits } from './support/decimals.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

/** Money that doubles print as `…0002`, and the largest that its columns hold. */
const [digits, most] = ['549755813888.0003', '999999999999.9999'];
/** The neighbor of the first that has the same double. */
const neighbor = '549755813888.0002';
/** Another one that doubles print as `…0002`. */
const later = '549755813889.0003';
/** The sum of the first two. */
const sum = '1549755813888.0002';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const ask = (query: string, variables?: Row) => askText(client, query, variables);

/** Creates a row. */
async function create(path: string, body: Row): Promise<{ text: string; id: string }> {
  const { text, row } = await post(client, path, body);
  return { text, id: String(row['id']) };
}

describe.each([
  ['requisitions', 'requisition', 'Requisition'],
  ['orders', 'purchaseOrder', 'PurchaseOrder'],
])('lines of %s', (rest, one, type) => {
  const path = `/procurement/${rest}`;
  const line = (price: string) => ({ description: 'Boiler', quantity: '#1', unit_price: `#${price}` });
  const more = type === 'Requisition' ? { title: 'Boilers' } : {};

  test.each([digits, most])('keep %s, and so do totals', async (price) => {
    const { text, id } = await create(path, { ...more, line_items: [line(price), line('0')] });
    const shown = [text, (await client.get(`${path}/${id}`)).text, (await client.get(path, { id })).text];
    for (const each of shown) {
      expect(each).toMatch(member('unit_price', price));
      expect(each).toMatch(member('total_amount', price));
    }
    for (const field of ['totalAmount', 'totalAmount @include(if: true)']) {
      const fields = `{ ${field} lineItems { unitPrice quantity } }`;
      for (const query of [
        `${one}(id: "${id}") ${fields}`,
        `${one}s(filter: { id: { eq: "${id}" } }) { nodes ${fields} }`,
      ]) {
        const asked = await ask(`{ ${query} }`);
        expect(asked).toMatch(member('unitPrice', price));
        expect(asked).toMatch(member('totalAmount', price));
      }
    }
  });

  test('are written by GraphQL, as literals and variables', async () => {
    const input = (price: string) =>
      `${more.title ? `title: "${more.title}", ` : ''}lineItems: [{ quantity: 1, unitPrice: ${price} }]`;
    const fields = '{ id totalAmount lineItems { unitPrice } }';
    const literal = await ask(`mutation { create${type}(input: { ${input(digits)} }) ${fields} }`);
    const variable = await ask(`mutation ($price: Float) { create${type}(input: { ${input('$price')} }) ${fields} }`, {
      price: `#${digits}`,
    });
    const whole = await ask(`mutation ($input: Create${type}Input!) { create${type}(input: $input) ${fields} }`, {
      input: { ...more, lineItems: [{ quantity: 1, unitPrice: `#${digits}` }] },
    });
    for (const text of [literal, variable, whole]) {
      expect(text).toMatch(member('unitPrice', digits));
      expect(text).toMatch(member('totalAmount', digits));
    }
    const id = /"id":"([^"]+)"/.exec(literal)?.[1] ?? '';
    const lines = { lineItems: [{ quantity: 1, unitPrice: `#${later}` }], totalAmount: null };
    const changed = await ask(
      `mutation ($input: Update${type}Input!) { update${type}(id: "${id}", input: $input) ${fields} }`,
      { input: lines },
    );
    expect(changed).toMatch(member('totalAmount', later));
  });

  test('are multiplied exactly, and totals compared exactly', async () => {
    // 549755.8138880003 is too long for a price, so the quantity has the digits.
    const lines = [{ quantity: '#1000000.0001', unit_price: '#549755.8139' }];
    const { text } = await create(path, { ...more, line_items: lines });
    // 549755813900.0000 + 54.97558139, rounded.
    expect(text).toMatch(member('total_amount', '549755813954.9756'));
    const wrong = await client.post(
      path,
      withDigits({ ...more, line_items: [line(digits)], total_amount: `#${neighbor}` }),
    );
    expect([wrong.status, wrong.details]).toEqual([
      422,
      { total_amount: `differs from the sum of the lines, ${digits}` },
    ]);
    const tooLarge = await client.post(path, withDigits({ ...more, line_items: [line(most), line('0.0001')] }));
    expect([tooLarge.status, tooLarge.details]).toEqual([
      422,
      { total_amount: expect.stringContaining('1000000000000') },
    ]);
    const wrongLine = await client.post(path, withDigits({ ...more, line_items: [line('1e-400'), line('1e12')] }));
    expect([wrongLine.status, wrongLine.details]).toEqual([
      422,
      {
        'line_items.0.unit_price': 'must have at most 4 decimal places',
        'line_items.1.unit_price': 'must be less than 1000000000000',
      },
    ]);
  });
});

test('the accounting of a lease is exact', async () => {
  const { id } = await create('/leases', { name: 'Tower', lease_type: 'property', start_date: '2026-01-01' });
  for (const [status, amount] of [
    ['pending', digits],
    ['pending', most],
    ['paid', most],
    ['paid', digits],
  ])
    await create(`/leases/${id}/payments`, { due_date: '2026-02-01', status, amount: `#${amount}` });
  const { text } = await client.get(`/leases/${id}/accounting`);
  for (const name of ['total_paid', 'total_due', 'remaining_balance']) expect(text).toMatch(member(name, sum));
  expect(text).toMatch(member('next_payment_amount', digits));
  const fields = 'totalPaid totalDue remainingBalance nextPaymentAmount';
  for (const query of [
    `leaseAccounting(leaseId: "${id}") { ${fields} }`,
    `lease(id: "${id}") { accounting { ${fields} } }`,
    `leases(filter: { id: { eq: "${id}" } }) { nodes { accounting { ${fields} } } }`,
    `leases(filter: { id: { eq: "${id}" } }) { nodes { payments { aggregates { amount { totalPaid: sum } } } } }`,
  ])
    expect(await ask(`{ ${query} }`)).toMatch(
      new RegExp(`"totalPaid":(3099511627776\\.0004|${sum.replace('.', '\\.')})[,}]`),
    );
});

test('a batch keeps digits, and names the field of wrong ones', async () => {
  const { text } = await client.post(
    '/inventory/batch',
    withDigits({
      items: [
        { name: 'Boiler', unit_cost: `#${digits}` },
        { name: 'Crane', unit_cost: `#${most}` },
      ],
    }),
  );
  expect(text).toMatch(member('unit_cost', digits));
  expect(text).toMatch(member('unit_cost', most));
  const wrong = await client.post(
    '/inventory/batch',
    withDigits({
      items: [
        { name: 'Boiler', unit_cost: '#1' },
        { name: 'Crane', unit_cost: '#1e-400' },
      ],
    }),
  );
  expect([wrong.status, wrong.details]).toEqual([422, { 'items.1.unit_cost': 'must have at most 4 decimal places' }]);
});

test('AI usage has counts of tokens that a double does not hold', async () => {
  const { admin } = await signInAll(service, tenant);
  // Four million and more uses of the most tokens would be too many to record here, so a summary has them.
  await service.database.prisma.aiUsageMonth.create({
    data: {
      companyId: tenant.company.id,
      month: new Date('2026-03-01'),
      feature: 'triage',
      requests: 4_194_307,
      inputTokens: 2n ** 53n + 1n,
      outputTokens: 2n ** 63n - 1n,
      costUsd: '99999999999999999999.0000000001',
    },
  });
  const { text } = await admin.get('/ai-usage', { start: '2026-03-01', end: '2026-04-01' });
  expect(text).toContain(
    '"input_tokens":9007199254740993,"output_tokens":9223372036854775807,"total_tokens":9232379236109516800,' +
      '"cost_usd":99999999999999999999.0000000001',
  );
});
