import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { countStatuses, day } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
/** Ids of the company's members; the first is the caller. */
let ada: string;
let ben: string;
let cleo: string;
/** The path of a new checklist. */
let item: string;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = '', cleo = ''] = tenant.users.map(({ id }) => id);
});
beforeEach(async () => {
  item = await make();
});
afterAll(() => service.close());

const make = async () => `/checklists/${String((await client.post('/checklists', { name: 'Opening' })).row['id'])}`;
const addTask = (body: Row = {}, checklist = item) => client.post(`${checklist}/tasks`, { title: 'Lights', ...body });
const addGroup = async (checklist = item) =>
  String((await client.post(`${checklist}/groups`, { name: 'Doors' })).row['id']);

describe.each([
  ['tasks', 'title'],
  ['groups', 'name'],
])('the order of %s', (list, naming) => {
  const add = async (order?: number | null) =>
    await client.post(`${item}/${list}`, { [naming]: 'x', ...(order !== undefined && { order }) });
  const orders = async () =>
    (await client.get(`${item}/${list}`, { sort: 'order', order: 'asc', limit: 100 })).rows.map(({ order }) => order);

  test('continues at the end', async () => {
    for (const [said, order] of [
      [undefined, 1],
      [null, 2],
      [10, 10],
      [undefined, 11],
      [3, 3],
      [undefined, 12],
      [0, 0],
    ]) {
      expect((await add(said)).row['order']).toBe(order);
    }
    expect(await orders()).toEqual([0, 1, 2, 3, 10, 11, 12]);
    expect((await client.get(`${item}/${list}`, { sort: 'order', order: 'desc' })).rows[0]?.['order']).toBe(12);
  });

  test('starts anew in each checklist', async () => {
    await add();
    item = await make();
    expect((await add()).row['order']).toBe(1);
  });

  test('is unique for twenty concurrent creates', async () => {
    expect(await countStatuses(20, () => add())).toEqual({ 201: 20 });
    expect(await orders()).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  test.each([-1, 1.5, 2 ** 31, '1'])('rejects %p', async (order) => {
    expect((await client.post(`${item}/${list}`, { [naming]: 'x', order })).details).toEqual({
      order: expect.any(String),
    });
  });

  test('has a maximum', async () => {
    await add(2 ** 31 - 1);
    expect(await add()).toMatchObject({ status: 201, row: { order: 2 ** 31 - 1 } });
  });

  test('is a filter in GraphQL, and the sort direction in REST', async () => {
    await add();
    await add();
    const root = list === 'tasks' ? 'checklistTasks' : 'checklistGroups';
    const { data } = await client.graphql<Record<string, { nodes: Row[] }>>(
      `query ($id: ID!) { ${root}(checklistId: $id, filter: { order: { eq: 2 } }) { nodes { order } } }`,
      { id: item.split('/')[2] },
    );
    expect(data[root]?.nodes).toEqual([{ order: 2 }]);
    expect(await client.get(`${item}/${list}`, { order: '2' })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('order') },
    });
  });
});

describe('a task', () => {
  test('is read, updated and deleted below its checklist', async () => {
    const { row } = await addTask();
    const task = `${item}/tasks/${String(row['id'])}`;
    expect((await client.get(task)).row).toEqual(row);
    expect((await client.patch(task, { title: 'Lamps', order: 7 })).row).toMatchObject({ title: 'Lamps', order: 7 });
    const elsewhere = `${await make()}/tasks/${String(row['id'])}`;
    for (const reply of [
      await client.get(elsewhere),
      await client.patch(elsewhere, { title: 'x' }),
      await client.delete(elsewhere),
    ])
      expect(reply.status).toBe(404);
    expect((await client.delete(task)).status).toBe(204);
    expect((await client.get(task)).status).toBe(404);
  });

  test('can be in a group of its checklist', async () => {
    const group_id = await addGroup();
    const { row } = await addTask({ group_id });
    expect(row['group_id']).toBe(group_id);
    const task = `${item}/tasks/${String(row['id'])}`;
    const another = await addGroup();
    expect((await client.patch(task, { group_id: another })).row['group_id']).toBe(another);
    expect((await client.patch(task, { group_id: null })).row['group_id']).toBeNull();
    expect((await client.get(`${item}/tasks`, { group_id: another })).meta.total).toBe(0);
  });

  test('cannot be in a group of another checklist, or an unknown one', async () => {
    const {
      row: { id },
    } = await addTask();
    const foreign = await (await service.tenant()).client();
    const theirs = String((await foreign.post('/checklists', { name: 'Theirs' })).row['id']);
    const groups = [
      await addGroup(await make()),
      String((await foreign.post(`/checklists/${theirs}/groups`, { name: 'x' })).row['id']),
      randomUUID(),
    ];
    for (const group_id of groups) {
      for (const reply of [
        await addTask({ group_id }),
        await client.patch(`${item}/tasks/${String(id)}`, { group_id }),
      ]) {
        expect({ status: reply.status, fields: Object.keys(reply.details) }).toEqual({
          status: 422,
          fields: ['group_id'],
        });
      }
      const { errors } = await client.graphql(
        'mutation ($id: ID!, $group: ID!) { updateChecklistTask(id: $id, input: { groupId: $group }) { id } }',
        { id, group: group_id },
      );
      expect(errors[0]?.extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { groupId: expect.any(String) },
      });
    }
    expect((await client.get(`${item}/tasks`)).rows).toMatchObject([{ group_id: null }]);
  });

  test('reports all errors at once', async () => {
    expect(
      Object.keys((await addTask({ title: '', order: -1, group_id: await addGroup(await make()) })).details).sort(),
    ).toEqual(['group_id', 'order', 'title']);
  });

  test('keeps its group in an update', async () => {
    const group_id = await addGroup();
    const {
      row: { id },
    } = await addTask({ group_id });
    const remove = () =>
      client.graphql('mutation ($id: ID!) { deleteChecklistGroup(id: $id) { name } }', { id: group_id });
    expect((await remove()).errors[0]?.extensions).toMatchObject({ code: 'CONFLICT' });
    await client.delete(`${item}/tasks/${String(id)}`);
    expect((await remove()).data['deleteChecklistGroup']).toEqual({ name: 'Doors' });
  });
});

