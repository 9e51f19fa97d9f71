// Dates and numbers that make no sense are refused, as docs/api/conventions.md says under "Values".
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { api } from '../src/schema/index.ts';
import type { Client, Row } from './support/client.ts';
import { type Collection, collectionsWith, type Field, inputFields, rootField, typeOf } from './support/resources.ts';
import { fill, Rows } from './support/rows.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  ({ client } = rows);
});
afterAll(() => service.close());

/** The numbers with limits of their own: some that are accepted, and some that are not. Others may be 0 or more. */
const limits: Readonly<Record<string, readonly [accepted: number[], refused: number[]]>> = {
  'Building.floors': [
    [1, 300],
    [0, 301],
  ],
  'Building.squareFeet': [[0.01], [0]],
  'Shipment.weightKg': [[0.0001], [0]],
  'InventoryTransfer.quantity': [[1], [0]],
  'StockAdjustment.quantity': [[1], [0]],
  'TimeClockSettings.roundingMinutes': [[0, 1440], [1441]],
  'TimeClockSettings.gracePeriodMinutes': [[0, 1440], [1441]],
  'TimeClockLocation.latitude': [
    [-90, 90],
    [-90.1, 90.1],
  ],
  'TimeClockLocation.longitude': [
    [-180, 180],
    [-180.1, 180.1],
  ],
  'TimeClockLocation.radiusMeters': [[0.0001], [0]],
  'TrainingProgram.durationMinutes': [
    [1, 525_600],
    [0, 525_601],
  ],
  'ServiceRequestTimeLog.hours': [
    [0.0001, 24],
    [0, 24.1],
  ],
  'MoveRequestTimeLog.hours': [
    [0.0001, 24],
    [0, 24.1],
  ],
};

const valuesOf = (
  type: string,
  { name, type: { name: scalar } }: Field,
): readonly [unknown[], unknown[]] | undefined => {
  if (scalar === 'Int' || scalar === 'Float') {
    const [accepted, refused] = limits[`${type}.${name}`] ?? [[0, 1], []];
    return [accepted, /itude$/.test(name) ? refused : [...refused, -1]];
  }
  const days = [
    ['1900-01-01', '2199-12-31'],
    ['0001-01-01', '1899-12-31', '2200-01-01', '9999-12-31'],
  ] as const;
  if (scalar === 'Date') return [[...days[0]], [...days[1]]];
  if (scalar !== 'DateTime') return undefined;
  return [
    [...days[0], '2199-12-31T23:59:59.999Z', '1899-12-31T23:00:00-01:00'],
    [...days[1], '1899-12-31T23:59:59.999Z', '2199-12-31T23:00:00-01:00'],
  ];
};

/** The fields of a collection's input that have limits. */
const limited = (collection: Collection, action: 'create' | 'update') =>
  inputFields(rootField(collection.on[action]?.operation.field ?? '')).flatMap((field) => {
    const values = valuesOf(typeOf(collection), field);
    return values ? [[field, values] as const] : [];
  });

const withLimits = (action: 'create' | 'update') =>
  collectionsWith(action).filter(([, collection]) => limited(collection, action).length > 0);

/** An adjustment of 0 is only refused if it adds or removes. */
const others = (collection: Collection): Row => (typeOf(collection) === 'StockAdjustment' ? { type: 'addition' } : {});

/** Whether an error is that of a limit; an order of two dates can be another one. */
const isLimit = (error: unknown) => /^must (be (between|over|at)|not be negative)/.test(String(error));

test('limits are of fields that exist', () => {
  const known = (['create', 'update'] as const).flatMap((action) =>
    collectionsWith(action).flatMap(([, collection]) =>
      limited(collection, action).map(([{ name }]) => `${typeOf(collection)}.${name}`),
    ),
  );
  expect(Object.keys(limits).filter((name) => !known.includes(name))).toEqual([]);
  expect(known.length).toBeGreaterThan(60);
});

test.each(withLimits('create'))('POST %s', async (path, collection) => {
  const target = fill(path, await rows.parents(path));
  for (const [{ rest }, [accepted, refused]] of limited(collection, 'create')) {
    // The unknown field prevents a row.
    const errorOf = async (value: unknown) =>
      (await client.post(target, { ...others(collection), [rest]: value, nonsense: 1 })).details[rest];
    for (const value of refused) expect([value, isLimit(await errorOf(value))]).toEqual([value, true]);
    for (const value of accepted) expect([value, isLimit(await errorOf(value))]).toEqual([value, false]);
  }
});

test.each(withLimits('update'))('PATCH %s', async (path, collection) => {
  const parents = fill(path, await rows.parents(path));
  const target = collection.on.update?.path.endsWith('/:id') ? `${parents}/${randomUUID()}` : parents;
  for (const [{ rest }, [accepted, refused]] of limited(collection, 'update')) {
    const errorOf = async (value: unknown) =>
      (await client.patch(target, { [rest]: value, nonsense: 1 })).details[rest];
    for (const value of refused) expect([value, isLimit(await errorOf(value))]).toEqual([value, true]);
    for (const value of accepted) expect([value, isLimit(await errorOf(value))]).toEqual([value, false]);
  }
});

