// Sums, averages, extremes and percentiles of random decimals, compared with the same in whole numbers.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { divide, parseUnits, printUnits, randomUnits } from './support/big-decimals.ts';
import type { Client } from './support/client.ts';
import { decimalsOf, limitOf, withDigits } from './support/decimals.ts';
import { Random } from './support/random.ts';
import { collectionsWith } from './support/resources.ts';
import { fill, Rows } from './support/rows.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  client = rows.client;
});
afterAll(() => service.close());

/** The digits of the numbers in an answer without errors, by their names. */
async function measure(query: string): Promise<Record<string, string>> {
  const { text } = await client.at('').post('/graphql', { query });
  expect({ query, text }).toEqual({ query, text: expect.not.stringContaining('"errors"') });
  // What it cost is in `extensions`.
  const data = text.slice(0, text.indexOf('"extensions"'));
  return Object.fromEntries([...data.matchAll(/"(\w+)":(-?[\d.]+)/g)].map(([, name, digits]) => [name, digits]));
}

/** The percentile at `tenths` of sorted units, in units of one more place. */
function percentileOf(sorted: readonly bigint[], tenths: number): bigint {
  const place = tenths * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place / 10)] ?? 0n, sorted[Math.ceil(place / 10)] ?? 0n];
  return below * 10n + (above - below) * BigInt(place % 10);
}

const sumOf = (all: readonly bigint[]) => all.reduce((sum, each) => sum + each, 0n);

const sort = (all: readonly bigint[]) => all.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));

const columns = collectionsWith('create').flatMap(([path, collection]) =>
  decimalsOf(collection).map((field) => [path, field.rest, collection, field] as const),
);

test.each(columns)('%s: %s is measured exactly', async (_path, rest, collection, field) => {
  const { name, facts: { scale = 0 } = {} } = field;
  const limit = BigInt(limitOf(field)) * 10n ** BigInt(scale);
  const isSigned = /itude$/.test(name);
  const random = new Random(rest.length);
  const [create, list] = [collection.on.create?.operation.field ?? '', collection.on.list?.operation.field ?? ''];
  // A row has parents of its own, so only these rows are in the list below them.
  const path = fill(collection.path, await rows.parents(collection.path));
  const given: bigint[] = [];
  const ids: string[] = [];
  for (let n = 0; n < 17; n++) {
    // Some rules exclude zero.
    const units = randomUnits(random, limit - 1n) + 1n;
    given.push(isSigned && random.chance(0.5) ? -units : units);
    const reply = await client.post(
      path,
      withDigits({ ...(await rows.body(create)), [rest]: `#${printUnits(given.at(-1) ?? 0n, scale)}` }),
    );
    expect([printUnits(given.at(-1) ?? 0n, scale), reply.status, reply.text]).toMatchObject([
      expect.anything(),
      201,
      {},
    ]);
    ids.push(String(reply.row['id']));
  }
  const sorted = sort(given);
  const found = await measure(
    `{ ${list}(filter: { id: { in: ${JSON.stringify(ids)} } }) { aggregates { ${name} {
      sum min max avg median: percentile(p: 0.5) high: percentile(p: 0.9) least: percentile(p: 0)
    } } } }`,
  );
  const { avg = '', ...others } = found;
  expect(others).toEqual({
    sum: printUnits(sumOf(given), scale),
    min: printUnits(sorted[0] ?? 0n, scale),
    max: printUnits(sorted.at(-1) ?? 0n, scale),
    least: printUnits(sorted[0] ?? 0n, scale),
    median: printUnits(percentileOf(sorted, 5), scale + 1),
    high: printUnits(percentileOf(sorted, 9), scale + 1),
  });
  // It is rounded, at a place after those of the column.
  const places = Math.max(parseUnits(avg).scale, scale);
  const expected = divide(sumOf(given) * 10n ** BigInt(places - scale), BigInt(given.length));
  expect(avg).toBe(printUnits(expected, places));
});

const lines = [1, 2, 3, 4, 5];

