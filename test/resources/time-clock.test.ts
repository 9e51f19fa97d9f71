import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { countStatuses } from './days.ts';

let service: Service;
let client: Client;
/** Ids of the company's members; the first is the caller. */
let ada: string;
let ben: string;
let cleo: string;
let location: string;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = '', cleo = ''] = tenant.users.map(({ id }) => id);
  location = String((await client.post('/time-clock/locations', { name: 'Head office' })).row['id']);
});
afterAll(() => service.close());

const path = '/time-clock/records';
const patchSettings = (settings: Row) => client.patch('/time-clock/settings', settings);
const defaults = { require_location: false, allow_overtime: true, rounding_minutes: 1, grace_period_minutes: 0 };
afterEach(() => patchSettings(defaults));

/** A closed record. */
const shift = (body: Row = {}) =>
  client.post(path, { clock_in_time: '2026-03-02T08:00:00Z', clock_out_time: '2026-03-02T16:00:00Z', ...body });
const item = async (body: Row = {}) => `${path}/${String((await shift(body)).row['id'])}`;

describe('the settings', () => {
  test('exist from the start, also in the sandbox', async () => {
    const other = await service.tenant();
    for (const live of [true, false]) {
      const { status, row } = await (await other.client(['*'], { live })).get('/time-clock/settings');
      expect([status, row]).toEqual([
        200,
        { id: expect.any(String), ...defaults, created_at: expect.any(String), updated_at: expect.any(String) },
      ]);
    }
  });

  test('are one row, which is updated but never created or deleted', async () => {
    expect(await patchSettings({ rounding_minutes: 15, grace_period_minutes: 5 })).toMatchObject({
      status: 200,
      row: { rounding_minutes: 15, grace_period_minutes: 5 },
    });
    expect((await client.get('/time-clock/settings')).row).toMatchObject({
      ...defaults,
      rounding_minutes: 15,
      grace_period_minutes: 5,
    });
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await client.request(method, '/time-clock/settings', { body: {} })).status).toBe(405);
  });

  test.each<[Row, string]>([
    [{ rounding_minutes: -1 }, 'rounding_minutes'],
    [{ rounding_minutes: 1.5 }, 'rounding_minutes'],
    [{ rounding_minutes: null }, 'rounding_minutes'],
    [{ grace_period_minutes: -1 }, 'grace_period_minutes'],
    [{ allow_overtime: 'no' }, 'allow_overtime'],
  ])('reject %j', async (body, field) => {
    expect(Object.keys((await patchSettings(body)).details)).toEqual([field]);
  });
});

describe('an open record', () => {
  afterEach(() => service.database.prisma.timeClockRecord.deleteMany());

  test('defaults to the caller and now', async () => {
    const { status, row } = await client.post(path, {});
    expect([status, row]).toMatchObject([
      201,
      { user_id: ada, type: 'regular', clock_out_time: null, worked_minutes: null, location_id: null, notes: null },
    ]);
    expect(Math.abs(Date.parse(String(row['clock_in_time'])) - Date.now())).toBeLessThan(5000);
  });

  test('is the only one of its user', async () => {
    const { row } = await client.post(path, { user_id: ben });
    expect(await client.post(path, { user_id: ben })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { user_id: expect.any(String) } },
    });
    expect((await client.post(path, { user_id: cleo })).status).toBe(201);
    // A closed record does not conflict, and after the open one is closed another can be created.
    expect((await shift({ user_id: ben })).status).toBe(201);
    expect((await client.patch(`${path}/${String(row['id'])}`, { clock_out_time: '2100-01-01' })).status).toBe(200);
    expect((await client.post(path, { user_id: ben })).status).toBe(201);
  });

  test('cannot be reopened or reassigned beside another', async () => {
    const over = await item({ user_id: ben });
    const { row } = await client.post(path, { user_id: ben });
    expect((await client.patch(over, { clock_out_time: null })).details).toEqual({ user_id: expect.any(String) });
    expect((await client.get(over)).row).toMatchObject({ clock_out_time: '2026-03-02T16:00:00.000Z' });
    const mine = await client.post(path, {});
    expect((await client.patch(`${path}/${String(mine.row['id'])}`, { user_id: ben })).status).toBe(409);
    expect((await client.patch(`${path}/${String(row['id'])}`, { user_id: cleo })).status).toBe(200);
    expect((await client.patch(over, { clock_out_time: null })).status).toBe(200);
  });

  test('is created once of several concurrent ones', async () => {
    expect(await countStatuses(30, () => client.post(path, { user_id: ben }))).toEqual({ 201: 1, 409: 29 });
    expect((await client.get(path, { user_id: ben })).meta.total).toBe(1);
  });
});