const updates = api.resources
  .filter(({ actions, isSingleton }) => actions.includes('update') && !isSingleton)
  .map(({ type }) => `update${type}`);

test.each(updates)('%s in GraphQL', async (name) => {
  const type = name.slice('update'.length);
  for (const field of inputFields(rootField(name))) {
    for (const value of valuesOf(type, field)?.[1] ?? []) {
      const { errors } = await client.graphql(
        `mutation ($input: Update${type}Input!) { ${name}(id: "${randomUUID()}", input: $input) { id } }`,
        { input: { [field.name]: value } },
      );
      expect([field.name, value, errors]).toMatchObject([
        field.name,
        value,
        [{ extensions: { code: 'VALIDATION_ERROR', details: { [field.name]: expect.stringMatching(/^must /) } } }],
      ]);
    }
  }
});

describe('an order of two dates', () => {
  const pairs = api.resources.flatMap(({ type, fields }) =>
    Object.entries(fields).flatMap(([last, { notBefore }]) => (notBefore ? [[type, notBefore, last] as const] : [])),
  );

  test.each(pairs)('of a %s: %s is not after %s', async (type, first, last) => {
    const [collection] = collectionsWith('create').flatMap(([, each]) => (typeOf(each) === type ? [each] : []));
    if (!collection) throw new Error(`${type} has no POST`);
    const field = collection.on.create?.operation.field ?? '';
    const restOf = (name: string) => inputFields(rootField(field)).find((each) => each.name === name)?.rest ?? '';
    const path = fill(collection.path, await rows.parents(collection.path));
    const wrong = await rows.body(field, { values: { [first]: '2030-02-02', [last]: '2030-02-01' } });
    expect(await client.post(path, wrong)).toMatchObject({
      status: 422,
      details: { [restOf(last)]: expect.any(String) },
    });
    const body = await rows.body(field, { values: { [first]: '2030-02-01', [last]: '2030-02-02' } });
    const made = await client.post(path, body);
    expect(made.status).toBe(201);
    if (!collection.on.update) return;
    const item = `${path}/${String(made.row['id'])}`;
    for (const change of [{ [restOf(first)]: '2030-02-03' }, { [restOf(last)]: '2030-01-31' }])
      expect(await client.patch(item, change)).toMatchObject({
        status: 422,
        details: { [restOf(last)]: expect.any(String) },
      });
  });
});

test('the lines of requisitions and orders, rows of a batch and announced packages have a quantity', async () => {
  const line_items = [{ quantity: 1 }, { quantity: 0 }];
  for (const [path, body] of [
    ['/procurement/requisitions', { title: 'Lamps' }],
    ['/procurement/orders', {}],
  ] as const)
    expect((await client.post(path, { ...body, line_items })).details).toEqual({
      'line_items.1.quantity': 'must be over 0',
    });
  const items = [{ name: 'Lamp' }, { name: 'Lamp', quantity: -1 }];
  expect(Object.keys((await client.post('/inventory/batch', { items })).details)).toEqual(['items.1.quantity']);
  const guest = { company_slug: rows.tenant.company.slug, guest_name: 'Mira', guest_email: 'mira@halden.test' };
  const announced = await client.post('/public/expected-packages', {
    ...guest,
    quantity: 0,
    expected_date: '0026-12-01',
  });
  expect(Object.keys(announced.details).sort()).toEqual(['expected_date', 'quantity']);
});

test('a row from before can be read, filtered by, and changed otherwise', async () => {
  const { id: companyId } = rows.tenant.company;
  const { prisma } = service.database;
  const building = { companyId, name: 'Old', floors: 0, squareFeet: 0 };
  const lease = { companyId, name: 'Ancient', startDate: new Date('0001-01-01'), endDate: new Date('9999-12-31') };
  for (const [path, { id }, shown] of [
    ['/locations/buildings', await prisma.building.create({ data: building }), { floors: 0, square_feet: 0 }],
    ['/leases', await prisma.lease.create({ data: lease }), { start_date: '0001-01-01', end_date: '9999-12-31' }],
  ] as const) {
    expect((await client.get(`${path}/${id}`)).row).toMatchObject(shown);
    expect((await client.get(path, shown)).rows).toMatchObject([{ id }]);
    expect(await client.patch(`${path}/${id}`, { name: 'New' })).toMatchObject({ status: 200, row: { name: 'New' } });
    expect((await client.get(`${path}/${id}`)).row).toMatchObject(shown);
  }
});

test('the OpenAPI document has the limits of numbers', async () => {
  const { components } = (await client.get('/openapi.json')).json as unknown as {
    components: { schemas: Record<string, { properties: Row }> };
  };
  expect(components.schemas['CreateBuildingInput']?.properties).toMatchObject({
    floors: { minimum: 1, maximum: 300 },
    square_feet: { exclusiveMinimum: 0 },
  });
  expect(components.schemas['CreateInventoryTransferInput']?.properties).toMatchObject({ quantity: { minimum: 1 } });
  expect(components.schemas['AnnouncePackageInput']?.properties).toMatchObject({ quantity: { minimum: 1 } });
});
