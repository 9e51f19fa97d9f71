import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findOverlaps } from '../../src/schema/desk/overlaps.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { refresh } from '../support/stale.ts';
import { at, date, day } from './days.ts';
import { deskActions, desks, records } from './desk-rows.ts';

let service: Service;
let client: Client;
let tenant: Tenant;
/** Ids of the company's members; the first is the caller. */
let ada: string;
let ben: string;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = ''] = tenant.users.map(({ id }) => id);
});
afterAll(() => service.close());

const { desk, isAssigned, sit, seat, update } = deskActions(() => client);

describe('a desk', () => {
  test('requires no field, and is free', async () => {
    expect((await client.post(desks, {})).row).toMatchObject({
      name: null,
      floor: null,
      building_id: null,
      is_assigned: false,
    });
  });

  test('can be assigned by hand while no record is active', async () => {
    const id = await desk({ is_assigned: true });
    expect(await isAssigned(id)).toBe(true);
    expect((await client.patch(`${desks}/${id}`, { is_assigned: false })).status).toBe(200);
    expect((await sit(id)).status).toBe(201);
    expect(await client.patch(`${desks}/${id}`, { is_assigned: false, floor: '3' })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { is_assigned: expect.any(String) } },
    });
    expect((await client.get(`${desks}/${id}`)).row).toMatchObject({ is_assigned: true, floor: null });
    expect((await client.patch(`${desks}/${id}`, { is_assigned: true, floor: '3' })).status).toBe(200);
  });

  test('can be filtered by whether it is assigned', async () => {
    const [free, taken] = [await desk({ floor: 'Attic' }), await desk({ floor: 'Attic' })];
    await sit(taken);
    const found = async (is_assigned: boolean) =>
      (await client.get(desks, { floor: 'Attic', is_assigned })).rows.map(({ id }) => id);
    expect([await found(false), await found(true)]).toEqual([[free], [taken]]);
  });

  test('cannot be deleted while records refer to it', async () => {
    const id = await desk();
    await sit(id, { end_date: '2020-01-01' });
    expect((await client.delete(`${desks}/${id}`)).status).toBe(409);
  });
});

describe('a workspace record', () => {
  test('defaults to the caller, and takes its desk', async () => {
    const id = await desk();
    const { status, row } = await sit(id);
    expect([status, row]).toEqual([
      201,
      {
        external_source: null,
        external_id: null,
        id: expect.any(String),
        user_id: ada,
        desk_id: id,
        department: null,
        start_date: null,
        end_date: null,
        notes: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect(await isAssigned(id)).toBe(true);
  });

  test('requires no desk', async () => {
    const { status, row } = await client.post(records, { user_id: ben, department: 'Legal' });
    expect([status, row]).toMatchObject([201, { user_id: ben, desk_id: null, department: 'Legal' }]);
  });

  test('is the only active record of its desk', async () => {
    const { id } = await seat();
    expect(await sit(id, { user_id: ben })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { desk_id: expect.any(String) } },
    });
    // An ended record takes no desk.
    expect((await sit(id, { user_id: ben, end_date: day(-1) })).status).toBe(201);
    expect(await isAssigned(id)).toBe(true);
  });

  test.each([
    [day(-1), false],
    [day(), true],
    [day(1), true],
    [null, true],
  ])('that ends on %s occupies its desk: %s', async (end_date, assigned) => {
    expect(await isAssigned((await seat({ end_date })).id)).toBe(assigned);
  });

  test('must not end before it begins', async () => {
    expect((await client.post(records, { start_date: '2026-03-02', end_date: '2026-03-01' })).details).toEqual({
      end_date: expect.any(String),
    });
  });

  test('requires a desk of the company', async () => {
    expect((await sit(randomUUID())).details).toEqual({ desk_id: expect.any(String) });
    const { record } = await seat();
    expect(await update(record, { deskId: randomUUID() })).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { deskId: expect.any(String) },
    });
    const other = await (await service.tenant()).client();
    expect((await sit(String((await other.post(desks, {})).row['id']))).status).toBe(422);
  });

  test('is listed and created in REST, read and updated in GraphQL, and never deleted', async () => {
    const { record } = await seat();
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await client.request(method, `${records}/${record}`)).status).toBe(404);
    expect(
      (await client.graphql('query ($id: ID!) { workspaceRecord(id: $id) { user { id } } }', { id: record })).data,
    ).toEqual({ workspaceRecord: { user: { id: ada } } });
    expect(
      (await client.graphql('mutation ($id: ID!) { deleteWorkspaceRecord(id: $id) { id } }', { id: record })).errors,
    ).toHaveLength(1);
  });
});