describe('a record', () => {
  test('is never deleted', async () => {
    expect((await client.delete(await item())).status).toBe(405);
    const { data } = await client.graphql<{ __schema: { mutationType: { fields: { name: string }[] } } }>(
      '{ __schema { mutationType { fields { name } } } }',
    );
    expect(data.__schema.mutationType.fields.filter(({ name }) => /^deleteTimeClock/.test(name))).toEqual([]);
  });

  test('must not end before it begins', async () => {
    expect((await shift({ clock_out_time: '2026-03-02T07:59:59Z' })).details).toEqual({
      clock_out_time: expect.any(String),
    });
    expect((await client.post(path, { clock_out_time: '2020-01-01' })).details).toEqual({
      clock_out_time: expect.any(String),
    });
    expect((await shift({ clock_out_time: '2026-03-02T08:00:00Z' })).row['worked_minutes']).toBe(0);
    expect((await client.patch(await item(), { clock_in_time: '2026-03-02T16:00:01Z' })).details).toEqual({
      clock_out_time: expect.any(String),
    });
  });

  test('cannot be overtime if that is not allowed', async () => {
    const before = await item({ type: 'overtime' });
    const regular = await item();
    await patchSettings({ allow_overtime: false });
    expect((await shift({ type: 'overtime' })).details).toEqual({ type: expect.any(String) });
    expect((await client.patch(regular, { type: 'overtime' })).details).toEqual({ type: expect.any(String) });
    expect((await client.patch(regular, { type: 'break' })).status).toBe(200);
    // Existing overtime stays, but cannot be set again.
    expect((await client.patch(before, { type: 'overtime', notes: 'Late' })).status).toBe(200);
    expect((await client.patch(before, { type: 'regular' })).status).toBe(200);
    expect((await client.patch(before, { type: 'overtime' })).status).toBe(422);
  });

  test('requires a location if the settings do', async () => {
    const before = await item();
    const placed = await item({ location_id: location });
    await patchSettings({ require_location: true });
    expect((await shift()).details).toEqual({ location_id: expect.any(String) });
    expect((await shift({ location_id: null })).details).toEqual({ location_id: expect.any(String) });
    expect((await shift({ location_id: location })).status).toBe(201);
    expect((await client.patch(before, { notes: 'Where?', location_id: null })).status).toBe(200);
    expect((await client.patch(placed, { location_id: null })).details).toEqual({ location_id: expect.any(String) });
  });

  test('reports all errors at once', async () => {
    await patchSettings({ allow_overtime: false, require_location: true });
    const { details } = await shift({ type: 'overtime', user_id: randomUUID(), clock_out_time: '2026-03-02' });
    expect(Object.keys(details).sort()).toEqual(['clock_out_time', 'location_id', 'type', 'user_id']);
    expect(Object.keys((await shift({ location_id: 'here' })).details)).toEqual(['location_id']);
  });

  test('belongs to the UTC day of its start', async () => {
    const times = [
      '2026-04-01T00:00:00Z',
      '2026-04-01T23:59:59.999Z',
      '2026-04-02T00:00:00Z',
      '2026-04-03T12:00:00Z',
      '2026-04-01T23:30:00-02:00',
      '2199-12-31T10:00:00Z',
    ];
    for (const [n, clock_in_time] of times.entries())
      await shift({ clock_in_time, clock_out_time: '2199-12-31T12:00:00Z', notes: String(n) });
    const on = async (query: Row) =>
      (await client.get(path, { ...query, sort: 'notes', order: 'asc' })).rows.map(({ notes }) => notes);
    expect(await on({ date: '2026-04-01' })).toEqual(['0', '1']);
    expect(await on({ date: '2026-04-02' })).toEqual(['2', '4']);
    expect(await on({ date: '2026-04-01,2026-04-03' })).toEqual(['0', '1', '3']);
    expect(await on({ date: ['2026-04-03', '2199-12-31'] })).toEqual(['3', '5']);
    expect(await on({ date: '2026-04-04' })).toEqual([]);
    expect(await on({ date: '2026-04-02', type: 'regular' })).toEqual(['2', '4']);
    expect(await on({ type: 'regular', date: '2026-04-02' })).toEqual(['2', '4']);
    expect(await on({ date: '2026-04-02', type: 'overtime' })).toEqual([]);
    for (const date of ['2026-02-30', 'today', '2026-04-01T10:00:00Z'])
      expect((await client.get(path, { date })).status).toBe(400);
    expect((await client.get(path, { date: Array<string>(1001).fill('2026-04-01').join() })).status).toBe(400);
  });
});

