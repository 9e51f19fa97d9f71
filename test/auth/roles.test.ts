import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memberClient } from '../resources/members.ts';
import { routes } from '../support/api.ts';
import { oneOfMany, operationOf, rootField, rootFields } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';
import { both, callersOf, change, idOf, type RoleCallers, type RoleIds, roleError, roleText } from './roles.ts';

let service: Service;
let rows: Rows;
let callers: RoleCallers;
let userIds: RoleIds;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  // So many referenced rows that the watchers named below do not watch the requests named with them.
  rows = await Rows.of(service, tenant, true, 16);
  ({ callers, userIds } = await callersOf(service, tenant));
});
afterAll(() => service.close());

/** The operations that only admins may run. */
const adminsOnly = [
  ...['HrDocument', 'TrainingProgram', 'TrainingQuestion'].flatMap((type) =>
    ['create', 'update', 'delete', 'restore'].map((action) => action + type),
  ),
  'updateTimeClockSettings',
  'createTimeClockLocation',
  'updateTimeClockLocation',
];

/** The operations that others may run on their own rows only. The rows of these tests belong to an admin. */
const ownRows = [
  ...['updateTimeClockRecord', 'deleteHrAcknowledgment', 'deleteServiceRequest', 'deleteMoveRequest'],
  ...['updateServiceRequestComment', 'updateMoveRequestComment'],
];

/** The same for members, but not for executives: what is recorded in a person's name. */
const membersOwn = ['ChecklistCompletion', 'TrainingCompletion', 'WorkspaceRecord', 'Requisition', 'ReceivingRecord']
  .flatMap((type) => ['update', 'delete'].map((action) => action + type))
  .filter((name) => name !== 'deleteWorkspaceRecord');

/** A private note does not exist for others, and the request has no such watcher. */
const missing = ['updateNote', 'deleteNote', 'deleteServiceRequestWatcher', 'deleteMoveRequestWatcher'];

const others = ['executive', 'member'] as const;

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const mutations = rootFields('Mutation')
  .filter(({ extensions }) => takesScope(extensions['access']))
  .map(({ name }) => name);

describe.each(mutations)('GraphQL: %s', (name) => {
  test.each(others)('as %s', async (role) => {
    const field = rootField(name);
    const variables = await rows.variables(field);
    const { data, errors } = await callers[role].graphql(
      operationOf(field, 'Mutation', Object.keys(variables), '{ __typename }'),
      variables,
    );
    const seen = errors.map(({ message, extensions: { code } }) => ({ code, message }));
    const one = oneOfMany(field) ?? name;
    const isOthers = ownRows.includes(one) || (role === 'member' && membersOwn.includes(one));
    if (adminsOnly.includes(one) || isOthers) {
      expect(data).toEqual({ [name]: null });
      expect(seen).toEqual([roleError(role)]);
    } else if (one === 'updateHrAcknowledgment') {
      // Its only required field is one that they may not change.
      expect(errors).toMatchObject([
        { extensions: { code: 'VALIDATION_ERROR', details: { documentId: roleText(role) } } },
      ]);
      // What an admin has deleted does not exist for others.
    } else if (missing.includes(one) && one !== name) expect(seen).toMatchObject([{ code: 'CONFLICT' }]);
    else if (missing.includes(name) || name.startsWith('restore')) expect(seen).toMatchObject([{ code: 'NOT_FOUND' }]);
    else expect(seen).toEqual([]);
  });
});

const unknownIds = new Proxy({}, { get: () => randomUUID() });
const writes = routes()
  .filter(({ method, operation }) => method !== 'GET' && takesScope(operation.access))
  .map(({ method, path, operation }) => [String(method), path, operation.field] as const);

test.each(writes)('REST: %s %s', async (method, path, field) => {
  for (const role of others) {
    // The role is checked before the body is read and the row is looked for.
    const reply = await callers[role].request(method, fill(path, unknownIds), { body: {} });
    if (adminsOnly.includes(oneOfMany(rootField(field)) ?? field))
      expect(reply).toMatchObject({ status: 403, error: roleError(role) });
    else expect([201, 400, 404, 422]).toContain(reply.status);
  }
});

test('a changed role also limits existing tokens', async () => {
  const tenant = await service.tenant();
  const client = await memberClient(service, tenant, 1);
  const create = async () => (await client.post('/training', { title: 'Ladders' })).status;
  expect(await create()).toBe(403);
  await service.database.prisma.user.updateMany({ where: { id: tenant.users[1]?.id }, data: { role: 'ADMIN' } });
  const deadline = Date.now() + 30_000;
  while ((await create()) !== 201) if (Date.now() > deadline) throw new Error('the role did not change in 30 s');
});

