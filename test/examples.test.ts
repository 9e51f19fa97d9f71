// The examples of the README and of GraphiQL, and the dashboard, on the demo company.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { scopes } from '../src/auth/scopes.ts';
import { createDemo } from '../src/seed/index.ts';
import { examplePath } from '../web/src/account/example.ts';
import { binDays, binSizeFor } from '../web/src/dashboard/bins.ts';
import { exampleTabs } from '../web/src/graphiql/examples.ts';
import { describeList } from '../web/src/lists/lists.ts';
import type { ListName } from '../web/src/lists/titles.ts';
import { date, day } from './resources/days.ts';
import { analytics } from './support/analytics.ts';
import { signInAll } from './support/browser.ts';
import { Client, type Row } from './support/client.ts';
import { at, fences, isValue } from './support/markdown.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService } from './support/service.ts';
import { Listening } from './support/subscription.ts';

let service: Service;
let token: string;
let client: Client;
beforeAll(async () => {
  service = await startService();
  ({ token } = await createDemo(service.database));
  client = new Client(service.origin, token);
});
afterAll(() => service.close());

/** Runs a block as a reader who pastes it, with a token of their own. */
async function paste(block: string): Promise<object> {
  const { stdout } = await promisify(execFile)('sh', ['-c', at(service.origin, block.replace('svc_live_…', token))], {
    env: { ...process.env, TOKEN: token },
  });
  return JSON.parse(stdout) as object;
}

test('the README shows requests that answer as it says', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  const blocks = fences(/^## Try it\n([^]*?)^## /m.exec(readme)?.[1] ?? '');
  expect(blocks.length).toBeGreaterThan(6);
  for (const [index, { language, content }] of blocks.entries()) {
    if (language !== 'sh') continue;
    const answer = await paste(content);
    const next = blocks[index + 1];
    // On a mismatch, toEqual shows the difference.
    if (next?.language !== 'json')
      expect(Object.keys(answer)).toEqual(['data', expect.stringMatching(/^(meta|extensions)$/)]);
    else if (!isValue(answer, JSON.parse(next.content))) expect(answer).toEqual(JSON.parse(next.content));
  }
});

test('the example of a new token uses a permission it has', async () => {
  const { client: clientWith } = await service.tenant();
  const { row } = await (await clientWith()).get('/meta');
  const groups = row['scope_groups'] as Parameters<typeof examplePath>[1];
  const paths = [];
  for (const scope of scopes) {
    const path = examplePath([scope], groups);
    expect([scope, (await (await clientWith([scope])).get(path)).status]).toEqual([scope, 200]);
    if (scope.endsWith(':read')) paths.push(path);
  }
  // A list of each group, and for *:read one of them.
  expect(new Set(paths).size).toBe(paths.length - 1);
  expect(paths).not.toContain('/token');
});

/** The example with an operation of this name. */
const example = (name: string) =>
  exampleTabs.find(({ query }) => query.includes(` ${name}`)) ?? { query: '', variables: '{}' };
const variablesOf = ({ variables }: { variables: string }) => JSON.parse(variables) as Row;

const operations = exampleTabs.filter(({ query }) => !query.includes('\nsubscription'));

test.each(operations.map((tab) => [/^(?:query|mutation) (\w+)/m.exec(tab.query)?.[1], tab] as const))(
  '%s runs without errors on the demo company',
  async (_name, tab) => {
    const variables = variablesOf(tab);
    // The user pastes this id.
    if (variables['id'] === '')
      variables['id'] = (await client.get('/service-requests', { status: 'pending', limit: 1 })).rows[0]?.['id'];
    const { status, data, errors } = await client.graphql(tab.query, variables);
    expect({ status, errors }).toEqual({ status: 200, errors: [] });
    expect(Object.values(data)).not.toContain(null);
  },
);