describe('two workspace records of a desk', () => {
  const taken = {
    status: 409,
    error: { code: 'CONFLICT', details: { desk_id: 'is taken for a part of this period' } },
  };
  const between = (start: number | null, end: number | null) => ({
    start_date: start === null ? null : day(start),
    end_date: end === null ? null : day(end),
  });

  test.each<[string, [number | null, number | null], [number | null, number | null], boolean]>([
    ['after another', [10, 20], [21, null], true],
    ['before another', [10, 20], [1, 9], true],
    ['from today until before another', [10, 20], [null, 9], true],
    ['in the past', [null, null], [-300, -200], true],
    ['after another in the past', [-300, -200], [-199, -100], true],
    ['that ended before it was created', [null, null], [null, -1], true],
    ['from the last day of another', [10, 20], [20, 30], false],
    ['within another', [10, 20], [12, 13], false],
    ['around another', [10, 20], [1, null], false],
    ['from today without an end', [10, 20], [null, null], false],
    ['from the last day of another in the past', [-300, -200], [-200, -100], false],
    ['after the start of another without an end', [-5, null], [100, 101], false],
  ])('conflict only if they overlap: one %s', async (_, first, second, allowed) => {
    const id = await desk();
    expect((await sit(id, between(...first))).status).toBe(201);
    const reply = await sit(id, { user_id: ben, ...between(...second) });
    expect(reply).toMatchObject(allowed ? { status: 201 } : taken);
  });

  test('conflict if an update makes them overlap', async () => {
    const id = await desk();
    await sit(id, between(10, 20));
    const record = String((await sit(id, between(21, null))).row['id']);
    expect(await update(record, { startDate: day(20) })).toMatchObject({
      code: 'CONFLICT',
      details: { deskId: 'is taken for a part of this period' },
    });
    expect(await update(record, { startDate: null })).toMatchObject({ code: 'CONFLICT' });
    expect(await update(record, { startDate: day(22) })).toMatchObject({ deskId: id });
    const elsewhere = String((await sit(await desk(), between(15, 16))).row['id']);
    expect(await update(elsewhere, { deskId: id })).toMatchObject({ code: 'CONFLICT' });
    expect(await update(elsewhere, { startDate: day(1), endDate: day(9) })).toMatchObject({ endDate: day(9) });
    expect(await update(elsewhere, { deskId: id })).toMatchObject({ deskId: id });
  });

  test('assign it in their own periods', async () => {
    const { id } = await seat({ end_date: day(2) });
    await sit(id, { user_id: ben, ...between(4, 5) });
    const other = await desk();
    await sit(other, between(3, null));
    expect(await isAssigned(other)).toBe(false);
    const days = [
      [2, true],
      [3, false],
      [4, true],
      [5, true],
      [6, false],
    ] as const;
    for (const [n, assigned] of days) {
      await at(`${day(n)}T00:00:01Z`, async () => {
        expect([n, await isAssigned(id), await isAssigned(other)]).toEqual([n, assigned, n >= 3]);
        expect((await client.patch(`${desks}/${id}`, { is_assigned: false })).status).toBe(assigned ? 409 : 200);
      });
    }
  });

  test('keep it assigned from one day to the next', async () => {
    const { id } = await seat({ end_date: day(2) });
    await sit(id, { user_id: ben, ...between(3, null) });
    for (const n of [2, 3]) await at(`${day(n)}T00:00:01Z`, async () => expect(await isAssigned(id)).toBe(true));
  });

  test('remain if they overlap already, and are reported', async () => {
    const { id, record } = await seat();
    const other = await service.database.prisma.workspaceRecord.create({
      data: { companyId: tenant.company.id, userId: ben, deskId: id, startDate: date(day(-9)), endDate: date(day(9)) },
    });
    expect(await findOverlaps(service.database.prisma)).toEqual([
      expect.objectContaining({ company: tenant.company.slug, deskId: id, recordId: record, otherId: other.id }),
    ]);
    await refresh(service, tenant);
    expect(await update(other.id, { notes: 'By the window', endDate: day(9) })).toMatchObject({ deskId: id });
    expect(await update(other.id, { endDate: day(8) })).toMatchObject({ code: 'CONFLICT' });
    expect(await update(other.id, { endDate: day(-1) })).toMatchObject({ deskId: id });
    expect(await findOverlaps(service.database.prisma)).toEqual([]);
    expect(await isAssigned(id)).toBe(true);
  });
});

