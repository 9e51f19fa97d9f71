// Random filters, orders and groups over all lists, against an interpreter over the rows in memory.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { coerceInputValue, type GraphQLInputType } from 'graphql';
import { ownerContext } from '../../src/background/owner.ts';
import facts from '../../src/database/generated/facts.ts';
import { type Filter, filterWhere, matchStored } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Row } from '../support/client.ts';
import { FilterModel } from '../support/filter-model.ts';
import { aggregatesOf, answerRows, drawAnswer } from '../support/random-answers.ts';
import { RandomFilters } from '../support/random-filters.ts';
import { groupRows, type RandomGroup, RandomGroups, selectionOf } from '../support/random-groups.ts';
import { collections, operationOf, rootField, snakeCase, typeOf } from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

/** Number of filters of each list, and the seed; more of them can be asked for. */
const rounds = Number(process.env.FILTER_ROUNDS ?? 5);
const seed = Number(process.env.FILTER_SEED ?? 20_261_122);

let service: Service;
let rows: Rows;
let model: FilterModel;
let random: RandomFilters;
let randomGroups: RandomGroups;
/** The parents of sub-resources, by argument. */
const parents = new Map<string, Row>();

beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  await service.database.prisma.company.update({
    where: { id: tenant.company.id },
    data: { fiscalYearStartMonth: 4 },
  });
  const other = await Rows.of(service, await service.tenant(), true, 3);
  rows = await Rows.of(service, tenant, true, 3);
  for (const each of [rows, other])
    for (const collection of collections)
      if (collection.on.list && typeOf(collection) !== 'Company')
        for (let n = 0; n < 7; n++) await each.list(collection, { full: n % 3 !== 0 });
  // Nobody sees the private notes of others, also not through their category or author.
  const note = { companyId: tenant.company.id, userId: tenant.users[1]?.id ?? '', title: 'Private' };
  for (const isShared of [false, true])
    await service.database.prisma.note.create({
      data: { ...note, isShared, categoryId: await rows.reference('NoteCategory') },
    });
  for (const { field } of lists) parents.set(field, await rows.variables(rootField(field)));
  const stored: Record<string, Row[]> = {};
  const client = service.database.prisma as unknown as Record<string, { findMany(): Promise<Row[]> }>;
  for (const name of Object.keys(facts.models))
    stored[name] = (await client[name.charAt(0).toLowerCase() + name.slice(1)]?.findMany()) ?? [];
  model = new FilterModel(stored, { companyId: tenant.company.id, userId: tenant.users[0]?.id ?? '' });
  random = new RandomFilters(seed, api.schema, (type) => model.rows(type), true);
  randomGroups = new RandomGroups(seed, api.schema, (type) => random.filter(type, 1));
});
afterAll(() => service.close());

/** The lists of resources, with the column of their parent. */
const lists = api.resources.flatMap(({ type, parent, path }) => {
  const operation = api.operations.find((each) => each.action === 'list' && each.path === path && each.type === type);
  return operation ? [{ type, path, field: operation.field, parentColumn: parent?.column }] : [];
});

/** The rows of a list without a filter. */
function listed({ type, field, parentColumn }: (typeof lists)[number]): Row[] {
  const [parent] = Object.values(parents.get(field) ?? {});
  return model.rows(type).filter((row) => !parentColumn || row[parentColumn] === parent);
}

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly totalCount: number;
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
}

async function ask(field: string, args: Row): Promise<Page> {
  const variables = { ...parents.get(field), ...args };
  const selection = '{ totalCount nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }';
  const query = operationOf(rootField(field), 'Query', Object.keys(variables), selection);
  const { data, errors } = await rows.client.graphql<Record<string, Page>>(query, variables);
  expect({ variables, errors }).toEqual({ variables, errors: [] });
  return data[field] as Page;
}

