// What moves `updated_at`, as docs/api/conventions.md says under "Requests and responses".
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Row } from './support/client.ts';
import { collectionsWith } from './support/resources.ts';
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

const read = async (path: string): Promise<Row> => (await client.get(path)).row;
const withoutTime = ({ updated_at, ...others }: Row): Row => others;

/** Runs a write. @returns whether it moved `updated_at` of the row at a path, and whether it changed other fields */
async function effectOn(path: string, write: () => Promise<{ status: number }>) {
  const before = await read(path);
  expect(before['updated_at']).toEqual(expect.any(String));
  await setTimeout(2); // Two writes can be in one millisecond.
  expect((await write()).status).toBeLessThan(300);
  const after = await read(path);
  const moved = String(after['updated_at']) > String(before['updated_at']);
  const changed = JSON.stringify(withoutTime(after)) !== JSON.stringify(withoutTime(before));
  return { moved, changed };
}

test.each(collectionsWith('create', 'read', 'update'))(
  'PATCH %s moves it if a value differs',
  async (_, collection) => {
    const { id, ...row } = await rows.make(collection);
    const path = `${fill(collection.path, await rows.parents(collection.path))}/${String(id)}`;
    const change = await rows.change(collection.on.update?.operation.field ?? '', 'rest', row);
    expect(await effectOn(path, () => client.patch(path, change))).toEqual({ moved: true, changed: true });
    expect(await effectOn(path, () => client.patch(path, change))).toEqual({ moved: false, changed: false });
  },
);

const below = collectionsWith('create').filter(([path]) => path.includes('/:'));

test.each(below)('a row of %s moves that of its parent only by changing it', async (path, collection) => {
  const parents = await rows.parents(path);
  const parent = fill(path.slice(0, path.lastIndexOf('/')), parents);
  let id = '';
  const created = await effectOn(parent, async () => {
    const body = await rows.body(collection.on.create?.operation.field ?? '', { full: true });
    const reply = await client.post(fill(path, parents), body);
    id = String(reply.row['id']);
    return reply;
  });
  expect(created.moved).toBe(created.changed);
  if (!collection.on.delete?.path.endsWith('/:id')) return;
  expect(await effectOn(parent, () => client.delete(`${fill(path, parents)}/${id}`))).toEqual({
    moved: false,
    changed: false,
  });
});

const make = async (path: string, body: Row) => String((await client.post(path, body)).row['id']);

test('a rule that leaves the values of a row as they are does not move it', async () => {
  const hall = await make('/locations/buildings', { name: 'Hall' });

  const item = `/inventory/${await make('/inventory', { name: 'Lamp', quantity: 4, location_id: hall })}`;
  const adjust = (quantity: number) => client.post(`${item}/adjustments`, { type: 'correction', quantity });
  expect(await effectOn(item, () => adjust(4))).toEqual({ moved: false, changed: false });
  expect(await effectOn(item, () => adjust(3))).toEqual({ moved: true, changed: true });
  const transfer = { item_id: item.split('/').pop(), quantity: 3, to_location_id: hall, status: 'completed' };
  expect(await effectOn(item, () => client.post('/procurement/transfers', transfer))).toEqual({
    moved: false,
    changed: false,
  });

  const asset = `/assets/${await make('/assets', { asset_name: 'Printer', building_id: hall })}`;
  const moveTo = (to_location: string) => client.post(`${asset}/transfers`, { to_location });
  expect(await effectOn(asset, () => moveTo(hall))).toEqual({ moved: false, changed: false });
  const annex = await make('/locations/buildings', { name: 'Annex' });
  expect(await effectOn(asset, () => moveTo(annex))).toEqual({ moved: true, changed: true });

  const desk = await make('/butts-in-seats/desks', { name: 'By the door', is_assigned: true });
  const assign = () => client.post('/butts-in-seats/employees', { desk_id: desk });
  expect(await effectOn(`/butts-in-seats/desks/${desk}`, assign)).toEqual({ moved: false, changed: false });
});

test('line items move it, and rows that it refers to do not', async () => {
  const vendor = `/vendors/${await make('/vendors', { company_name: 'Acme' })}`;
  const line = { quantity: 2, unit_price: 3 };
  const body = { title: 'Lamps', vendor_id: vendor.split('/').pop(), line_items: [line] };
  const requisition = `/procurement/requisitions/${await make('/procurement/requisitions', body)}`;
  const total = (await read(requisition))['total_amount'];
  const split = {
    line_items: [
      { ...line, quantity: 1 },
      { ...line, quantity: 1 },
    ],
  };
  expect(await effectOn(requisition, () => client.patch(requisition, split))).toEqual({ moved: true, changed: true });
  expect(await read(requisition)).toMatchObject({ total_amount: total, vendor: { company_name: 'Acme' } });
  // The summary of the vendor is not a field of its own.
  const rename = () => client.patch(vendor, { company_name: 'Acme & Sons' });
  expect(await effectOn(requisition, rename)).toEqual({ moved: false, changed: true });
});

test("a company's moves with its settings", async () => {
  const { id } = rows.tenant.company;
  const set = async () => {
    await service.database.prisma.company.update({ where: { id }, data: { currency: 'EUR' } });
    return { status: 200 };
  };
  expect(await effectOn(`/companies/${id}`, set)).toEqual({ moved: true, changed: false });
});
