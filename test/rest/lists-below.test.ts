// Every list whose rows can be created together with the row above them, in REST and in GraphQL.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphQLInputField, type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import { schema } from '../../src/schema/index.ts';
import type { Client, Row } from '../support/client.ts';
import { collectionsWith, operationOf, rootField, rootFields, snakeCase } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { scopeCases } from '../support/scopes.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  rows = await Rows.of(service, tenant);
  client = rows.client;
});
afterAll(() => service.close());

const inputOf = (field: string) => getNamedType(rootField(field).args.find(({ name }) => name === 'input')?.type);
const listsOf = (type: ReturnType<typeof inputOf>) =>
  isInputObjectType(type) ? Object.values(type.getFields()).filter(({ extensions }) => extensions.creates) : [];
const typeOfRows = ({ extensions }: GraphQLInputField) => extensions.creates?.type ?? '';
const neededBy = ({ extensions }: GraphQLInputField) => String(extensions.creates?.access);

/** Every list of every operation that creates, with what the operation itself requires. */
const lists = rootFields('Mutation')
  .filter(({ extensions }) => extensions.action === 'create')
  .flatMap(({ name, extensions }) =>
    listsOf(inputOf(name)).map((list) => ({ name, list, own: String(extensions.access) })),
  );

/** A row of a list: what its own creation takes, without what says below which row it is. */
async function rowOf(list: GraphQLInputField, idiom: 'rest' | 'graphql'): Promise<Row> {
  const type = getNamedType(list.type) as GraphQLInputObjectType;
  const names = Object.keys(type.getFields()).map((name) => (idiom === 'rest' ? snakeCase(name) : name));
  const body = await rows.body(`create${typeOfRows(list)}`, {}, idiom);
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

const totalOf = async (path: string, by = client) => (await by.get(path)).meta.total;

test('sub-resources, and lists of rows that clients can create, are such lists; others are not', () => {
  const namesOf = (field: string) => listsOf(inputOf(field)).map(({ name }) => name);
  expect(namesOf('createServiceRequest')).toEqual(['comments', 'watchers', 'timeLogs']);
  expect(namesOf('createBuilding')).toEqual(expect.arrayContaining(['areas', 'desks', 'assets', 'serviceRequests']));
  // Nobody creates activity; a paint's location belongs to a paint first; stock is adjusted by the service on receipt.
  expect(namesOf('createBuilding')).not.toContain('paintLocations');
  expect(namesOf('createReceivingRecord')).toEqual([]);
  expect(lists.length).toBeGreaterThan(35);
  const named = schema.getType('CreateBuildingAreaInput') as GraphQLInputObjectType;
  expect(Object.keys(named.getFields())).not.toContain('buildingId');
});

describe.each(lists.map((each) => [`${each.name}.${each.list.name}`, each] as const))(
  '%s',
  (_, { name, list, own }) => {
    test('creates its rows', async () => {
      const { input, ...others } = await rows.variables(rootField(name));
      const given = { ...others, input: { ...(input as Row), [list.name]: [await rowOf(list, 'graphql')] } };
      const text = operationOf(rootField(name), 'Mutation', Object.keys(given), `{ ${list.name} { totalCount } }`);
      const { data, errors } = await client.graphql<Record<string, Row>>(text, given);
      expect(errors).toEqual([]);
      expect(data[name]?.[list.name]).toEqual({ totalCount: 1 });
    });

    // A list with the scope of its row needs no other.
    if (neededBy(list) !== own)
      test('needs its own scope in both APIs', async () => {
        const [, [, scopes = []] = []] = scopeCases(neededBy(list).split(':')[0] ?? '', 'write');
        const by = await tenant.client(scopes);
        const refusal = `This requires the scope ${neededBy(list)}.`;
        const { input, ...others } = await rows.variables(rootField(name));
        for (const given of [[], [await rowOf(list, 'graphql')]]) {
          const variables = { ...others, input: { ...(input as Row), [list.name]: given } };
          const text = operationOf(rootField(name), 'Mutation', Object.keys(variables), '{ id }');
          const { errors } = await by.graphql(text, variables);
          expect(errors.map(({ message, extensions: { code } }) => [code, message])).toEqual([
            ['INSUFFICIENT_SCOPE', refusal],
          ]);
        }
        const [path, collection] =
          collectionsWith('create').find(([, { on }]) => on.create?.operation.field === name) ?? [];
        if (path === undefined || !collection) return;
        const target = fill(path, await rows.parents(path));
        const body = await rows.body(name);
        const total = await totalOf(path);
        for (const given of [[], [await rowOf(list, 'rest')]]) {
          const whole = { ...body, [snakeCase(list.name)]: given };
          const replies = [await by.request('POST', target, { body: whole })];
          if (!path.endsWith('/inventory'))
            replies.push(await by.request('POST', `${target}/batch`, { body: { operations: [{ create: whole }] } }));
          for (const reply of replies) expect([reply.status, reply.error.message]).toEqual([403, refusal]);
        }
        expect(await totalOf(path)).toBe(total);
      });
  },
);
