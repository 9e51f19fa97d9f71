// Random filters, orders and groups over all lists with 100,000 rows, against SQL written by hand.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isApiField, isEnum, modelFacts } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import { createBulkRows } from '../support/bulk-rows.ts';
import type { Client, Row } from '../support/client.ts';
import { HandSql } from '../support/hand-sql.ts';
import { RandomFilters } from '../support/random-filters.ts';
import { type KeyPath, RandomGroups, selectionOf } from '../support/random-groups.ts';
import { modelOf, operationOf, rootField } from '../support/resources.ts';
import { type Service, startService } from '../support/service.ts';
import { refresh } from '../support/stale.ts';

/** Number of filters of each list, and the seed; more of them can be asked for. */
const rounds = Number(process.env.FILTER_ROUNDS ?? 2);
const seed = Number(process.env.FILTER_SEED ?? 20_261_122);

const sizes = {
  ServiceRequest: 25_000,
  MoveRequest: 5000,
  Comment: 15_000,
  TimeLog: 15_000,
  ActivityEntry: 15_000,
  StockAdjustment: 8000,
  LeasePayment: 5000,
  Invoice: 3000,
  Lease: 400,
  User: 100,
  Building: 20,
  others: 250,
};

let service: Service;
let client: Client;
let random: RandomFilters;
let randomGroups: RandomGroups;
let sql: HandSql;
const samples = new Map<string, readonly Row[]>();

const lists = api.resources.flatMap(({ type, path }) => {
  const operation = api.operations.find((each) => each.action === 'list' && each.path === path && each.type === type);
  return operation ? [{ type, field: operation.field }] : [];
});

beforeAll(async () => {
  service = await startService();
  const [tenant, other] = [await service.tenant(), await service.tenant()];
  const count = await createBulkRows(service.database, tenant.company.id, sizes);
  expect(count).toBeGreaterThan(100_000);
  await createBulkRows(service.database, other.company.id, { others: 100 });
  await refresh(service, tenant);
  client = await tenant.client();
  for (const { type } of lists) samples.set(type, await sample(type, tenant.company.id));
  random = new RandomFilters(seed, api.schema, (type) => samples.get(type) ?? []);
  randomGroups = new RandomGroups(seed, api.schema);
  const [me] = tenant.users;
  sql = new HandSql({ companyId: tenant.company.id, userId: me?.id ?? '' }, random.typeOf);
});
afterAll(() => service.close());

/** Some rows, whose values filters use. */
function sample(type: string, companyId: string): Promise<Row[]> {
  const model = modelOf(type);
  if (!model) throw new Error(`${type} is no model's`);
  const client = service.database.prisma as unknown as Record<string, { findMany(args: object): Promise<Row[]> }>;
  const where = 'companyId' in modelFacts(model).stored ? { companyId } : { id: companyId };
  const found = client[model.charAt(0).toLowerCase() + model.slice(1)]?.findMany({ where, take: 40 });
  return found ?? Promise.resolve([]);
}

const query = (statement: string) => service.database.prisma.$queryRawUnsafe<Row[]>(statement);

async function ask<List>(field: string, variables: Row, selection: string): Promise<List> {
  const text = operationOf(rootField(field), 'Query', Object.keys(variables), selection);
  const { data, errors } = await client.graphql<Record<string, List>>(text, variables);
  expect({ text, variables, errors }).toEqual({ text, variables, errors: [] });
  return data[field] as List;
}

/** A random filter that costs no more than a query may. */
async function affordableFilter(field: string, type: string): Promise<Row> {
  for (;;) {
    const filter = random.filter(type, 3);
    const text = operationOf(rootField(field), 'Query', ['filter'], '{ totalCount }');
    const { errors } = await client.graphql(text, { filter });
    if (!errors[0]?.message.startsWith('This query costs')) return filter;
  }
}

interface Page {
  readonly totalCount: number;
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

test.each(lists.map(({ field, type }) => [field, type] as const))('%s', async (field, type) => {
  for (let round = 0; round < rounds; round++) {
    const [filter, orderBy] = [await affordableFilter(field, type), random.orderBy(type)];
    const ids = async (fromEnd: boolean, size: number) =>
      (await query(sql.page(type, filter, orderBy, size, fromEnd))).map(({ id }) => id);
    const of = { field, filter, orderBy };

    const [total] = await query(sql.total(type, filter));
    const selection = 'nodes { id } pageInfo { endCursor hasNextPage }';
    const page = await ask<Page>(field, { filter, orderBy, first: 40 }, `{ totalCount ${selection} }`);
    const found = page.nodes.map(({ id }) => id);
    if (page.pageInfo.hasNextPage) {
      const after = page.pageInfo.endCursor;
      found.push(
        ...(await ask<Page>(field, { filter, orderBy, first: 40, after }, `{ ${selection} }`)).nodes.map(
          ({ id }) => id,
        ),
      );
    }
    expect({ ...of, total: page.totalCount, found }).toEqual({
      ...of,
      total: total?.['total'],
      found: await ids(false, 80),
    });
    const last = await ask<Page>(field, { filter, orderBy, last: 20 }, '{ nodes { id } }');
    expect({ ...of, last: last.nodes.map(({ id }) => id).reverse() }).toEqual({ ...of, last: await ids(true, 20) });

    const group = randomGroups.group(type);
    const { aggregates } = await ask<{ aggregates: Row[] }>(
      field,
      { filter },
      `{ aggregates(timeZone: "${group.timeZone}", first: 300) ${selectionOf(group)} }`,
    );
    const expected = await query(sql.groups(type, filter, group, 300));
    expect({ ...of, group, groups: aggregates.map((each) => flat(type, each, group.keys)) }).toEqual({
      ...of,
      group,
      groups: expected.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, comparable(value)])),
      ),
    });
  }
});

/** A group with its values as SQL has them. */
function flat(type: string, group: Row, keys: readonly KeyPath[]): Row {
  return Object.fromEntries(
    Object.entries(group).map(([name, value]) => {
      const path = keys[Number(/^k(\d+)$/.exec(name)?.[1])];
      if (!path)
        return [name, comparable(typeof value === 'object' && value !== null ? (value as Row)['value'] : value)];
      // `bucket(size: 2.5)` is asked for, and `bucket` is what has the answer.
      const at = path.reduce<unknown>((inner, step) => (inner as Row)[step.replace(/\(.*/, '')], value);
      return [name, comparable(wordOf(type, path, at))];
    }),
  );
}

/** A key in the database's spelling. */
function wordOf(type: string, [name = '', ...rest]: KeyPath, value: unknown): unknown {
  const to = random.typeOf(type, name);
  if (to) return wordOf(to.type, rest, value);
  const model = modelOf(type);
  const field = model && modelFacts(model).stored[name];
  return field && isApiField(field) && isEnum(field) ? field.type.encode(value) : value;
}

/** Numbers to ten digits, times as milliseconds. */
function comparable(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const text = `${value as string}`;
  if (/^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(text)) return Number(Number(text).toPrecision(10));
  if (/^\d{4}-\d\d-\d\d[T ]/.test(text)) return Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  return text;
}
