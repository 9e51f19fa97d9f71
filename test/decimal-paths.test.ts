// Digits that a double does not hold pass every way in and out. Responses are compared as text, as JSON.parse makes
// doubles of them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { path as dashboard } from './support/analytics.ts';
import { signInAll } from './support/browser.ts';
import { ChangeStream } from './support/change-stream.ts';
import type { Client, Row } from './support/client.ts';
import { askText, member, post, withDigits } from './support/decimals.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';
import { listeners } from './support/subscription.ts';
import { unzip } from './support/unzip.ts';
import { verify, WebhookService } from './support/webhooks.ts';

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
let people: Awaited<ReturnType<typeof signInAll>>;
const { listen, closeAll } = listeners(() => service);
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  people = await signInAll(service, tenant);
});
afterAll(async () => {
  closeAll();
  await service.close();
});

/** The text of a response of GraphQL. */
const ask = (query: string) => askText(client, query);

/** Creates a row. */
async function create(
  path: string,
  body: Row,
  headers?: Record<string, string>,
): Promise<{ text: string; id: string }> {
  const { text, row } = await post(client, path, body, headers);
  return { text, id: String(row['id']) };
}

test('a double does not hold these digits', () => {
  expect([Number(digits).toFixed(4), Number(digits)]).toEqual([neighbor, Number(neighbor)]);
});

test('the log shows digits in each of its forms', async () => {
  const stream = await ChangeStream.open(client);
  const { id } = await create('/assets', { asset_name: 'Turbine', purchase_price: `#${digits}` });
  const listening = await listen(client, 'subscription { assets { change { position } row { purchasePrice } } }');
  await client.patch(`/assets/${id}`, withDigits({ purchase_price: `#${later}` }));
  await listening.received(1);
  expect(listening.text).toMatch(member('purchasePrice', later));
  await waitForOlderTransactions(service.database);
  const feed = (await client.get('/changes', { resource: 'assets' })).text;
  const history = (await client.get(`/assets/${id}/history`)).text;
  const image = 'before after fields';
  const inGraphql = [
    await ask(`{ changes(resource: [ASSETS]) { changes { ${image} } } }`),
    await ask(`{ asset(id: "${id}") { history { nodes { ${image} } } } }`),
  ];
  for (const text of [feed, history]) {
    expect(text).toMatch(member('purchase_price', digits));
    expect(text).toMatch(member('purchase_price', later));
    expect(text).toContain('"fields":["purchase_price"]');
  }
  for (const text of inGraphql) {
    expect(text).toMatch(member('purchasePrice', digits));
    expect(text).toMatch(member('purchasePrice', later));
  }
  await stream.received(2);
  stream.close();
  expect(stream.text).toMatch(member('purchase_price', digits));
  const snapshot = (await client.get('/snapshot', { resource: 'assets' })).text;
  expect(snapshot).toMatch(member('purchase_price', later));
  // In GraphQL it comes in parts, of which the first ones may be empty.
  let parts = '';
  for (let next: string | undefined = ''; next !== undefined; next = /"next":"([^"]+)"/.exec(parts.slice(-500))?.[1])
    parts += await ask(`{ snapshot(resource: [ASSETS]${next && `, after: "${next}"`}) { next rows { after } } }`);
  expect(parts).toMatch(member('purchasePrice', later));
});