/** The groups of a list, by their keys in JSON. */
async function askGroups(field: string, filter: Row, group: RandomGroup): Promise<Map<string, Row>> {
  const variables = { ...parents.get(field), filter };
  const selection = `{ aggregates(timeZone: "${group.timeZone}") ${selectionOf(group)} }`;
  const query = operationOf(rootField(field), 'Query', Object.keys(variables), selection);
  const { data, errors } = await rows.client.graphql<Record<string, { aggregates: Row[] }>>(query, variables);
  expect({ query, variables, errors }).toEqual({ query, variables, errors: [] });
  const keys = group.keys.map((_, n) => `k${n}`);
  return new Map(
    (data[field]?.aggregates ?? []).map((found) => [
      JSON.stringify(Object.fromEntries(keys.map((key) => [key, found[key]]))),
      found,
    ]),
  );
}

/**
 * Asks for totals, and what is computed of groups, of the rows that match a filter. What costs too much is not asked.
 *
 * @param those the rows
 */
async function expectAnswer({ type, field }: (typeof lists)[number], filter: Row, those: readonly Row[]) {
  const answer = drawAnswer(randomGroups, randomGroups.group(type));
  const expected = answerRows(model, type, those, answer, random.typeOf);
  const variables = { ...parents.get(field), filter };
  const query = operationOf(rootField(field), 'Query', Object.keys(variables), `{ ${aggregatesOf(answer)} }`);
  const { data, errors } = await rows.client.graphql<Record<string, { aggregates: Row[] }>>(query, variables);
  if (!expected || errors.some(({ message }) => /limit of 200000|second condition on a list/.test(message))) return;
  expect({ query, variables, errors }).toEqual({ query, variables, errors: [] });
  const sorted = (groups: readonly Row[]) => groups.map((each) => JSON.stringify(nearly(each))).sort();
  expect({ query, filter, groups: sorted(data[field]?.aggregates ?? []) }).toEqual({
    query,
    filter,
    groups: sorted(expected),
  });
}

/** A group whose numbers are those of binary fractions, and whose fields are in one order. */
function nearly(value: unknown): unknown {
  const round = rounded(value);
  if (typeof round === 'number') return Math.abs(round) < 1e-6 ? 0 : Number(round.toPrecision(8));
  if (Array.isArray(value)) return value;
  if (typeof round !== 'object' || round === null) return round;
  const fields = Object.entries(value as Row).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, nearly(inner)]));
}

/** The ids of the rows that REST lists for the same filter and order. */
async function askRest({ type, path, field }: (typeof lists)[number], filter: Row, orderBy: readonly Row[]) {
  const place = Object.entries(parents.get(field) ?? {}).reduce(
    (at, [name, id]) => at.replace(`:${name}`, String(id)),
    path,
  );
  const query = { filter: JSON.stringify(random.inRest(type, filter)), sort: sortInRest(orderBy), limit: 100 };
  const reply = await rows.client.get(place, query);
  expect({ query, error: reply.status === 200 || reply.error }).toEqual({ query, error: true });
  return reply.rows.map(({ id }) => id);
}

/** The ids of the rows of a company that match as the log of changes has them. */
async function matchLogged(type: string, filter: Row, companyId: string): Promise<unknown[]> {
  const resource = api.resources.find((each) => each.type === type);
  if (!resource) throw new Error(`${type} is no resource.`);
  const { database } = service;
  const text = `
    SELECT DISTINCT ON (row_id) after FROM changes WHERE company_id = $1 AND table_name = $2
    ORDER BY row_id, seq DESC`;
  const table = (facts.models as Record<string, { table: string }>)[resource.model]?.table;
  const logged = (await database.query({ text, values: [companyId, table] })).rows.map(({ after }) => after as Row);
  const given = coerceInputValue(filter, api.schema.getType(`${type}Filter`) as GraphQLInputType) as Filter;
  const owner = { companyId, timeZone: 'UTC', userId: model.me.userId, role: 'ADMIN' } as const;
  const context = ownerContext(database, api, owner, 'test');
  const filterable = api.filterableOf(resource);
  const where = filterWhere(filterable, given, context);
  const [places] = await matchStored(filterable, logged, [{ where }], context.reader);
  return logged.filter((_, place) => places?.has(place)).map(({ id }) => id);
}