describe.each(others)('as %s', (role) => {
  const path = '/time-clock/records';
  const times = { clock_in_time: '2026-03-02T08:00:00.000Z', clock_out_time: '2026-03-02T16:00:00.000Z' };

  test('members write only their own time clock records', async () => {
    const client = callers[role];
    const own = await client.post(path, { ...times, user_id: userIds[role] });
    expect(own).toMatchObject({ status: 201, row: { user_id: userIds[role] } });
    expect(await change(client, path, 'TimeClockRecord', idOf(own), { notes: 'late' })).toEqual(both('allowed'));
    expect(await change(client, path, 'TimeClockRecord', idOf(own), { user_id: userIds.admin })).toEqual(
      both('VALIDATION_ERROR'),
    );
    const wrong = await client.post(path, { ...times, user_id: userIds.admin, clock_in_time: 'soon' });
    expect(wrong).toMatchObject({
      status: 422,
      details: { user_id: expect.stringContaining(role), clock_in_time: expect.any(String) },
    });
    // An admin may do both.
    const theirs = await callers.admin.post(path, { ...times, user_id: userIds[role] });
    expect(await change(callers.admin, path, 'TimeClockRecord', idOf(theirs), { notes: 'ok' })).toEqual(
      both('allowed'),
    );
  });

  test('members record only in their own name what others may record for anybody', async () => {
    const client = callers[role];
    const isMember = role === 'member';
    const checklist = idOf(await callers.admin.post('/checklists', { name: 'Rounds' }));
    const program = idOf(await callers.admin.post('/training', { title: 'Ladders', passing_score: 50 }));
    let day = 1;
    const cases = [
      [
        `/checklists/${checklist}/completions`,
        'ChecklistCompletion',
        'completed_by',
        () => ({ completion_date: `2026-03-0${day++}` }),
      ],
      [`/training/${program}/completions`, 'TrainingCompletion', 'user_id', () => ({})],
      ['/butts-in-seats/employees', 'WorkspaceRecord', 'user_id', () => ({})],
      ['/procurement/requisitions', 'Requisition', 'requested_by', () => ({ title: 'Chairs' })],
      ['/procurement/receiving', 'ReceivingRecord', 'received_by', () => ({})],
    ] as const;
    for (const [at, type, column, body] of cases) {
      const named = await client.post(at, { ...body(), [column]: userIds.admin });
      expect({ type, status: named.status }).toEqual({ type, status: isMember ? 422 : 201 });
      if (isMember) expect(named.details).toEqual({ [column]: expect.stringContaining(role) });
      const own = await client.post(at, body());
      expect(own).toMatchObject({ status: 201, row: { [column]: userIds[role] } });
      const outcome = both(isMember ? 'VALIDATION_ERROR' : 'allowed');
      if (type !== 'WorkspaceRecord') {
        const reply = await client.patch(`${at}/${idOf(own)}`, { [column]: userIds.admin });
        expect({ type, status: reply.status }).toEqual({ type, status: isMember ? 422 : 200 });
      }
      const { errors } = await client.graphql(
        `mutation ($id: ID!, $user: ID!) { update${type}(id: $id, input: { ${camel(column)}: $user }) { id } }`,
        { id: idOf(own), user: userIds.admin },
      );
      expect({ type, code: errors[0]?.extensions.code ?? 'allowed' }).toEqual({ type, code: outcome[1] });
      const others = idOf(await callers.admin.post(at, body()));
      const taken = await client.graphql(
        `mutation ($id: ID!, $user: ID!) { update${type}(id: $id, input: { ${camel(column)}: $user }) { id } }`,
        { id: others, user: userIds[role] },
      );
      expect({ type, code: taken.errors[0]?.extensions.code ?? 'allowed' }).toEqual({
        type,
        code: isMember ? 'INSUFFICIENT_SCOPE' : 'allowed',
      });
    }
    for (const result of [{ score: 90 }, { passed: true }]) {
      const made = await client.post(`/training/${program}/completions`, result);
      expect({ result, status: made.status }).toEqual({ result, status: isMember ? 422 : 201 });
    }
    const usage = (userId: string) =>
      client.graphql(`mutation ($input: RecordAiUsageInput!) { recordAiUsage(input: $input) { userId } }`, {
        input: { feature: 'Search', model: 'small', inputTokens: 1, outputTokens: 1, costUsd: 0.1, userId },
      });
    expect((await usage(userIds[role])).errors).toEqual([]);
    expect((await usage(userIds.admin)).errors.map(({ extensions: { code } }) => code)).toEqual(
      isMember ? ['VALIDATION_ERROR'] : [],
    );
  });

  test('members acknowledge only for themselves, and the service sets the time and IP address', async () => {
    const client = callers[role];
    const document_id = idOf(await callers.admin.post('/hr/documents', { title: 'Handbook' }));
    const given = { user_id: userIds.admin, acknowledged_at: '2020-01-01T00:00:00.000Z', ip_address: '10.0.0.1' };
    const refused = await client.post('/hr/acknowledgments', { document_id, ...given });
    expect(refused.status).toBe(422);
    expect(refused.details).toEqual(
      Object.fromEntries(Object.keys(given).map((name) => [name, expect.stringContaining(role)])),
    );
    const before = Date.now();
    const made = await client.post('/hr/acknowledgments', { document_id, user_id: null });
    expect(made).toMatchObject({ status: 201, row: { user_id: userIds[role], ip_address: expect.any(String) } });
    expect(Date.parse(String(made.row['acknowledged_at']))).toBeGreaterThanOrEqual(before - 5000);
    const id = idOf(made);
    const moved = { document_id: idOf(await callers.admin.post('/hr/documents', { title: 'Policy' })) };
    for (const input of [{ acknowledged_at: given.acknowledged_at }, moved])
      expect(await change(client, '/hr/acknowledgments', 'HrAcknowledgment', id, input)).toEqual(
        both('VALIDATION_ERROR'),
      );
    expect((await client.delete(`/hr/acknowledgments/${id}`)).status).toBe(204);
    expect(await callers.admin.post('/hr/acknowledgments', { ...given, document_id })).toMatchObject({
      status: 201,
      row: given,
    });
  });

  test.each(['/service-requests', '/move-requests'])('%s are deleted by who created them', async (requests) => {
    const own = idOf(await callers[role].post(requests, { title: 'Lamp' }));
    expect((await callers[role].delete(`${requests}/${own}`)).status).toBe(204);
    const other = idOf(await callers.admin.post(requests, { title: 'Lamp' }));
    expect((await callers[role].patch(`${requests}/${other}`, { status: 'completed' })).status).toBe(200);
    expect(await callers[role].delete(`${requests}/${other}`)).toMatchObject({ status: 403, error: roleError(role) });
  });

  test('a shared note is changed and deleted by its author alone, also where the reader is an admin', async () => {
    for (const [author, reader] of [
      [callers.admin, callers[role]],
      [callers[role], callers.admin],
    ] as const) {
      const id = idOf(await author.post('/notes', { title: 'Keys', is_shared: true }));
      expect((await reader.get(`/notes/${id}`)).status).toBe(200);
      expect(await change(reader, '/notes', 'Note', id, { title: 'Mine' })).toEqual(both('INSUFFICIENT_SCOPE'));
      expect(await reader.delete(`/notes/${id}`)).toMatchObject({ status: 403 });
      expect(await change(author, '/notes', 'Note', id, { title: 'Keys 2' })).toEqual(both('allowed'));
      expect((await author.delete(`/notes/${id}`)).status).toBe(204);
    }
  });
});