test('an export has digits', async () => {
  await create('/leases', { name: 'Export', monthly_payment: `#${digits}` });
  const headers = {
    cookie: [...people.admin.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'sec-fetch-site': 'same-origin',
  };
  const response = await fetch(`${service.origin}/auth/company/export`, { method: 'POST', headers });
  const files = await unzip(Buffer.from(await response.arrayBuffer()));
  for (const name of ['leases.ndjson', 'changes.ndjson'])
    expect([name, files[name]]).toEqual([name, expect.stringMatching(member('monthly_payment', digits))]);
});

test.each(['rpc', 'batch'])("the dashboard's amounts are exact by %s", async (mode) => {
  const company = await service.tenant();
  const [own, { admin }] = [await company.client(), await signInAll(service, company)];
  const today = new Date().toISOString().slice(0, 10);
  const post = (path: string, body: Row) => own.post(path, withDigits(body));
  for (const amount of [digits, most]) {
    await post('/inventory', { name: amount, quantity: 1, unit_cost: `#${amount}` });
    await post('/procurement/requisitions', { title: amount, total_amount: `#${amount}` });
    const { row } = await post('/leases', { name: amount });
    await post(`/leases/${String(row['id'])}/payments`, { due_date: today, amount: `#${amount}`, status: 'pending' });
  }
  const { text } = await admin.get(dashboard, { mode });
  for (const name of ['stock_value', 'open_amount', 'due_this_month']) expect(text).toMatch(member(name, sum));
});

test('lists filter, sort and page by digits', async () => {
  const company = await service.tenant();
  const own = await company.client();
  const amounts = [neighbor, digits, '549755813888.0004', most];
  for (const amount of amounts)
    await own.post('/assets', withDigits({ asset_name: amount, purchase_price: `#${amount}` }));
  const found = async (query: Row) => (await own.get('/assets', query)).rows.map((row) => row['asset_name']);
  const json = (condition: Row) => ({
    sort: 'purchase_price',
    order: 'asc',
    filter: withDigits({ purchase_price: condition }),
  });
  const sorted = { sort: 'purchase_price', order: 'asc' };
  expect(await found({ ...sorted, purchase_price: `${digits},${most}` })).toEqual([digits, most]);
  expect(await found({ ...sorted, 'purchase_price[gt]': digits })).toEqual(amounts.slice(2));
  expect(await found({ ...sorted, 'purchase_price[lte]': digits })).toEqual(amounts.slice(0, 2));
  expect(await found(json({ eq: `#${digits}` }))).toEqual([digits]);
  expect(await found(json({ in: [`#${digits}`, `#${neighbor}`] }))).toEqual([neighbor, digits]);
  expect(await found(json({ gt: '#1e-400', lt: '#1e300' }))).toEqual(amounts);
  for (const order of ['asc', 'desc']) {
    const names: unknown[] = [];
    let cursor: string | null | undefined;
    do {
      const { rows, meta } = await own.get('/assets', {
        sort: 'purchase_price',
        order,
        limit: 1,
        ...(cursor && { cursor }),
      });
      names.push(...rows.map((row) => row['asset_name']));
      cursor = meta.pagination.next_cursor;
    } while (cursor);
    expect(names).toEqual(order === 'asc' ? amounts : amounts.toReversed());
  }
  const csv = await own.get('/assets', sorted, { accept: 'text/csv' });
  for (const amount of amounts) expect(csv.text).toContain(`,${amount},`);
  const inGraphql = await own
    .at('')
    .post('/graphql', { query: '{ assets { nodes { purchasePrice } } }' }, { accept: 'text/csv' });
  for (const amount of amounts) expect(inGraphql.text).toMatch(new RegExp(`^${amount.replace('.', '\\.')}\r$`, 'm'));
});

test('ETags and repeated requests tell neighbors apart', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const first = await create('/assets', { asset_name: 'Dam', purchase_price: `#${digits}` }, key);
  const again = await create('/assets', { asset_name: 'Dam', purchase_price: `#${digits}0` }, key);
  expect(again.text).toBe(first.text);
  expect(again.text).toMatch(member('purchase_price', digits));
  const other = await client.post('/assets', withDigits({ asset_name: 'Dam', purchase_price: `#${neighbor}` }), key);
  expect([other.status, other.details]).toEqual([422, { 'Idempotency-Key': 'was used for another request' }]);
  const path = `/assets/${first.id}`;
  const etag = (await client.get(path)).headers.get('etag') ?? '';
  const changed = await client.patch(path, withDigits({ purchase_price: `#${neighbor}` }), { 'if-match': etag });
  expect([changed.status, changed.text]).toEqual([200, expect.stringMatching(member('purchase_price', neighbor))]);
  expect(changed.headers.get('etag')).not.toBe(etag);
  const late = await client.patch(path, withDigits({ purchase_price: `#${most}` }), { 'if-match': etag });
  expect(late.status).toBe(412);
});

test('bounds are compared exactly', async () => {
  const post = (body: Row) => client.post('/time-clock/locations', withDigits({ name: 'Pole', ...body }));
  for (const [name, most] of [
    ['latitude', 90],
    ['longitude', 180],
  ] as const)
    for (const sign of ['', '-']) {
      const over = await post({ [name]: `#${sign}${most}.00000000000001` });
      expect([name, sign, over.status, over.details]).toEqual([
        name,
        sign,
        422,
        { [name]: `must be between -${most} and ${most}` },
      ]);
      const within = await post({ [name]: `#${sign}${most}.00000000000000` });
      expect(within.status).toBe(201);
    }
});

test('numbers that are no numbers of a body are 400', async () => {
  for (const number of ['.5', '1.', '01', '+1', '1e', 'Infinity', 'NaN', '0x10'])
    expect([
      number,
      (await client.post('/assets', `{"asset_name": "Dam", "purchase_price": ${number}}`)).status,
    ]).toEqual([number, 400]);
});

test('webhooks send and filter by digits', async () => {
  const hooks = await WebhookService.start();
  try {
    const filter = `{ unitCost: { gt: ${neighbor}, in: [${digits}] } }`;
    const { secret } = await hooks.create(hooks.people.admin, { resources: ['INVENTORY_ITEMS'], filter });
    await hooks.create(hooks.people.admin, { resources: ['INVENTORY_ITEMS'], filter, selection: '{ unitCost sku }' });
    for (const amount of [neighbor, digits])
      await hooks.client.post('/inventory', withDigits({ name: amount, unit_cost: `#${amount}` }));
    await hooks.deliverAll();
    expect(hooks.receiver.received).toHaveLength(2);
    for (const received of hooks.receiver.received)
      expect(received.body).toMatch(/"unit_?[cC]ost":549755813888\.0003[,}]/);
    expect(
      hooks.receiver.received.some((received) => {
        try {
          return Boolean(verify(secret, received));
        } catch {
          return false;
        }
      }),
    ).toBe(true);
  } finally {
    await hooks.close();
  }
});