/** `[{ building: { field: 'NAME' }, direction: 'DESC' }]` → `-building.name` */
function sortInRest(orderBy: readonly Row[]): string {
  const nameOf = ({ direction: _, ...key }: Row): string => {
    const [[name, inner] = ['', '']] = Object.entries(key);
    if (name === 'measure') return snakeCase(String(inner));
    return name === 'field' ? String(inner).toLowerCase() : `${snakeCase(name)}.${nameOf(inner as Row)}`;
  };
  const keys = orderBy.map((key) => `${key['direction'] === 'DESC' ? '-' : ''}${nameOf(key)}`);
  // A single name without a sign would be the key of the other form, which descends.
  return keys.length === 1 && !keys[0]?.startsWith('-') ? `+${keys[0]}` : keys.join(',');
}

/** Groups in the order of their keys, with rounded numbers and times without their unit. */
const comparable = (groups: ReadonlyMap<string, Row>) =>
  [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => rounded(group));

function rounded(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d(T|$)/.test(value)) return Date.parse(value);
  if (typeof value === 'number') return Number(value.toPrecision(10));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, rounded(inner)]));
}

test('there are lists of nearly all resources', () => {
  expect(lists.length).toBeGreaterThan(40);
});

/** Draws a filter and an order that a query of the list may have, and groups of it. */
async function draw({
  type,
  field,
}: (typeof lists)[number]): Promise<{ filter: Row; orderBy: Row[]; group: RandomGroup }> {
  for (;;) {
    const [filter, orderBy, group] = [random.filter(type, 3), random.orderBy(type), randomGroups.group(type)];
    const selections = ['{ totalCount nodes { id } }', `{ aggregates ${selectionOf(group)} }`];
    const replies = await Promise.all(
      selections.map((selection) => {
        const query = operationOf(rootField(field), 'Query', ['filter', 'orderBy'], selection);
        return rows.client.graphql(query, { filter, orderBy });
      }),
    );
    const messages = replies.flatMap(({ errors }) => errors.map(({ message }) => message));
    if (!messages.some((message) => /limit of 200000|second condition on a list/.test(message)))
      return { filter, orderBy, group };
  }
}

test.each(lists.map((list) => [list.field, list] as const))('%s', async (field, list) => {
  const { type } = list;
  const all = listed(list);
  for (let round = 0; round < rounds; round++) {
    const { filter, orderBy, group } = await draw(list);
    const matching = all
      .filter((row) => model.matches(type, row, filter, random.typeOf))
      .sort((one, other) => model.compare(type, one, other, orderBy, random.typeOf))
      .map(({ id }) => id);
    const ids = new Set(all.map(({ id }) => id));
    const matched = await matchLogged(type, filter, model.me.companyId);
    expect({ filter, matched: matched.filter((id) => ids.has(id)).sort() }).toEqual({
      filter,
      matched: [...matching].sort(),
    });
    const those = all.filter((row) => model.matches(type, row, filter, random.typeOf));
    const groups = groupRows(model, type, those, group, random.typeOf);
    expect({ group, groups: comparable(await askGroups(field, filter, group)) }).toEqual({
      group,
      groups: comparable(groups),
    });
    await expectAnswer(list, filter, those);
    if (round === 0) expect(await askRest(list, filter, orderBy)).toEqual(matching);
    // Forwards in small pages, then the last ones.
    const found: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page: Page = await ask(field, { filter, orderBy, first: 4, ...(after !== null && { after }) });
      expect({ filter, total: page.totalCount }).toEqual({ filter, total: matching.length });
      found.push(...page.nodes.map(({ id }) => id));
      ({ endCursor: after, hasNextPage: more } = page.pageInfo);
    }
    expect({ filter, orderBy, found }).toEqual({ filter, orderBy, found: matching });
    const last = await ask(field, { filter, orderBy, last: 3 });
    expect({ orderBy, last: last.nodes.map(({ id }) => id) }).toEqual({ orderBy, last: matching.slice(-3) });
    if (!last.pageInfo.hasPreviousPage) continue;
    const before = await ask(field, { filter, orderBy, last: 3, before: last.pageInfo.startCursor });
    expect({ orderBy, before: before.nodes.map(({ id }) => id) }).toEqual({ orderBy, before: matching.slice(-6, -3) });
  }
});
