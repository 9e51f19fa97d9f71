import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isListType } from 'graphql';
import type { Row } from '../support/client.ts';
import {
  inputFields,
  ofMany,
  operationOf,
  rootField,
  rootFields,
  rowType,
  selectionOf,
  shownFields,
} from '../support/resources.ts';
import { mayBeNull, Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
});
afterAll(() => service.close());

/** The columns that a mutation's input sets. */
const set = (name: string) => inputFields(rootField(name)).filter(({ facts }) => facts);
async function run(name: string, variables: Row) {
  const given = inputFields(rootField(name)).map(({ name }) => name);
  const shown = shownFields(rowType(rootField(name).type).name).filter(({ name }) => given.includes(name));
  const { data, errors } = await rows.client.graphql<Row | undefined>(
    operationOf(rootField(name), 'Mutation', Object.keys(variables), `{ id ${selectionOf(shown)} }`),
    variables,
  );
  return { row: data?.[name] ?? null, errors };
}
/** The mutations of single rows. */
const mutations = (pattern: RegExp) =>
  rootFields('Mutation')
    .filter(
      ({ name, type, extensions }) =>
        pattern.test(name) &&
        !isListType(type) &&
        !ofMany.includes(extensions.action ?? '') &&
        takesScope(extensions['access']),
    )
    .map(({ name }) => name);

describe.each(mutations(/^(create|update|replace)/))('%s', (name) => {
  test('sets every field that is given', async () => {
    const variables = {
      ...(await rows.variables(rootField(name))),
      input: await rows.body(name, { full: true }, 'graphql'),
    };
    const { row, errors } = await run(name, variables);
    expect(errors).toEqual([]);
    expect(row).toMatchObject({ id: expect.any(String), ...variables.input });
  });

  test('accepts null for optional fields only', async () => {
    const fields = set(name);
    const optional = fields
      .filter((field) => mayBeNull(rowType(rootField(name).type).name, field))
      .map(({ name }) => name);
    const variables = await rows.variables(rootField(name));
    const nulls = Object.fromEntries(optional.map((field) => [field, null]));
    // In a new row null means the default, the caller's address.
    const kept = {
      ...nulls,
      ...(name === 'createHrAcknowledgment' && { ipAddress: expect.stringMatching(/^[\da-f.:]+$/) }),
    };
    expect(await run(name, { ...variables, input: { ...(variables['input'] as Row), ...nulls } })).toMatchObject({
      row: kept,
      errors: [],
    });
    const [required] = fields.filter((field) => field.required || (name.startsWith('update') && field.facts?.required));
    if (!required) return;
    const { row, errors } = await run(name, {
      ...variables,
      input: { ...(variables['input'] as Row), [required.name]: null },
    });
    expect(row).toBeNull();
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', details: { [required.name]: expect.any(String) } } },
    ]);
  });
});

test.each(mutations(/^update/))('%s keeps fields that are not given', async (name) => {
  const { id } = await rows.variables(rootField(name));
  const input = await rows.body(name, { full: true }, 'graphql');
  await run(name, { id, input });
  expect(await run(name, { id, input: {} })).toMatchObject({
    row: { id: id ?? expect.any(String), ...input },
    errors: [],
  });
});

test.each(mutations(/^delete/).filter((name) => rootField(name).args.some(({ name }) => name === 'id')))(
  '%s returns the deleted row, once',
  async (name) => {
    const variables = await rows.variables(rootField(name));
    expect(await run(name, variables)).toEqual({ row: { id: variables['id'] }, errors: [] });
    expect(await run(name, variables)).toMatchObject({ row: null, errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    const type = rowType(rootField(name).type).name;
    expect(type).toBe(name.replace('delete', ''));
  },
);

test('a duplicate is a conflict', async () => {
  const make = () => rows.client.graphql('mutation { createBuilding(input: {name: "Tower", code: "T"}) { code } }');
  expect(await make()).toMatchObject({ data: { createBuilding: { code: 'T' } }, errors: [] });
  expect(await make()).toMatchObject({
    data: { createBuilding: null },
    errors: [{ path: ['createBuilding'], extensions: { code: 'CONFLICT', status: 409 } }],
  });
});

test('a failed field affects no other, and later mutations still run', async () => {
  const { data, errors } = await rows.client.graphql(
    'mutation { a: createPaint(input: {name: "A"}) { name } b: createPaint(input: {name: " "}) { name } c: createPaint(input: {name: "C"}) { name } }',
  );
  expect(data).toEqual({ a: { name: 'A' }, b: null, c: { name: 'C' } });
  expect(errors).toMatchObject([
    { path: ['b'], extensions: { code: 'VALIDATION_ERROR', details: { name: expect.any(String) } } },
  ]);
});

test("guests' operations exist in REST alone, where each request counts", async () => {
  const announce = `announcePackage(input: {
    companySlug: "${rows.tenant.company.slug}", guestName: "Mira", guestEmail: "mira@halden.test"
  }) { id }`;
  const many = Array.from({ length: 30 }, (_, n) => `a${n}: ${announce}`).join(' ');
  const unknown = (field: string) => ({
    message: expect.stringContaining(`Cannot query field "${field}"`),
    extensions: { code: 'BAD_REQUEST' },
  });
  expect((await rows.client.graphql(`mutation { ${many} }`)).errors[0]).toMatchObject(unknown('announcePackage'));
  const { errors } = await rows.client.graphql(
    '{ announcedPackage(token: "x") { id } guestPackages(companySlug: "x", email: "a@b.test") { totalCount } }',
  );
  expect(errors).toMatchObject([unknown('announcedPackage'), unknown('guestPackages')]);
  const { data } = await rows.client.graphql<{ __schema: { types: { name: string }[] } }>(
    '{ __schema { types { name } } }',
  );
  expect(data.__schema.types.filter(({ name }) => /Announce|GuestPackage/.test(name))).toEqual([]);
  expect(await service.database.prisma.expectedPackage.count({ where: { guestEmail: 'mira@halden.test' } })).toBe(0);
});
