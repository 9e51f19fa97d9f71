import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphQLObjectType, type GraphQLOutputType, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { api } from '../../src/schema/index.ts';
import { routes } from '../support/api.ts';
import type { Row } from '../support/client.ts';
import {
  collectionsWith,
  isPart,
  leadingFields,
  ofMany,
  operationOf,
  rootField,
  rootFields,
  rowType,
  snakeCase,
  typeOf,
} from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
import { callersOf, groupOf, scopeCases, takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let callerWith: ReturnType<typeof callersOf>;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  callerWith = callersOf(rows.tenant);
});
afterAll(() => service.close());

/** The scope group of a type: that of a route that returns it. */
function groupOfType(type: string): string {
  const route = routes().find(({ operation }) => operation.type === type && !operation.path.endsWith('/watchers'));
  if (!route) throw new Error(`no route answers with ${type}`);
  return groupOf(route.path);
}
/** The scope group of a root field: that of its route, or of its type. */
function groupOfField(field: string): string {
  const route = routes().find(({ operation }) => operation.field === field);
  return route ? groupOf(route.path) : groupOfType(String(rootField(field).extensions.type));
}

const fields = (['Query', 'Mutation'] as const).flatMap((kind) =>
  rootFields(kind)
    .filter(({ extensions }) => takesScope(extensions['access']))
    .map((field) => [kind, field.name] as const),
);

describe.each(fields)('%s.%s', (kind, name) => {
  let variables: Row;
  beforeAll(async () => {
    variables = await rows.variables(rootField(name));
  });

  const { action = '' } = rootField(name).extensions;
  test.each(scopeCases(groupOfField(name), kind === 'Query' ? 'read' : 'write'))('%s', async (_, scopes, permitted) => {
    const client = await callerWith(scopes);
    const own = kind === 'Mutation' && !ofMany.includes(action) ? '{ id }' : '{ __typename }';
    // A filter tells what rows have.
    const reads = scopes.some((scope) => !scope.endsWith(':write'));
    const allowed = permitted && (reads || !['updateMany', 'deleteMany'].includes(action));
    const { status, data, errors } = await client.graphql(
      operationOf(rootField(name), kind, Object.keys(variables), own),
      variables,
    );
    expect(status).toBe(200);
    // The new request has no watchers, which only callers with the scope learn.
    if (allowed && /^delete\w+Watcher$/.test(name))
      expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    else if (allowed) {
      expect(errors).toEqual([]);
      expect(data[name]).not.toBeNull();
    } else {
      expect(data).toEqual({ [name]: null });
      expect(errors).toMatchObject([{ path: [name], extensions: { code: 'INSUFFICIENT_SCOPE', status: 403 } }]);
    }
  });
});

test('without a token every query is rejected', async () => {
  const reply = await service.anonymous.graphql('{ paints { totalCount } }');
  expect(reply).toMatchObject({ status: 401, errors: [{ extensions: { code: 'INVALID_TOKEN', status: 401 } }] });
  expect(reply.data).toBeUndefined();
});

/** All paths, whatever their variables are named. */
const paths = new Set(routes().map(({ path }) => path.replace(/:\w+/g, ':id')));

/** Whether a list inside rows also has a route below them, whose scope then applies. */
const hasRoute = (path: string, list: string) =>
  paths.has(`${path.replace(/:\w+/g, ':id')}/:id/${snakeCase(list).replaceAll('_', '-')}`);

/** Lists of collections, with their fields that lead to other rows. */
const listed = collectionsWith('list').flatMap(([path, collection]) => {
  const { field = '', type = '' } = collection.on.list?.operation ?? {};
  const leading = leadingFields(rowType(rootField(field).type));
  return type === typeOf(collection) && leading.length > 0 ? [[path, collection, field, leading] as const] : [];
});

