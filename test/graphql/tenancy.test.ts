import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
  .filter(({ type }) => rowType(type) !== getNamedType(type) && !['Change', 'File'].includes(rowType(type).name))
  .map(({ name }) => name);

let mine: Rows;
/** Rows that the caller cannot access: those of another company, and of the sandbox. */
let otherCompanies: readonly Rows[];
/** Their ids for the arguments of a root field. */
const foreign = new Map<string, Row[]>();
let before: Record<string, Row[]>[];

beforeAll(async () => {
  const tenant = await service.tenant();
  mine = await Rows.of(service, tenant);
  otherCompanies = [await Rows.of(service, await service.tenant()), await Rows.of(service, tenant, false)];
  for (const rows of otherCompanies) {
    for (const collection of collections) await rows.make(collection, { full: true });
    for (const name of new Set(byId.map(([, name]) => name)))
      foreign.set(name, [...(foreign.get(name) ?? []), await rows.variables(rootField(name), { fresh: false })]);
    for (const [, , target] of byReference) await rows.reference(target);
  }
  before = await Promise.all(otherCompanies.map(everything));
});

/** Runs a root field with each of several variables in one request. @returns the single error of each */
async function runEach(kind: 'Query' | 'Mutation', name: string, each: readonly Row[]): Promise<FieldError[]> {
  const { args } = rootField(name);
  const used = args.filter((arg) => arg.name in (each[0] ?? {}));
  const declared = each.flatMap((_, n) => used.map((arg) => `$${arg.name}${n}: ${String(arg.type)}`)).join(', ');
  const fields = each.map(
    (_, n) => `f${n}: ${name}(${used.map((arg) => `${arg.name}: $${arg.name}${n}`).join(', ')}) { __typename }`,
  );
  const variables = each.flatMap((given, n) => used.map((arg) => [`${arg.name}${n}`, given[arg.name]]));
  const { data, errors } = await mine.client.graphql<Row>(
    `${kind.toLowerCase()} (${declared}) { ${fields.join(' ')} }`,
    Object.fromEntries(variables) as Row,
  );
  expect(data).toEqual(Object.fromEntries(each.map((_, n) => [`f${n}`, null])));
  expect(errors.map(({ path }) => path).sort()).toEqual(each.map((_, n) => [`f${n}`]));
  return [...errors].sort((one, other) => String(one.path).localeCompare(String(other.path)));
}

/** Every list of a company. */
async function everything(rows: Rows): Promise<Record<string, Row[]>> {
  const all: Record<string, Row[]> = {};
  for (const name of lists) {
    const variables = { ...(await rows.variables(rootField(name))), first: 100 };
    const updated = 'updatedAt' in rowType(rootField(name).type).getFields() ? 'updatedAt' : '';
    const query = operationOf(rootField(name), 'Query', Object.keys(variables), `{ nodes { id ${updated} } }`);
    const { data } = await rows.client.graphql<Record<string, { nodes: Row[] }>>(query, variables);
    all[name] = data[name]?.nodes ?? [];
  }
  return all;
}

/** Expects the same error for every id: those of other companies' rows, and one that was never issued. */
function expectSame(errors: readonly FieldError[], expected: object) {
  const [never, ...others] = errors.map(({ message, extensions }) => ({ message, extensions }));
  expect(never).toMatchObject({ extensions: expected });
  expect(others).toEqual(otherCompanies.map(() => never));
}

test.each(byId)('rows of other companies are not found: %s.%s(%s)', async (kind, name, argument) => {
  const variables = await mine.variables(rootField(name), { fresh: false });
  const ids = [randomUUID(), ...(foreign.get(name) ?? []).map((ids) => ids[argument])];
  const errors = await runEach(
    kind,
    name,
    ids.map((id) => ({ ...variables, [argument]: id })),
  );
  expectSame(errors, { code: 'NOT_FOUND', status: 404 });
});

test.each(byReference)('rows of other companies cannot be referenced: %s, %s', async (name, field, target) => {
  const variables = await mine.variables(rootField(name), { fresh: false });
  const ids = [randomUUID(), ...(await Promise.all(otherCompanies.map((rows) => rows.reference(target))))];
  const errors = await runEach(
    'Mutation',
    name,
    ids.map((id) => ({ ...variables, input: { ...(variables['input'] as Row), [field]: id } })),
  );
  // A user who does not watch cannot be removed.
  const expected = /^delete/.test(name)
    ? { code: 'NOT_FOUND' }
    : { code: 'VALIDATION_ERROR', status: 422, details: { [field]: expect.any(String) } };
  expectSame(errors, expected);
});

test('rows of other companies are in no list, and unchanged', async () => {
  for (const collection of collections) await mine.make(collection);
  // A person has one id in every company they belong to.
  const shared: unknown[] = mine.tenant.users.map(({ id }) => id);
  const own = await everything(mine);
  expect(Object.keys(own).length).toBeGreaterThan(40);
  for (const [name, rows] of Object.entries(own)) {
    expect([name, rows]).not.toEqual([name, []]);
    for (const theirs of before) {
      const ids = theirs[name]?.map(({ id }) => id) ?? [];
      expect([name, ids]).not.toEqual([name, []]);
      expect(rows.map(({ id }) => id).filter((id) => ids.includes(id) && !shared.includes(id))).toEqual([]);
    }
  }
  expect(await Promise.all(otherCompanies.map(everything))).toEqual(before);
});
