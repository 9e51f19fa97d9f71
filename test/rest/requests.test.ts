import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
/** Ids of the company's members; the first is the caller. */
let ada: string;
let ben: string;
let cleo: string;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = '', cleo = ''] = tenant.users.map(({ id }) => id);
});
afterAll(() => service.close());

describe.each(['/service-requests', '/move-requests'])('%s', (path) => {
  const make = async (body: Row = {}) =>
    `${path}/${String((await client.post(path, { title: 'Lamp', ...body })).row['id'])}`;
  /** A request's activity, oldest first. */
  const readActivity = async (item: string) =>
    (await client.get(`${item}/activity`, { sort: 'id', order: 'asc', limit: 100 })).rows.map((entry) => [
      entry['action'],
      entry['from_value'],
      entry['to_value'],
      entry['user_id'],
    ]);

  test('defaults to pending, normal priority and the caller', async () => {
    expect((await client.post(path, { title: 'Lamp' })).row).toMatchObject({
      status: 'pending',
      priority: 'normal',
      created_by: ada,
      assigned_to: null,
      completed_at: null,
    });
    expect((await client.post(path, { title: 'Lamp', status: 'pending' })).row).toMatchObject({ status: 'pending' });
    for (const status of ['in-progress', 'completed'])
      expect(await client.post(path, { title: 'Lamp', status })).toMatchObject({
        status: 422,
        details: { status: 'must be pending in a new request' },
      });
    expect((await client.post(path, { title: 'Lamp', created_by: ben })).details).toEqual({
      created_by: expect.any(String),
    });
  });

  test('moves between any two statuses, and records its completion time', async () => {
    const item = await make();
    const words = ['in-progress', 'completed', 'pending', 'completed', 'in-progress', 'pending'];
    for (const [n, status] of words.entries()) {
      const before = Date.now();
      expect(await client.patch(item, { status })).toMatchObject({ status: 200, row: { status } });
      const { completed_at } = (await client.get(item)).row;
      if (status === 'completed') expect(Math.abs(Date.parse(String(completed_at)) - before)).toBeLessThan(5000);
      else expect(completed_at).toBeNull();
      expect((await readActivity(item)).at(-1)).toEqual(['status_changed', words[n - 1] ?? 'pending', status, ada]);
    }
    expect((await client.patch(item, { status: 'cancelled' })).details).toEqual({
      status: expect.stringContaining('in-progress'),
    });
  });

  test('keeps its completion time when it is completed again', async () => {
    const item = await make();
    const completed = await client.patch(item, { status: 'completed' });
    expect(completed.row).toEqual({
      id: item.split('/').at(-1),
      status: 'completed',
      completed_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const again = await client.patch(item, { status: 'completed' });
    expect([again.row['updated_at'], again.headers.get('etag')]).toEqual([
      completed.row['updated_at'],
      completed.headers.get('etag'),
    ]);
    const { completed_at } = (await client.get(item)).row;
    await client.patch(item, { status: 'completed', title: 'Lamp again' });
    expect((await client.get(item)).row['completed_at']).toBe(completed_at);
  });

  test('records changes with user, old and new value', async () => {
    const item = await make();
    await client.patch(item, { status: 'in-progress' });
    await client.patch(item, { priority: 'urgent' });
    await client.patch(item, { assigned_to: ben });
    await client.patch(item, { assigned_to: cleo });
    await client.patch(item, { assigned_to: null });
    await client.patch(item, { title: 'Lights', description: 'All of them' });
    await client.patch(item, { title: 'Lights' });
    await client.patch(item, {});
    await client.post(`${item}/comments`, { comment: 'On my way' });
    await client.post(`${item}/watchers`, { user_id: ben });
    await client.post(`${item}/time-logs`, { hours: 1.5 });
    await client.delete(`${item}/watchers`, { user_id: ben });
    expect(await readActivity(item)).toEqual([
      ['created', null, null, ada],
      ['status_changed', 'pending', 'in-progress', ada],
      ['priority_changed', 'normal', 'urgent', ada],
      ['assigned', null, ben, ada],
      ['assigned', ben, cleo, ada],
      ['assigned', cleo, null, ada],
      ['updated', null, expect.stringMatching(/^title, description$|^description, title$/), ada],
      ['commented', null, null, ada],
      ['watcher_added', null, ben, ada],
      ['time_logged', null, '1.5', ada],
      ['watcher_removed', ben, null, ada],
    ]);
    expect(Object.keys((await client.get(`${item}/activity`)).rows[0] ?? {})).toEqual(
      expect.arrayContaining(['id', 'action', 'from_value', 'to_value', 'user_id', 'created_at']),
    );
  });

  test('records each change of one PATCH', async () => {
    const item = await make({ priority: 'low' });
    await client.patch(item, { status: 'completed', priority: 'high', assigned_to: ben, title: 'Lights' });
    expect(new Set(await readActivity(item))).toEqual(
      new Set([
        ['created', null, null, ada],
        ['status_changed', 'pending', 'completed', ada],
        ['priority_changed', 'low', 'high', ada],
        ['assigned', null, ben, ada],
        ['updated', null, 'title', ada],
      ]),
    );
  });

  test('does not record unchanged fields', async () => {
    const item = await make({
      description: 'Long',
      priority: 'high',
      assigned_to: ben,
      ...(path === '/move-requests' && { scheduled_date: '2026-03-01' }),
    });
    const writable = ([name]: [string, unknown]) => !/^(id|created_by|\w+_at)$/.test(name);
    const same = Object.fromEntries(Object.entries((await client.get(item)).row).filter(writable));
    expect((await client.patch(item, { ...same, title: ' Lamp ', assigned_to: ben.toUpperCase() })).status).toBe(200);
    expect((await client.put(item, same)).status).toBe(200);
    expect(await readActivity(item)).toEqual([['created', null, null, ada]]);
  });

  test('does not record rejected changes', async () => {
    const item = await make();
    for (const body of [
      { status: 'nonsense' },
      { assigned_to: randomUUID() },
      { status: 'completed', assigned_to: randomUUID() },
      { title: '' },
    ]) {
      expect((await client.patch(item, body)).status).toBe(422);
    }
    await client.post(`${item}/watchers`, { user_id: randomUUID() });
    await client.post(`${item}/comments`, {});
    expect(await readActivity(item)).toEqual([['created', null, null, ada]]);
    expect((await client.get(item)).row).toMatchObject({ status: 'pending', completed_at: null });
  });

  test('has a consistent history after concurrent changes', async () => {
    const item = await make();
    const words = ['in-progress', 'completed', 'pending'];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.patch(item, { status: words[n % 3] })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const changes = (await readActivity(item)).filter(([action]) => action === 'status_changed');
    const { status } = (await client.get(item)).row;
    let at: unknown = 'pending';
    for (const [, from, to] of changes) {
      expect(from).toBe(at);
      at = to;
    }
    expect(changes.length).toBeGreaterThan(0);
    expect(at).toBe(status);
  });

  test('PUT sets the given fields, resets the others, and records the changes', async () => {
    const item = await make({ description: 'Long', priority: 'high', assigned_to: ben });
    await client.patch(item, { status: 'completed' });
    const { row: before } = await client.get(item);
    const { status, row } = await client.put(item, { title: 'Lamp' });
    expect(status).toBe(200);
    expect(row).toMatchObject({
      id: before['id'],
      created_at: before['created_at'],
      created_by: ada,
      title: 'Lamp',
      description: null,
      priority: 'normal',
      assigned_to: null,
      status: 'pending',
      completed_at: null,
    });
    expect(new Set((await readActivity(item)).slice(2))).toEqual(
      new Set([
        ['status_changed', 'completed', 'pending', ada],
        ['priority_changed', 'high', 'normal', ada],
        ['assigned', ben, null, ada],
        ['updated', null, 'description', ada],
      ]),
    );
  });

  test('accepts null for fields with a default', async () => {
    const { status, row } = await client.post(path, {
      title: 'Lamp',
      description: null,
      priority: null,
      assigned_to: null,
    });
    expect({ status, row }).toMatchObject({
      status: 201,
      row: { description: null, priority: 'normal', assigned_to: null, status: 'pending' },
    });
    const item = `${path}/${String(row['id'])}`;
    await client.patch(item, { status: 'completed', priority: 'urgent' });
    expect(await client.patch(item, { priority: null })).toMatchObject({
      status: 422,
      details: { priority: expect.any(String) },
    });
    expect(await client.put(item, { title: 'Lamp', priority: null, status: null })).toMatchObject({
      status: 200,
      row: { priority: 'normal', status: 'pending', completed_at: null },
    });
  });

  test('has each watcher once', async () => {
    const item = await make();
    expect(await client.post(`${item}/watchers`, { user_id: ben })).toMatchObject({
      status: 201,
      row: { user_id: ben },
    });
    expect(await client.post(`${item}/watchers`, { user_id: ben })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT' },
    });
    expect((await client.post(`${item}/watchers`, { user_id: cleo })).status).toBe(201);
    const watchers = await client.get(`${item}/watchers`);
    expect(new Set(watchers.rows.map(({ id }) => id))).toEqual(new Set([ben, cleo]));
    expect(watchers.meta.total).toBe(2);
    expect(watchers.rows[0]).toEqual((await client.get(`/users/${String(watchers.rows[0]?.['id'])}`)).row);
    expect(await client.delete(`${item}/watchers`, { user_id: ben })).toMatchObject({ status: 204, text: '' });
    expect(await client.delete(`${item}/watchers`, { user_id: ben })).toMatchObject({
      status: 404,
      error: { code: 'NOT_FOUND' },
    });
    expect((await client.delete(`${item}/watchers`, { user_id: randomUUID() })).status).toBe(404);
    expect((await client.delete(`${item}/watchers`, {})).details).toEqual({ user_id: expect.any(String) });
    expect((await client.get(`${item}/watchers`)).rows.map(({ id }) => id)).toEqual([cleo]);
  });

  test('has each watcher once, also with concurrent requests', async () => {
    const item = await make();
    const statuses = (
      await Promise.all(Array.from({ length: 8 }, () => client.post(`${item}/watchers`, { user_id: ben })))
    ).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    expect((await readActivity(item)).filter(([action]) => action === 'watcher_added')).toHaveLength(1);
  });

  test('comments and time logs have an author', async () => {
    const item = await make();
    const comment = await client.post(`${item}/comments`, { comment: ' On my way ' });
    expect(comment).toMatchObject({ status: 201, row: { comment: 'On my way', user_id: ada } });
    const log = await client.post(`${item}/time-logs`, { hours: 0.25, description: 'Ladder' });
    expect(log).toMatchObject({ status: 201, row: { hours: 0.25, description: 'Ladder', user_id: ada } });
  });

  test.each([
    [24, 201],
    [0.01, 201],
    [0, 422],
    [-1, 422],
    [24.01, 422],
    ['1', 422],
    [null, 422],
  ])('hours of %p: %d', async (hours, status) => {
    const reply = await client.post(`${await make()}/time-logs`, { hours });
    expect(reply.status).toBe(status);
    if (status === 422) expect(reply.details).toEqual({ hours: expect.any(String) });
  });

  test('is deleted with its sub-resources', async () => {
    const item = await make();
    await client.post(`${item}/comments`, { comment: 'On my way' });
    await client.post(`${item}/watchers`, { user_id: ben });
    await client.post(`${item}/time-logs`, { hours: 1 });
    expect((await client.delete(item)).status).toBe(204);
    for (const list of ['comments', 'watchers', 'time-logs', 'activity'])
      expect((await client.get(`${item}/${list}`)).status).toBe(404);
    expect((await client.post(`${item}/comments`, { comment: 'x' })).status).toBe(404);
    expect((await client.post(`${item}/time-logs`, { hours: 1 })).status).toBe(404);
  });
});
