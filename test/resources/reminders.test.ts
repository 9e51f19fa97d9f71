import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { countStatuses } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const remind = async (body: Row = {}) => (await client.post('/reminders', { title: 'Filter', ...body })).row;
const itemOf = ({ id }: Row) => `/reminders/${String(id)}`;
/** All reminders of the company, in order of creation. */
const all = async () => (await client.get('/reminders', { sort: 'id', order: 'asc', limit: 100 })).rows;

describe('the list', () => {
  test('is filtered by due date, recurrence and link', async () => {
    await remind({ title: 'A', due_date: '2030-01-01T00:00:00Z', recurrence: 'daily', linked_entity_type: 'roof' });
    await remind({ title: 'B', due_date: '2030-01-02T00:00:00Z', recurrence: 'weekly', linked_entity_type: 'car' });
    await remind({ title: 'C', due_date: '2030-01-03T00:00:00Z', recurrence: 'weekly' });
    await remind({ title: 'D' });
    const titles = async (query: Row) =>
      (await client.get('/reminders', { sort: 'title', order: 'asc', ...query })).rows.map(({ title }) => title);
    expect(await titles({ due_after: '2030-01-02' })).toEqual(['B', 'C']);
    expect(await titles({ due_before: '2030-01-02' })).toEqual(['A']);
    expect(await titles({ due_after: '2030-01-01T00:00:00Z', due_before: '2030-01-03T00:00:00Z' })).toEqual(['A', 'B']);
    expect(await titles({ recurrence: 'weekly,daily' })).toEqual(['A', 'B', 'C']);
    expect(await titles({ linked_entity_type: 'car' })).toEqual(['B']);
    expect(await titles({ recurrence: 'none' })).toEqual(['D']);
  });
});

describe('completing one', () => {
  /** Completes a reminder. @returns the next due date, or undefined */
  async function next(body: Row, change: Row = {}): Promise<unknown> {
    expect((await client.patch(itemOf(await remind(body)), { status: 'completed', ...change })).status).toBe(200);
    return (await all()).find(({ status }) => status === 'pending')?.['due_date'];
  }

  // Due dates are tested in test/unit.
  test.each([
    ["at a short month's end", 'monthly', '2041-01-29T09:30:00.000Z', '2041-02-28T09:30:00.000Z'],
    ['never after the last year there is', 'monthly', '2199-12-15T00:00:00.000Z', undefined],
  ])('is due again %s', async (_, recurrence, due_date, expected) => {
    expect(await next({ recurrence, due_date })).toBe(expected);
  });

  test('is due again in the future, however late', async () => {
    const due = Date.parse(String(await next({ recurrence: 'daily', due_date: '2020-01-01T00:00:00Z' })));
    expect(due).toBeGreaterThan(Date.now());
    expect(due).toBeLessThanOrEqual(Date.now() + 86_400_000);
  });

  test('creates a pending copy', async () => {
    const body = {
      description: 'Third floor',
      recurrence: 'daily',
      linked_entity_type: 'Filter',
      linked_entity_id: randomUUID(),
    };
    const reminder = await remind({ ...body, due_date: '2040-01-01T09:30:00Z' });
    await client.patch(itemOf(reminder), { status: 'completed' });
    const [done, made, ...others] = await all();
    expect(others).toEqual([]);
    expect(done).toMatchObject({ id: reminder['id'], status: 'completed', due_date: '2040-01-01T09:30:00.000Z' });
    expect(made).toMatchObject({ title: 'Filter', ...body, status: 'pending', due_date: '2040-01-02T09:30:00.000Z' });
  });

  /** Completes the pending reminder. @returns the due date of the next */
  async function completeNext(change: Row = {}): Promise<unknown> {
    const pending = async () => (await client.get('/reminders', { status: 'pending' })).rows;
    const [reminder] = await pending();
    await client.patch(itemOf(reminder ?? {}), { status: 'completed', ...change });
    return (await pending())[0]?.['due_date'];
  }

  test('keeps the day of the first one, until a client gives another date or recurrence', async () => {
    await remind({ recurrence: 'monthly', due_date: '2041-01-31T09:30:00Z' });
    expect(await completeNext()).toBe('2041-02-28T09:30:00.000Z');
    expect(await completeNext({ title: 'Filters' })).toBe('2041-03-31T09:30:00.000Z');
    // The same date and recurrence again are no others.
    const same = { due_date: '2041-03-31T09:30:00Z', recurrence: 'monthly' };
    expect(await completeNext(same)).toBe('2041-04-30T09:30:00.000Z');
    expect(await completeNext()).toBe('2041-05-31T09:30:00.000Z');
    expect(await completeNext({ due_date: '2041-06-30T09:30:00Z' })).toBe('2041-07-30T09:30:00.000Z');
    expect(await completeNext()).toBe('2041-08-30T09:30:00.000Z');
    expect(await completeNext({ recurrence: 'weekly' })).toBe('2041-09-06T09:30:00.000Z');
    expect(await completeNext({ recurrence: 'monthly' })).toBe('2041-10-06T09:30:00.000Z');
  });

  test('uses the values of the change', async () => {
    expect(await next({ recurrence: 'none', due_date: '2040-06-01T00:00:00Z' }, { recurrence: 'daily' })).toBe(
      '2040-06-02T00:00:00.000Z',
    );
    await client.patch(itemOf((await all())[1] ?? {}), { status: 'completed', recurrence: 'none' });
    expect((await all()).filter(({ status }) => status === 'pending')).toEqual([]);
  });

  test('creates no other if it does not recur or is not completed', async () => {
    const once = await remind();
    await client.patch(itemOf(once), { status: 'completed' });
    const daily = await remind({ recurrence: 'daily' });
    for (const change of [{ status: 'dismissed' }, { title: 'Filters' }, { status: 'pending' }])
      await client.patch(itemOf(daily), change);
    await remind({ recurrence: 'daily', status: 'completed' });
    expect(await all()).toHaveLength(3);
  });

  test('creates no other if it was already completed, and one after it was reopened', async () => {
    const reminder = await remind({ recurrence: 'daily' });
    for (const status of ['completed', 'completed']) await client.patch(itemOf(reminder), { status });
    expect(await all()).toHaveLength(2);
    await client.patch(itemOf(reminder), { status: 'dismissed' });
    await client.patch(itemOf(reminder), { status: 'completed' });
    expect(await all()).toHaveLength(3);
  });

  test('creates no other if the change is rejected', async () => {
    const reminder = await remind({ recurrence: 'daily' });
    const refused = { status: 'completed', linked_entity_type: 'lease', linked_entity_id: randomUUID() };
    expect((await client.patch(itemOf(reminder), refused)).status).toBe(422);
    expect(await all()).toEqual([reminder]);
  });

  test('creates one other when completed concurrently', async () => {
    const reminder = await remind({ recurrence: 'weekly', due_date: '2040-01-01T00:00:00Z' });
    expect(await countStatuses(20, () => client.patch(itemOf(reminder), { status: 'completed' }))).toEqual({ 200: 20 });
    expect((await all()).map(({ status, due_date }) => [status, due_date])).toEqual([
      ['completed', '2040-01-01T00:00:00.000Z'],
      ['pending', '2040-01-08T00:00:00.000Z'],
    ]);
  });
});