describe('a desk becomes free', () => {
  test('when its record ends', async () => {
    const { id, record } = await seat();
    expect(await update(record, { endDate: day(-1) })).toMatchObject({ desk: { isAssigned: false } });
    expect(await isAssigned(id)).toBe(false);
    expect((await sit(id, { user_id: ben })).status).toBe(201);
    // Its first record cannot be reopened now.
    expect(await update(record, { endDate: null })).toMatchObject({
      code: 'CONFLICT',
      details: { deskId: expect.any(String) },
    });
    expect(await isAssigned(id)).toBe(true);
  });

  test('but not when other fields of its record change', async () => {
    const { id, record } = await seat();
    expect(await update(record, { notes: 'By the window', endDate: day(7) })).toMatchObject({
      desk: { isAssigned: true },
    });
    expect(await isAssigned(id)).toBe(true);
  });

  test('when its record moves to another desk', async () => {
    const { id: first, record } = await seat();
    const second = await desk();
    expect(await update(record, { deskId: second })).toMatchObject({ deskId: second, desk: { isAssigned: true } });
    expect([await isAssigned(first), await isAssigned(second)]).toEqual([false, true]);
    const { id: third } = await seat();
    expect(await update(record, { deskId: third })).toMatchObject({ code: 'CONFLICT' });
    expect([await isAssigned(second), await isAssigned(third)]).toEqual([true, true]);
    expect(await update(record, { deskId: null })).toMatchObject({ deskId: null });
    expect(await isAssigned(second)).toBe(false);
  });

  test('after the last day of its record', async () => {
    const { id } = await seat({ end_date: day(2), department: 'Passing' });
    const { id: other } = await seat({ end_date: day(3), department: 'Passing' });
    const free = async () =>
      (await client.get(desks, { id: `${id},${other}`, is_assigned: false })).rows.map(({ id }) => id);
    await at(`${day(2)}T23:59:59Z`, async () => expect(await free()).toEqual([]));
    await at(`${day(3)}T00:00:01Z`, async () => {
      expect(await free()).toEqual([id]);
      expect((await sit(id, { user_id: ben })).status).toBe(201);
      expect((await sit(other)).status).toBe(409);
    });
  });

  test.each<[string, (id: string) => Promise<unknown>, unknown]>([
    ['a new record', async (id) => (await sit(id)).status, 201],
    ['a change of the desk', async (id) => (await client.patch(`${desks}/${id}`, { is_assigned: false })).status, 200],
    [
      'a list inside a building',
      async (id) => {
        const { row } = await client.post('/locations/buildings', { name: 'Tower' });
        await service.database.prisma.desk.updateMany({ where: { id }, data: { buildingId: String(row['id']) } });
        return (
          await client.graphql('query ($id: ID!) { building(id: $id) { desks { nodes { isAssigned } } } }', {
            id: row['id'],
          })
        ).data['building'];
      },
      { desks: { nodes: [{ isAssigned: false }] } },
    ],
    [
      "a user's records",
      async (id) => {
        const { data } = await client.graphql<{ user: { workspaceRecords: { nodes: Row[] } } }>(
          'query ($id: ID!, $desk: [ID!]) { user(id: $id) { workspaceRecords(filter: { deskId: { in: $desk } }) { nodes { desk { isAssigned } } } } }',
          { id: ada, desk: [id] },
        );
        return data.user.workspaceRecords.nodes;
      },
      [{ desk: { isAssigned: false } }],
    ],
  ])('for %s', async (_, look, seen) => {
    const { id, record } = await seat();
    await service.database.prisma.workspaceRecord.updateMany({
      where: { id: record },
      data: { endDate: date(day(-1)) },
    });
    await refresh(service, tenant);
    expect(await look(id)).toEqual(seen);
  });
});