test('a shared note of a deactivated author is changed and deleted by admins, and by nobody else', async () => {
  const tenant = await service.tenant();
  const [admin, executive, author] = [
    await tenant.client(),
    await memberClient(service, tenant, 1),
    await memberClient(service, tenant, 2),
  ];
  const [shared, other, own] = [
    idOf(await author.post('/notes', { title: 'Keys', is_shared: true })),
    idOf(await author.post('/notes', { title: 'Locks', is_shared: true })),
    idOf(await author.post('/notes', { title: 'Diary' })),
  ];
  expect((await admin.patch(`/notes/${shared}`, { title: 'Ours' })).status).toBe(403);
  await service.database.prisma.user.updateMany({
    where: { id: tenant.users[2]?.id },
    data: { deactivatedAt: new Date() },
  });
  expect(await change(executive, '/notes', 'Note', shared, { title: 'Ours' })).toEqual(both('INSUFFICIENT_SCOPE'));
  expect(await executive.delete(`/notes/${shared}`)).toMatchObject({ status: 403, error: roleError('executive') });
  expect(await change(admin, '/notes', 'Note', shared, { title: 'Ours' })).toEqual(both('allowed'));
  expect((await admin.delete(`/notes/${other}`)).status).toBe(204);
  // A private note is invisible to other admins too.
  expect((await admin.patch(`/notes/${own}`, { title: 'Ours' })).status).toBe(404);
});