test('requests are followed as they change', async () => {
  await waitForOlderTransactions(service.database);
  const listening = await Listening.open(client, example('FollowRequests').query);
  await client.post('/service-requests', { title: 'The lobby light flickers' });
  await listening.received(1);
  listening.close();
  expect(listening.payloads[0]?.errors).toBeUndefined();
  expect(listening.events).toMatchObject([
    { change: { action: 'CREATE' }, row: { title: 'The lobby light flickers' } },
  ]);
});

test('low stock comes with its purchase orders', async () => {
  const { data } = await client.graphql<{
    inventoryItems: {
      nodes: { name: string; quantity: number; reorderPoint: number; purchaseOrders: { nodes: Row[] } }[];
    };
  }>(example('LowStock').query);
  const { nodes } = data.inventoryItems;
  expect(nodes.every(({ quantity, reorderPoint }) => quantity < reorderPoint)).toBe(true);
  const gloves = nodes.find(({ name }) => name === 'Nitrile gloves, M');
  expect(gloves?.purchaseOrders.nodes[0]).toMatchObject({
    number: 'PO-000012',
    status: 'SENT',
    vendor: { companyName: 'Harrow Laboratory Supply' },
  });
});

test('assets come with their overdue maintenance', async () => {
  const tab = example('OverdueMaintenance');
  const { data } = await client.graphql<{
    assets: { nodes: { assetName: string; building: Row; maintenance: { nodes: Row[] } }[] };
  }>(tab.query, variablesOf(tab));
  const late = data.assets.nodes;
  expect(late.every(({ maintenance }) => maintenance.nodes.length > 0)).toBe(true);
  expect(late.map(({ assetName }) => assetName)).toEqual(['Cooling unit 2', 'Fume hood 2']);
});

interface Group {
  readonly key: Row;
  readonly count: number;
  readonly amount?: { readonly sum: number };
}
/** Lists, each with groups under several names. */
type Groups = Record<string, Record<string, readonly Group[]>>;
type Sums = Record<string, { readonly aggregates: readonly Record<string, { readonly sum: number }>[] }>;

test('request aggregates add up to the number of requests', async () => {
  const { data } = await client.graphql<Groups>(example('WhereTheWorkIs').query);
  const count = (list: string, name: string) => data[list]?.[name]?.reduce((all, { count }) => all + count, 0);
  const total = async (query: Row) => (await client.get('/service-requests', { limit: 1, ...query })).meta.total;
  expect(count('serviceRequests', 'byStatus')).toBe(await total({}));
  expect(count('serviceRequests', 'byMonth')).toBe(await total({}));
  expect(count('open', 'byBuilding')).toBe(await total({ status: 'pending,in-progress' }));
});

test('spending adds up to the invoices', async () => {
  const tab = example('Spend');
  const { data } = await client.graphql<Groups>(tab.query, variablesOf(tab));
  const cents = (groups: readonly Group[] = []) =>
    groups.reduce((all, { amount }) => all + Math.round((amount?.sum ?? 0) * 100), 0);
  const { rows, meta } = await client.get('/procurement/invoices', { status: 'pending,approved,paid', limit: 100 });
  expect(meta.pagination.has_more).toBe(false);
  const spent = rows.reduce((all, { amount }) => all + Math.round(Number(amount) * 100), 0);
  expect(spent).toBeGreaterThan(0);
  const { byVendor, byMonthAndVendor } = data['invoices'] ?? {};
  expect([cents(byVendor), cents(byMonthAndVendor)]).toEqual([spent, spent]);
  expect(byVendor?.every(({ key }) => key['vendor'])).toBe(true);
});

