// The examples of the README and of GraphiQL, and the dashboard, on the demo company.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { exampleTabs } from '../src/graphql/examples.ts';
import { createDemo } from '../src/seed/index.ts';
import { date, day } from './resources/days.ts';
import { analytics } from './support/analytics.ts';
import { signInAll } from './support/browser.ts';
import { Client, type Row } from './support/client.ts';
import { at, fences, isValue } from './support/markdown.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
let token: string;
let client: Client;
beforeAll(async () => {
  service = await startService();
  ({ token } = await createDemo(service.database.prisma));
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

/** The example with an operation of this name. */
const example = (name: string) =>
  exampleTabs.find(({ query }) => query.includes(` ${name}`)) ?? { query: '', variables: '{}' };
const variablesOf = ({ variables }: { variables: string }) => JSON.parse(variables) as Row;

test.each(exampleTabs.map((tab) => [/^(?:query|mutation) (\w+)/m.exec(tab.query)?.[1], tab] as const))(
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
    buildings: { nodes: { assets: { nodes: { assetName: string; maintenance: { nodes: Row[] } }[] } }[] };
  }>(tab.query, variablesOf(tab));
  const late = data.buildings.nodes
    .flatMap(({ assets }) => assets.nodes)
    .filter(({ maintenance }) => maintenance.nodes.length > 0);
  expect(late.map(({ assetName }) => assetName)).toEqual(['Cooling unit 2', 'Fume hood 2']);
});

type Groups = Record<string, { key: Row; count: number; sum: Record<string, number> }[]>;

test('request aggregates add up to the number of requests', async () => {
  const { data } = await client.graphql<Groups>(example('WhereTheWorkIs').query);
  const count = (name: string) => data[name]?.reduce((all, { count }) => all + count, 0);
  const total = async (query: Row) => (await client.get('/service-requests', { limit: 1, ...query })).meta.total;
  expect(count('byStatus')).toBe(await total({}));
  expect(count('byMonth')).toBe(await total({}));
  expect(count('openByBuilding')).toBe(await total({ status: 'pending,in-progress' }));
});

test('spending adds up to the invoices', async () => {
  const tab = example('Spend');
  const { data } = await client.graphql<Groups>(tab.query, variablesOf(tab));
  const cents = (name: string) => data[name]?.reduce((all, { sum }) => all + Math.round((sum['amount'] ?? 0) * 100), 0);
  const { rows, meta } = await client.get('/procurement/invoices', { status: 'pending,approved,paid', limit: 100 });
  expect(meta.pagination.has_more).toBe(false);
  const spent = rows.reduce((all, { amount }) => all + Math.round(Number(amount) * 100), 0);
  expect(spent).toBeGreaterThan(0);
  expect([cents('byVendor'), cents('byVendorAndMonth')]).toEqual([spent, spent]);
  expect(data['byVendor']?.every(({ key }) => key['vendor'])).toBe(true);
});

test('both modes of analytics agree on the demo company and its sandbox', async () => {
  const { prisma } = service.database;
  const company = await prisma.company.findUniqueOrThrow({
    where: { slug: 'demo' },
    include: { sandbox: true, users: { orderBy: { id: 'asc' } } },
  });
  // The demo has given its first user a password already.
  const { member } = await signInAll(service, { ...(await service.tenant()), users: company.users.slice(1, 4) });
  for (const companyId of [company.id, company.sandbox?.id]) {
    expect((await member.at('').patch('/auth/session', { company_id: companyId })).status).toBe(200);
    const row = await analytics(member, { startDate: day(-200) });
    const total = await prisma.serviceRequest.count({ where: { companyId, createdAt: { gte: date(day(-200)) } } });
    expect(row['service_requests']).toMatchObject({ total });
    expect(total).toBeGreaterThan(5);
  }
});