describe('a completion', () => {
  const complete = (body: Row = {}) => client.post(`${item}/completions`, body);

  test('defaults to today and the caller', async () => {
    expect(await complete()).toMatchObject({
      status: 201,
      row: { completion_date: day(), completed_by: ada, notes: null },
    });
    expect((await complete({ completion_date: '2026-01-31', completed_by: ben, notes: 'Late' })).row).toMatchObject({
      completion_date: '2026-01-31',
      completed_by: ben,
      notes: 'Late',
    });
  });

  test('is unique per day', async () => {
    await complete();
    expect(await complete({ completed_by: ben })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { completion_date: expect.any(String) } },
    });
    expect((await complete({ completion_date: day() })).status).toBe(409);
    expect((await complete({ completion_date: day(-1) })).status).toBe(201);
    item = await make();
    expect((await complete()).status).toBe(201);
  });

  test('is created once of twenty concurrent ones', async () => {
    expect(await countStatuses(20, () => complete())).toEqual({ 201: 1, 409: 19 });
    expect((await client.get(`${item}/completions`)).meta.total).toBe(1);
  });

  test('can be filtered by day', async () => {
    for (const completion_date of ['2026-01-30', '2026-01-31']) await complete({ completion_date });
    expect((await client.get(`${item}/completions`, { completion_date: '2026-01-31' })).meta.total).toBe(1);
  });
});

test('a checklist is deleted with its sub-resources, and is listed by its assignee', async () => {
  await client.patch(item, { assigned_to: cleo });
  const group_id = await addGroup();
  await addTask({ group_id });
  await client.post(`${item}/completions`, { completed_by: cleo });
  const { data } = await client.graphql<{ user: Row }>(
    `query ($id: ID!) { user(id: $id) {
    assignedChecklists { nodes { name assignee { id } groups { nodes { name tasks { nodes { title group { name } checklist { name } } } } } completions { nodes { completer { id } } } } }
    checklistCompletions { nodes { completionDate checklist { tasks { totalCount } } } }
  } }`,
    { id: cleo },
  );
  expect(data.user).toEqual({
    assignedChecklists: {
      nodes: [
        {
          name: 'Opening',
          assignee: { id: cleo },
          groups: {
            nodes: [
              {
                name: 'Doors',
                tasks: { nodes: [{ title: 'Lights', group: { name: 'Doors' }, checklist: { name: 'Opening' } }] },
              },
            ],
          },
          completions: { nodes: [{ completer: { id: cleo } }] },
        },
      ],
    },
    checklistCompletions: { nodes: [{ completionDate: day(), checklist: { tasks: { totalCount: 1 } } }] },
  });
  expect((await client.delete(item)).status).toBe(204);
  expect((await client.get(`${item}/tasks`)).status).toBe(404);
  const { checklistGroup, checklistTask, checklistCompletion } = service.database.prisma;
  const where = { companyId: tenant.company.id, checklistId: item.split('/')[2] };
  expect(
    await Promise.all([
      checklistGroup.count({ where }),
      checklistTask.count({ where }),
      checklistCompletion.count({ where }),
    ]),
  ).toEqual([0, 0, 0]);
});