test.each(lines)('orders are totalled exactly (%i)', async (seed) => {
  const random = new Random(seed);
  for (let n = 0; n < 8; n++) {
    // Of quantities and prices with four places, products have eight.
    const items = Array.from({ length: 1 + random.integer(6) }, () => {
      const quantity = 1n + randomUnits(random, 10n ** BigInt(4 + random.integer(6)));
      const most = 10n ** 20n / 7n / (quantity + 1n);
      return { quantity, price: randomUnits(random, most < 10n ** 16n ? most + 1n : 10n ** 16n) };
    });
    const line_items = items.map(({ quantity, price }) => ({
      quantity: `#${printUnits(quantity, 4)}`,
      unit_price: `#${printUnits(price, 4)}`,
    }));
    const total = printUnits(divide(sumOf(items.map(({ quantity, price }) => quantity * price)), 10n ** 4n), 4);
    const reply = await client.post('/procurement/orders', withDigits({ line_items }));
    expect(reply.text).toContain(`"total_amount":${total},`);
    for (const { price } of items) expect(reply.text).toContain(`"unit_price":${printUnits(price, 4)},`);
  }
});

test('products are summed exactly', async () => {
  const random = new Random(7);
  const items = Array.from({ length: 40 }, () => {
    return { quantity: random.integer(2 ** 31), cost: randomUnits(random, 10n ** 16n) };
  });
  const bodies = items.map(({ quantity, cost }, n) => {
    return { name: `Item ${n}`, category: 'Valued', quantity, unit_cost: `#${printUnits(cost, 4)}` };
  });
  await client.post('/inventory/batch', withDigits({ items: bodies }));
  const values = sort(items.map(({ quantity, cost }) => BigInt(quantity) * cost));
  const list = 'inventoryItems(filter: { category: { eq: "Valued" } })';
  const found = await measure(`{ ${list} { aggregates { stockValue { sum min max median: percentile(p: 0.5) } } } }`);
  expect(found).toEqual({
    sum: printUnits(sumOf(values), 4),
    min: printUnits(values[0] ?? 0n, 4),
    max: printUnits(values.at(-1) ?? 0n, 4),
    median: printUnits(percentileOf(values, 5), 5),
  });
  const quantities = await measure(`{ ${list} { aggregates { quantity { sum } } } }`);
  expect(quantities).toEqual({ sum: String(sumOf(items.map(({ quantity }) => BigInt(quantity)))) });
});

test('lists of rows are measured exactly', async () => {
  const random = new Random(11);
  const expected: Record<string, string>[] = [];
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    const vendor = await client.post('/vendors', { company_name: `Vendor ${n}` });
    ids.push(String(vendor.row['id']));
    const amounts = Array.from({ length: 1 + random.integer(6) }, () => randomUnits(random, 10n ** 16n));
    for (const amount of amounts)
      await client.post(`/vendors/${ids[n]}/invoices`, withDigits({ amount: `#${printUnits(amount, 4)}` }));
    const sorted = sort(amounts);
    expected.push({
      sum: printUnits(sumOf(sorted), 4),
      max: printUnits(sorted.at(-1) ?? 0n, 4),
      median: printUnits(percentileOf(sorted, 5), 5),
    });
  }
  const { text } = await client.at('').post('/graphql', {
    query: `{ vendors(filter: { id: { in: ${JSON.stringify(ids)} } }, orderBy: [{ field: COMPANY_NAME, direction: ASC }]) { nodes { invoices {
      aggregates { amount { sum max median: percentile(p: 0.5) } } } } } }`,
  });
  const found = [...text.matchAll(/"sum":([\d.]+),"max":([\d.]+),"median":([\d.]+)/g)];
  expect(found.map(([, sum, max, median]) => ({ sum, max, median }))).toEqual(expected);
});

test('the share of a percentile has all of its digits', async () => {
  const vendor = await client.post('/vendors', { company_name: 'Shares' });
  const id = String(vendor.row['id']);
  for (const amount of ['0', '999999999999.9999'])
    await client.post(`/vendors/${id}/invoices`, withDigits({ amount: `#${amount}` }));
  const list = `invoices(filter: { vendorId: { eq: "${id}" } })`;
  const percentile = (p: string) => `{ ${list} { aggregates { amount { percentile(p: ${p}) } } } }`;
  expect(await measure(percentile('0.33333333333333333333'))).toEqual({
    percentile: '333333333333.333299996666666666666667',
  });
  for (const p of ['1.00000000000000000001', '-0.00000000000000000001']) {
    const { errors } = await client.graphql(percentile(p));
    expect([p, errors[0]?.message]).toEqual([p, expect.stringContaining('between 0 and 1')]);
  }
});
