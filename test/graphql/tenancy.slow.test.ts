import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getNamedType } from 'graphql';
import type { FieldError, Row } from '../support/client.ts';
import { collections, inputFields, operationOf, rootField, rootFields, rowType } from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const scoped = (kind: 'Query' | 'Mutation') =>
  rootFields(kind).filter(({ extensions }) => takesScope(extensions['access']));
const fields = (['Query', 'Mutation'] as const).flatMap((kind) => scoped(kind).map((field) => ({ kind, field })));
const idsOf = (name: string) =>
  rootField(name)
    .args.filter(({ type }) => getNamedType(type).name === 'ID')
    .map(({ name }) => name);
const byId = fields.flatMap(({ kind, field: { name } }) =>
  idsOf(name).map((argument) => [kind, name, argument] as const),
);
const byReference = fields.flatMap(({ field }) =>
  inputFields(field)
    .filter(({ target }) => target)
    .map(({ name, target }) => [field.name, name, target ?? ''] as const),
);
const lists = scoped('Query')
  .filter(({ type }) => rowType(type) !== getNamedType(type))
  .map(({ name }) => name);

describe.each(['another company', 'the sandbox'])('rows of %s', (whose) => {
  let mine: Rows;
  let theirs: Rows;
  let foreign: Map<string, Row>;
  let before: Record<string, Row[]>;

  beforeAll(async () => {
    const tenant = await service.tenant();
    mine = await Rows.of(service, tenant);
    theirs =
      whose === 'the sandbox' ? await Rows.of(service, tenant, false) : await Rows.of(service, await service.tenant());
    for (const collection of collections) await theirs.make(collection, { full: true });
    foreign = new Map();
    for (const { field } of fields) foreign.set(field.name, await theirs.variables(field));
    for (const [, , target] of byReference) await theirs.reference(target);
    before = await everything(theirs);
  });

  const run = (rows: Rows, kind: 'Query' | 'Mutation', name: string, variables: Row) =>
    rows.client.graphql(operationOf(rootField(name), kind, Object.keys(variables)), variables);
  /** Every list of a company. */
  async function everything(rows: Rows): Promise<Record<string, Row[]>> {
    const all: Record<string, Row[]> = {};
    for (const name of lists) {
      const variables = { ...(await rows.variables(rootField(name))), first: 100 };
      const query = operationOf(rootField(name), 'Query', Object.keys(variables), '{ nodes { id updatedAt } }');
      const { data } = await rows.client.graphql<Record<string, { nodes: Row[] }>>(query, variables);
      all[name] = data[name]?.nodes ?? [];
    }
    return all;
  }
  /** Expects one error, and that it is the one that an id never issued gets. */
  function expectSame(errors: readonly FieldError[], never: readonly FieldError[], expected: object) {
    expect(errors).toMatchObject([expected]);
    expect(errors.map(({ message, extensions }) => ({ message, extensions }))).toEqual(
      never.map(({ message, extensions }) => ({ message, extensions })),
    );
  }

  test.each(byId)('do not exist: %s.%s(%s)', async (kind, name, argument) => {
    const variables = await mine.variables(rootField(name));
    const [reply, never] = [
      await run(mine, kind, name, { ...variables, [argument]: foreign.get(name)?.[argument] }),
      await run(mine, kind, name, { ...variables, [argument]: randomUUID() }),
    ];
    expect(reply.data[name]).toBeNull();
    expectSame(reply.errors, never.errors, { path: [name], extensions: { code: 'NOT_FOUND', status: 404 } });
  });

  test.each(byReference)('cannot be referred to: %s, %s', async (name, field, target) => {
    const variables = await mine.variables(rootField(name));
    const withReference = (id: string) =>
      run(mine, 'Mutation', name, { ...variables, input: { ...(variables['input'] as Row), [field]: id } });
    const [reply, never] = [await withReference(await theirs.reference(target)), await withReference(randomUUID())];
    expect(reply.data[name]).toBeNull();
    // Who does not watch cannot be taken off the watchers.
    const expected = /^delete/.test(name)
      ? { code: 'NOT_FOUND' }
      : { code: 'VALIDATION_ERROR', status: 422, details: { [field]: expect.any(String) } };
    expectSame(reply.errors, never.errors, { path: [name], extensions: expected });
  });

  test('are in no list, and are as they were', async () => {
    for (const collection of collections) await mine.make(collection);
    const shared: unknown[] = mine.tenant === theirs.tenant ? mine.tenant.users.map(({ id }) => id) : [];
    for (const [name, rows] of Object.entries(await everything(mine))) {
      expect(rows).not.toEqual([]);
      const ids = before[name]?.map(({ id }) => id) ?? [];
      expect(ids).not.toEqual([]);
      // A person has one id in every company they belong to.
      expect(rows.map(({ id }) => id).filter((id) => ids.includes(id) && !shared.includes(id))).toEqual([]);
    }
    expect(await everything(theirs)).toEqual(before);
  });
});
