// Ids of new rows that clients choose.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { collectionsWith } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let others: Rows;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  others = await Rows.of(service, await service.tenant());
});
afterAll(() => service.close());

describe.each(collectionsWith('create'))('POST %s', (_path, collection) => {
  const create = async (by: Rows, id: unknown) => {
    const body = await by.body(collection.on.create?.operation.field ?? '', { values: { id } });
    return by.client.post(fill(collection.path, await by.parents(collection.path)), body);
  };

  test('takes an id, in each company once', async () => {
    const id = randomUUID();
    expect(await create(rows, id.toUpperCase())).toMatchObject({ status: 201, row: { id } });
    const again = await create(rows, id);
    expect([again.status, again.error.details]).toEqual([409, { id: 'is taken' }]);
    // Nobody learns what ids other companies have.
    expect(await create(others, id)).toMatchObject({ status: 201, row: { id } });
  });

  test('refuses what is no UUID', async () => {
    const reply = await create(rows, 'one');
    expect([reply.status, reply.details]).toEqual([422, { id: 'must be a uuid' }]);
  });
});

test('ids of several rows are named by their position', async () => {
  const [one, two] = [randomUUID(), randomUUID()];
  const item = (id: string, name: string) => ({ id, name });
  const post = (...items: object[]) => rows.client.post('/inventory/batch', { items });
  expect((await post(item(one, 'One'))).status).toBe(201);
  const stored = await post(item(two, 'Two'), item(one, 'One'));
  expect([stored.status, stored.error.details]).toEqual([409, { 'items.1.id': 'is taken' }]);
  const twice = await post(item(two, 'Two'), item(two, 'Two'));
  expect([twice.status, twice.error.details]).toEqual([409, { 'items.1.id': 'is the same as in items.0' }]);
});

test('later fields of an atomic document refer to rows that earlier ones create', async () => {
  const id = randomUUID();
  const { data, errors } = await rows.client.graphql(`mutation @atomic {
    createPaint(input: { id: "${id}", name: "Harbour white" }) { id }
    createPaintLocation(paintId: "${id}", input: { room: "4.12" }) { paint { name } }
  }`);
  expect(errors).toEqual([]);
  expect(data).toEqual({
    createPaint: { id },
    createPaintLocation: { paint: { name: 'Harbour white' } },
  });
});