describe('the minutes worked', () => {
  /** A time shortly after 8:30. */
  const span = (out: string) => ({ clock_in_time: '2026-03-02T08:30:00Z', clock_out_time: `2026-03-02T${out}Z` });

  test.each<[number, string, number]>([
    [0, '09:00:30', 31],
    [15, '16:40:00', 495],
  ])('rounded to %d, until %s: %d', async (rounding_minutes, out, minutes) => {
    await patchSettings({ rounding_minutes });
    const { row } = await shift(span(out));
    expect(row['worked_minutes']).toBe(minutes);
    expect((await client.get(`${path}/${String(row['id'])}`)).row['worked_minutes']).toBe(minutes);
  });

  test('are exact for very long records', async () => {
    // 300 years but for the last day. Of the 75 that four divides, 1900 and 2100 are no leap years.
    const { row } = await shift({ clock_in_time: '1900-01-01', clock_out_time: '2199-12-31' });
    expect(row['worked_minutes']).toBe((300 * 365 + 75 - 2 - 1) * 1440);
  });

  test('keep the settings of the time the record was closed, and are read-only', async () => {
    const record = await item(span('09:04:00'));
    await patchSettings({ rounding_minutes: 10 });
    expect((await client.get(record)).row['worked_minutes']).toBe(34);
    await client.patch(record, { notes: 'Late' });
    expect((await client.get(record)).row['worked_minutes']).toBe(34);
    expect(Object.keys((await client.patch(record, { worked_minutes: 1 })).details)).toEqual(['worked_minutes']);
  });

  test('are computed again when the times of a closed record change', async () => {
    const record = await item(span('09:04:00'));
    await patchSettings({ rounding_minutes: 10 });
    await client.patch(record, span('09:05:00'));
    expect((await client.get(record)).row['worked_minutes']).toBe(40);
    await client.patch(record, { clock_out_time: null });
    expect((await client.get(record)).row['worked_minutes']).toBe(null);
  });

  test('can be filtered, sorted and summed in lists', async () => {
    const notes = randomUUID();
    for (const out of ['09:04:00', '09:20:00', '08:34:00']) await shift({ ...span(out), notes });
    await shift({ user_id: cleo, clock_out_time: null, notes });
    const list = async (query: Row) =>
      (await client.get(path, { notes, ...query })).rows.map(({ worked_minutes }) => worked_minutes);
    const sum = async () => {
      const query =
        'query ($notes: String!) { timeClockRecords(filter: { notes: { eq: $notes } }) { aggregates(orderBy: [{ field: "count", direction: DESC }]) { key { userId } count workedMinutes { sum max } } } }';
      const { data } = await client.graphql<{ timeClockRecords: { aggregates: Row[] } }>(query, { notes });
      return data.timeClockRecords.aggregates;
    };
    const open = { key: { userId: cleo }, count: 1, workedMinutes: { sum: null, max: null } };
    expect(await list({ sort: 'worked_minutes', order: 'asc' })).toEqual([4, 34, 50, null]);
    expect(await sum()).toEqual([{ key: { userId: ada }, count: 3, workedMinutes: { sum: 88, max: 50 } }, open]);
    await patchSettings({ rounding_minutes: 60 });
    expect(await list({ worked_minutes: '34,50' })).toEqual([50, 34]);
    expect(await list({ sort: 'worked_minutes', order: 'desc' })).toEqual([50, 34, 4, null]);
  });

  test('take no statement per row', async () => {
    const statements = async (limit: number) => {
      service.statements.length = 0;
      expect((await client.get(path, { limit })).rows).toHaveLength(limit);
      return service.statements.length;
    };
    for (let n = 0; n < 10; n++) await shift();
    await statements(1);
    expect(await statements(10)).toBe(await statements(1));
  });
});

describe('an approved location', () => {
  const make = (body: Row) => client.post('/time-clock/locations', { name: 'Depot', ...body });

  test.each<[Row]>([
    [{ latitude: -90, longitude: -180 }],
    [{ latitude: 90, longitude: 180, radius_meters: 0.5 }],
    [{ latitude: -33.8688, longitude: 151.2093, radius_meters: 50.5 }],
  ])('may be at %j', async (body) => {
    expect(await make(body)).toMatchObject({ status: 201, row: { radius_meters: null, ...body } });
  });

  test.each<[Row, string]>([
    [{ latitude: 90.0001 }, 'latitude'],
    [{ latitude: -91 }, 'latitude'],
    [{ longitude: 180.5 }, 'longitude'],
    [{ longitude: -181 }, 'longitude'],
    [{ radius_meters: 0 }, 'radius_meters'],
    [{ radius_meters: -1 }, 'radius_meters'],
  ])('cannot be at %j', async (body, field) => {
    expect(Object.keys((await make(body)).details)).toEqual([field]);
  });

  test('lists its records', async () => {
    const { row } = await make({});
    await shift({ location_id: row['id'], notes: 'At the depot' });
    const { data } = await client.graphql(
      'query ($id: ID!) { timeClockLocation(id: $id) { records { nodes { notes user { id } } } } }',
      { id: row['id'] },
    );
    expect(data['timeClockLocation']).toEqual({ records: { nodes: [{ notes: 'At the depot', user: { id: ada } }] } });
  });
});