test('both modes of analytics agree on the demo company and its sandbox', async () => {
  const { prisma } = service.database;
  const company = await prisma.company.findUniqueOrThrow({
    where: { slug: 'demo' },
    include: { sandbox: true, users: { orderBy: { id: 'asc' } } },
  });
  // The demo has given its first user a password already.
  const { member } = await signInAll(service, { ...(await service.tenant()), users: company.users.slice(1, 4) });
  for (const companyId of [company.sandbox?.id, company.id]) {
    expect((await member.at('').patch('/auth/session', { company_id: companyId })).status).toBe(200);
    const row = await analytics(member, { startDate: day(-200) });
    const total = await prisma.serviceRequest.count({ where: { companyId, createdAt: { gte: date(day(-200)) } } });
    expect(row['service_requests']).toMatchObject({ total });
    expect(total).toBeGreaterThan(5);
  }

  // The dashboard links each figure to a list, which finds what the figure counts.
  const figures = (await analytics(member, { startDate: day(-200) })) as Record<string, Record<string, number>>;
  const queryOf = (name: ListName) => describeList(name, { start: day(-200), end: day(0) }, 'UTC', new Date()).query;
  type Nodes = { totalCount: number; nodes: Record<string, Nodes & number>[] };
  const run = async (name: ListName) => {
    const { data, errors } = await member.graphql<Record<string, Nodes>>(queryOf(name));
    expect(errors).toEqual([]);
    return Object.values(data).at(-1) ?? { totalCount: NaN, nodes: [] };
  };
  const stockValue = await member.graphql<Sums>(queryOf('stock-value'));
  const openRequisitions = await member.graphql<Sums>(queryOf('open-requisitions'));
  const leasePayments = await member.graphql<Sums>(queryOf('lease-payments'));
  expect({
    service: (await run('service-requests')).totalCount,
    move: (await run('move-requests')).totalCount,
    lowStock: (await run('low-stock')).totalCount,
    stockValue: stockValue.data['inventoryItems']?.aggregates[0]?.['stockValue']?.sum,
    expiring: (await run('expiring-leases')).totalCount,
    due: leasePayments.data['leasePayments']?.aggregates[0]?.['amount']?.sum,
    overdue: (await run('overdue-maintenance')).totalCount,
    open: (await run('open-requisitions')).totalCount,
    openAmount: openRequisitions.data['requisitions']?.aggregates[0]?.['totalAmount']?.sum,
    packages: (await run('expected-packages')).totalCount,
    reminders: (await run('reminders-due')).totalCount,
  }).toEqual({
    service: figures['service_requests']?.['total'],
    move: figures['move_requests']?.['total'],
    lowStock: figures['inventory']?.['low_stock'],
    stockValue: expect.closeTo(Number(figures['inventory']?.['stock_value']), 2),
    expiring: figures['leases']?.['expiring_in_90_days'],
    due: expect.closeTo(Number(figures['leases']?.['due_this_month']), 2),
    overdue: figures['assets']?.['overdue_maintenance'],
    open: figures['procurement']?.['open_requisitions'],
    openAmount: figures['procurement']?.['open_amount'],
    packages: figures['packages']?.['expected'],
    reminders: figures['reminders']?.['due'],
  });
});

test('a long range is shown in weeks and months, with the same sum', () => {
  const days = Array.from({ length: 731 }, (_, n) => ({ date: day(n - 800), count: n % 7 }));
  expect([31, 92, 93, 731, 732].map(binSizeFor)).toEqual(['day', 'day', 'week', 'week', 'month']);
  const sum = (counts: { count: number }[]) => counts.reduce((all, { count }) => all + count, 0);
  for (const [size, most] of [
    ['day', 731],
    ['week', 106],
    ['month', 25],
  ] as const) {
    const bins = binDays(days, size);
    expect(sum(bins)).toBe(sum(days));
    expect(bins.length).toBeLessThanOrEqual(most);
  }
  expect(
    binDays(
      [
        { date: '2026-01-04', count: 1 },
        { date: '2026-01-05', count: 2 },
        { date: '2026-02-01', count: 3 },
      ],
      'week',
    ),
  ).toEqual([
    { date: '2026-01-04', count: 1 }, // a Sunday
    { date: '2026-01-05', count: 2 },
    { date: '2026-02-01', count: 3 },
  ]);
});
