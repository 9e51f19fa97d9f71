import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { countStatuses } from './days.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

describe('label templates', () => {
  const path = '/mailroom/label-templates';
  const make = async (body: Row) => (await client.post(path, { name: 'Small', ...body })).row;
  const defaults = async (of = client) => (await of.get(path, { is_default: true })).rows.map(({ id }) => id);
  beforeEach(() => service.database.prisma.labelTemplate.deleteMany());

  test('require a name', async () => {
    expect((await client.post(path, { label_size: '4x6' })).details).toEqual({ name: expect.any(String) });
    expect(await make({ label_size: '4x6' })).toMatchObject({ name: 'Small', label_size: '4x6', is_default: false });
  });

  test('have one default: the latest', async () => {
    const one = await make({ is_default: true });
    expect(await defaults()).toEqual([one['id']]);
    const two = await make({ is_default: true });
    expect(await defaults()).toEqual([two['id']]);
    const three = await make({});
    expect(await defaults()).toEqual([two['id']]);
    expect((await client.patch(`${path}/${String(three['id'])}`, { is_default: true })).status).toBe(200);
    expect(await defaults()).toEqual([three['id']]);
    await client.patch(`${path}/${String(three['id'])}`, { is_default: true, name: 'Large' });
    expect(await defaults()).toEqual([three['id']]);
    await client.patch(`${path}/${String(three['id'])}`, { is_default: false });
    expect(await defaults()).toEqual([]);
  });

  test('have a default in each company', async () => {
    const one = await make({ is_default: true });
    const other = await (await service.tenant()).client();
    const two = (await other.post(path, { name: 'Theirs', is_default: true })).row;
    expect([await defaults(), await defaults(other)]).toEqual([[one['id']], [two['id']]]);
  });

  test('keep their default when another is rejected', async () => {
    const one = await make({ is_default: true });
    expect((await client.post(path, { is_default: true, name: '' })).status).toBe(422);
    expect((await client.patch(`${path}/${randomUUID()}`, { is_default: true })).status).toBe(404);
    expect(await defaults()).toEqual([one['id']]);
  });

  test('have one default, also when several are set concurrently', async () => {
    expect(await countStatuses(30, () => client.post(path, { name: 'Small', is_default: true }))).toEqual({ 201: 30 });
    expect(await defaults()).toHaveLength(1);
    const ids = (await client.get(path, { limit: 100 })).rows.map(({ id }) => String(id));
    // All of them, then a few that replace each other repeatedly.
    expect(await countStatuses(30, (n) => client.patch(`${path}/${ids[n]}`, { is_default: true }))).toEqual({
      200: 30,
    });
    expect(await defaults()).toHaveLength(1);
    expect(
      await countStatuses(30, (n) => client.patch(`${path}/${ids[n % 3]}`, { is_default: true, name: `Small ${n}` })),
    ).toEqual({ 200: 30 });
    expect(await defaults()).toHaveLength(1);
  });
});
