import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

describe('a service request with a location', () => {
  let tower: string;
  let annex: string;
  beforeAll(async () => {
    tower = String((await client.post('/locations/buildings', { name: 'The Tower', code: 'TWR' })).row['id']);
    annex = String((await client.post('/locations/buildings', { name: 'Annex' })).row['id']);
  });
  const make = (body: Row) => client.post('/service-requests', { title: 'Lamp', ...body });

  test.each(['TWR', 'twr', 'the tower', ' THE TOWER '])(
    'resolves a building by its code or name: %j',
    async (building) => {
      expect((await make({ location: { building, floor: '3', area: 'West' } })).row).toMatchObject({
        building_id: tower,
        floor: '3',
        room: 'West',
      });
    },
  );

  test('prefers an exact name, and rejects ambiguous ones', async () => {
    const build = async (name: string, code?: string) =>
      String((await client.post('/locations/buildings', { name, code })).row['id']);
    const [upper, lower, north] = [
      await build('Head office', 'HQ'),
      await build('Old office', 'hq'),
      await build('NTH'),
    ];
    const northern = await build('North', 'nth');
    for (const [building, found] of [
      ['HQ', upper],
      ['hq', lower],
      ['NTH', north],
      ['nth', northern],
      ['north', northern],
    ])
      expect((await make({ location: { building } })).row).toMatchObject({ building_id: found });
    await build('Twin');
    await build('Twin');
    for (const building of ['Hq', 'Nth', 'Twin', 'twin'])
      expect((await make({ location: { building } })).details).toEqual({
        'location.building': 'is the code or name of several buildings; give its id instead',
      });
  });

  test('accepts a part of a location', async () => {
    expect((await make({ location: { building: 'annex' } })).row).toMatchObject({
      building_id: annex,
      floor: null,
      room: null,
    });
    expect((await make({ location: {} })).row).toMatchObject({ building_id: null, floor: null, room: null });
    expect((await make({ location: null })).row).toMatchObject({ building_id: null });
    expect((await make({ location: { building: null, floor: '2' } })).row).toMatchObject({
      building_id: null,
      floor: '2',
    });
  });

  test.each(['High', 'HIGH', 'high', 'hIGH'])('accepts priorities in any letter case: %s', async (priority) => {
    expect((await make({ priority })).row).toMatchObject({ priority: 'high' });
  });

  test('accepts both shapes if they agree', async () => {
    const both = {
      location: { building: 'TWR', floor: '3', area: 'West' },
      building_id: tower,
      floor: '3',
      room: 'West',
    };
    expect(await make(both)).toMatchObject({ status: 201, row: { building_id: tower, floor: '3', room: 'West' } });
  });

  test.each<[string, Row, string]>([
    ['no such building', { location: { building: 'nowhere' } }, 'location.building'],
    ["LIKE's own signs", { location: { building: 'T_R' } }, 'location.building'],
    ['a number', { location: { building: 7 } }, 'location.building'],
    ['NUL', { location: { floor: 'a\0' } }, 'location.floor'],
    ['too long', { location: { area: 'x'.repeat(501) } }, 'location.area'],
    ['an unknown field', { location: { room: 'x' } }, 'location.room'],
    ['no object', { location: 'TWR' }, 'location'],
    ['two floors', { location: { floor: '3' }, floor: '4' }, 'location.floor'],
    ['two rooms', { location: { area: 'West' }, room: 'East' }, 'location.area'],
  ])('rejects %s', async (_, body, field) => {
    const reply = await make(body);
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.details)).toEqual([field]);
  });

  test('rejects two buildings', async () => {
    const reply = await make({ location: { building: 'TWR' }, building_id: annex });
    expect(reply.details).toEqual({ 'location.building': expect.any(String) });
  });

  test('reports errors of both shapes at once', async () => {
    const reply = await client.post('/service-requests', {
      title: '',
      priority: 'soon',
      location: { building: 'nowhere', floor: 7 },
      assigned_to: randomUUID(),
    });
    expect(Object.keys(reply.details).sort()).toEqual([
      'assigned_to',
      'location.building',
      'location.floor',
      'priority',
      'title',
    ]);
  });
});

describe('buildings', () => {
  test('have codes that are unique in the company', async () => {
    expect((await client.post('/locations/buildings', { name: 'One', code: 'B1' })).status).toBe(201);
    const again = await client.post('/locations/buildings', { name: 'Two', code: ' B1 ' });
    expect(again).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    const two = (await client.post('/locations/buildings', { name: 'Two' })).row;
    expect((await client.patch(`/locations/buildings/${String(two['id'])}`, { code: 'B1' })).status).toBe(409);
    expect((await client.post('/locations/buildings', { name: 'Three' })).status).toBe(201);
    const elsewhere = await (await service.tenant()).client();
    expect((await elsewhere.post('/locations/buildings', { name: 'One', code: 'B1' })).status).toBe(201);
  });

  test('cannot be deleted while others refer to them', async () => {
    for (const path of [
      '/service-requests',
      `/paints/${String((await client.post('/paints', { name: 'Red' })).row['id'])}/locations`,
    ]) {
      const building = `/locations/buildings/${String((await client.post('/locations/buildings', { name: 'Stays' })).row['id'])}`;
      const { row } = await client.post(path, {
        ...(path === '/service-requests' && { title: 'Lamp' }),
        building_id: building.split('/').at(-1),
      });
      expect(await client.delete(building)).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
      expect((await client.get(building)).status).toBe(200);
      await client.patch(`${path}/${String(row['id'])}`, { building_id: null });
      expect((await client.delete(building)).status).toBe(204);
    }
  });
});