test.each(listed)(
  'in %s, a relation to another scope group requires its read scope, and other fields do not',
  async (path, collection, list, leading) => {
    if (typeOf(collection) !== 'Company') await rows.list(collection, { full: true });
    const parents = await rows.variables(rootField(list));
    const selected = leading.map(
      ({ name, type }) => `${name} ${rowType(type) === getNamedType(type) ? '{ id }' : '{ nodes { id } }'}`,
    );
    const query = operationOf(rootField(list), 'Query', Object.keys(parents), `{ nodes { id ${selected.join(' ')} } }`);
    const foreign = leading
      .filter(({ name, type }) => !hasRoute(path, name) && groupOfType(rowType(type).name) !== groupOf(path))
      .map(({ name }) => name);

    const { data, errors } = await (await callerWith([`${groupOf(path)}:read`])).graphql<
      Record<string, { nodes: Row[] }>
    >(query, parents);
    const nodes = data[list]?.nodes ?? [];
    expect(nodes.length).toBeGreaterThan(0);
    for (const node of nodes) {
      expect(node['id']).toEqual(expect.any(String));
      for (const name of foreign) expect(node[name]).toBeNull();
    }
    // One error for each field, that of the first row.
    expect(errors.map(({ path }) => String(path)).sort()).toEqual(
      foreign.map((name) => `${list},nodes,0,${name}`).sort(),
    );
    for (const { extensions } of errors) expect(extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', status: 403 });

    expect((await (await callerWith(['*:read'])).graphql(query, parents)).errors).toEqual([]);
  },
);

test('a field that is refused in many rows, by many names, has one error for each name', async () => {
  const { id: companyId } = rows.tenant.company;
  const createdBy = rows.tenant.users[0]?.id ?? '';
  const { prisma } = service.database;
  const requests = Array.from({ length: 20 }, (_, n) => ({
    companyId,
    createdBy,
    title: `Lamp ${n}`,
    id: randomUUID(),
  }));
  await prisma.serviceRequest.createMany({ data: requests });
  await prisma.comment.createMany({
    data: requests.flatMap(({ id }) =>
      Array.from({ length: 20 }, () => ({ companyId, serviceRequestId: id, userId: createdBy, comment: 'Broken' })),
    ),
  });
  const names = Array.from({ length: 29 }, (_, n) => `a${n}`);
  const authors = names.map((name) => `${name}: author { id }`).join(' ');
  const { data, errors } = await (await callerWith(['service_requests:read'])).graphql<{
    serviceRequests: { nodes: { comments: { nodes: Row[] } }[] };
  }>(`{ serviceRequests(first: 20, search: "Lamp") { nodes { comments(first: 20) { nodes { ${authors} } } } } }`);
  const comments = data.serviceRequests.nodes.flatMap((request) => request.comments.nodes);
  expect(comments).toEqual(Array(400).fill(Object.fromEntries(names.map((name) => [name, null]))));
  expect(errors.map(({ path }) => path?.join('.'))).toEqual(
    names.map((name) => `serviceRequests.nodes.0.comments.nodes.0.${name}`),
  );
});

/** What is asked by each of several requests, within the limit of their cost. @param isCostly what is asked alone */
function inRequests<Asked>(all: readonly Asked[], most: number, isCostly: (asked: Asked) => boolean): Asked[][] {
  const cheap = all.filter((each) => !isCostly(each));
  const together = Array.from({ length: Math.ceil(cheap.length / most) }, (_, n) =>
    cheap.slice(n * most, (n + 1) * most),
  );
  return [...together, ...all.filter(isCostly).map((each) => [each])];
}

/** The conditions on related rows that a list's filter accepts, each with the type of those rows. */
function relatedConditions(list: string) {
  const filter = getNamedType(rootField(list).args.find(({ name }) => name === 'filter')?.type);
  if (!isInputObjectType(filter)) return [];
  return Object.values(filter.getFields()).flatMap(({ name, type, extensions }) => {
    const [, target = '', isList] = /^(.*?)(List)?Filter$/.exec(getNamedType(type).name) ?? [];
    // Line items are part of their row.
    if (!extensions['relation'] || isPart(target)) return [];
    if (!isList) return [{ name, target, isMeasure: false, condition: { [name]: {} } }];
    // What is computed of rows tells of them too.
    return [{ some: {} }, { measure: { count: { gte: 0 } } }].map((condition) => ({
      ...{ name, target, isMeasure: 'measure' in condition },
      condition: { [name]: condition },
    }));
  });
}

test.each(listed)(
  'in %s, a condition on rows of another scope group requires its read scope, and so does sorting and grouping by them',
  async (path, _, list) => {
    const parents = await rows.variables(rootField(list));
    const conditions = relatedConditions(list);
    const scope = `${groupOf(path)}:read`;
    const client = await callerWith([scope]);
    for (const some of inRequests(conditions, 3, ({ isMeasure }) => isMeasure)) {
      const fieldOf = (argument: string) => (_: unknown, n: number) =>
        `${argument}${n}: ${list}(${[...Object.keys(parents).map((name) => `${name}: $${name}`), `${argument}: $${argument}${n}`].join(', ')}) { nodes { id } }`;
      const { args } = rootField(list);
      const typeOfArgument = (argument: string) => String(args.find(({ name }) => name === argument)?.type);
      const sorted = some.filter(({ name, condition }) => Object.keys(condition[name] ?? {}).length === 0);
      const declared = [
        ...Object.keys(parents).map((name) => `$${name}: ${typeOfArgument(name)}`),
        ...some.map((_, n) => `$filter${n}: ${typeOfArgument('filter')}`),
        ...sorted.map((_, n) => `$orderBy${n}: ${typeOfArgument('orderBy')}`),
      ];
      const variables = Object.fromEntries([
        ...Object.entries(parents),
        ...some.map(({ condition }, n) => [`filter${n}`, condition]),
        ...sorted.map(({ name }, n) => [`orderBy${n}`, [{ [name]: { field: 'ID' } }]]),
      ]) as Row;
      const query = `query (${declared.join(', ')}) { ${[...some.map(fieldOf('filter')), ...sorted.map(fieldOf('orderBy'))].join(' ')} }`;
      const needsMore = ({ name, target }: (typeof some)[number]) =>
        !hasRoute(path, name) && groupOfType(target) !== groupOf(path);
      const refused = [
        ...some.flatMap((each, n) => (needsMore(each) ? [`filter${n}`] : [])),
        ...sorted.flatMap((each, n) => (needsMore(each) ? [`orderBy${n}`] : [])),
      ];
      const { data, errors } = await client.graphql(query, variables);
      expect(errors.map(({ path }) => String(path)).sort()).toEqual(refused.sort());
      for (const { extensions } of errors)
        expect(extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', status: 403 });
      for (const name of refused) expect(data[name]).toBeNull();
      expect((await (await callerWith(['*:read'])).graphql(query, variables)).errors).toEqual([]);

      // The keys of groups.
      const passed = Object.keys(parents).map((name) => `${name}: $${name}`);
      const keys = sorted.map(
        ({ name }, n) =>
          `key${n}: ${list}${passed.length > 0 ? `(${passed.join(', ')})` : ''} { aggregates(first: 1) { key { ${name} { id } } } }`,
      );
      if (keys.length === 0) continue;
      const given = Object.keys(parents).map((name) => `$${name}: ${typeOfArgument(name)}`);
      const grouped = `${given.length > 0 ? `query (${given.join(', ')})` : 'query'} { ${keys.join(' ')} }`;
      const groups = await client.graphql<Record<string, Row>>(grouped, parents);
      const withoutScope = sorted.flatMap((each, n) => (needsMore(each) ? [`key${n}`] : []));
      expect(groups.errors.map(({ path }) => String(path)).sort()).toEqual(
        withoutScope.map((name) => `${name},aggregates`),
      );
      for (const name of withoutScope) expect(groups.data[name]).toEqual({ aggregates: null });
      expect((await (await callerWith(['*:read'])).graphql(grouped, parents)).errors).toEqual([]);
    }
  },
);

/** What the aggregates of a list measure, each with the types of the rows that it crosses. */
function measuresOf(list: string): [name: string, crossed: string[]][] {
  const row = rowType(rootField(list).type);
  const declared = api.resources.find(({ type }) => type === row.name)?.measures ?? {};
  const group = api.schema.getType(`${row.name}Aggregate`);
  const fields = isObjectType(group) ? Object.values(group.getFields()) : [];
  return fields.flatMap(({ name, type, args }) => {
    const isMeasure = isObjectType(getNamedType(type)) && name !== 'key' && name !== 'derived';
    if (!isMeasure || args.some((arg) => arg.name !== 'where')) return [];
    const columns = Object.values(declared[name] ?? {}).flatMap((value) => (typeof value === 'string' ? [] : value));
    const crossed = columns.flatMap((column) => {
      let at = row;
      const relations = column.split('.').slice(0, -1);
      return relations.map((step) => (at = rowType(at.getFields()[step]?.type as GraphQLOutputType)).name);
    });
    return [[name, crossed]];
  });
}

/** Number of aggregates in a request, within the limit of its cost. */
const atOnce = 4;

test.each(listed)(
  'in %s, a measure requires the read scope of the rows that it crosses, and groups inside rows that of theirs',
  async (path, _, list, leading) => {
    const isForeign = (type: string) => groupOfType(type) !== groupOf(path);
    const measures = measuresOf(list);
    const own = measures.filter(([, crossed]) => crossed.length === 0).map(([name]) => `${name} { max }`);
    const conditions = relatedConditions(list).map(({ name, target, condition }): [string, string | false] => [
      `aggregates { count(where: ${JSON.stringify(condition).replaceAll('"', '')}) }`,
      !hasRoute(path, name) && isForeign(target) && 'aggregates',
    ]);
    const inside = leading.filter(({ type }) => 'aggregates' in (getNamedType(type) as GraphQLObjectType).getFields());
    // Each with the place of its error, if it has one.
    const asked: [selection: string, refused: string | false][] = [
      [`aggregates { count ${own.join(' ')} }`, false],
      ...conditions,
      ...measures.flatMap(([name, crossed]): [string, string | false][] =>
        crossed.length > 0 ? [[`aggregates { ${name} { max } }`, crossed.some(isForeign) && 'aggregates']] : [],
      ),
      ...inside.map(({ name, type }): [string, string | false] => [
        `nodes { ${name} { aggregates { count } } }`,
        !hasRoute(path, name) && isForeign(rowType(type).name) && `nodes,0,${name}`,
      ]),
    ];
    const parents = await rows.variables(rootField(list));
    const client = await callerWith([`${groupOf(path)}:read`]);
    for (const some of inRequests(asked, atOnce, ([selection]) => selection.includes('measure:'))) {
      const query = aliased(
        list,
        some.map(([selection]) => selection),
        Object.keys(parents),
      );
      const { errors } = await client.graphql(query, parents);
      expect(errors.map((error) => String(error.path)).sort()).toEqual(
        some.flatMap(([, refused], n) => (refused ? [`a${n},${refused}`] : [])).sort(),
      );
      for (const { extensions } of errors)
        expect(extensions).toMatchObject({ code: 'INSUFFICIENT_SCOPE', status: 403 });
      expect((await (await callerWith(['*:read'])).graphql(query, parents)).errors).toEqual([]);
    }
  },
);

/** A query of one list by several names. */
function aliased(list: string, selections: readonly string[], names: readonly string[]): string {
  const { args } = rootField(list);
  const declared = names.map((name) => `$${name}: ${String(args.find((arg) => arg.name === name)?.type)}`).join(', ');
  const passed = names.map((name) => `${name}: $${name}`).join(', ');
  const fields = selections.map((selection, n) => `a${n}: ${list}${passed && `(${passed})`} { ${selection} }`);
  return `query ${declared && `(${declared})`} { ${fields.join(' ')} }`;
}
