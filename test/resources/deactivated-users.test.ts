// Users who are deactivated get nothing new to do, while rows that name them stay as they are.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import {
  collections,
  type Field,
  inputFields,
  ofMany,
  operationOf,
  rootField,
  rootFields,
  typeOf,
} from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let admin: Client;
let gone: string;
let present: string;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  rows = await Rows.of(service, tenant);
  admin = await tenant.client();
  [, present = '', gone = ''] = tenant.users.map(({ id }) => id);
  await setDeactivated(new Date());
});
afterAll(() => service.close());

const setDeactivated = (deactivatedAt: Date | null) =>
  service.database.prisma.user.updateMany({ where: { id: gone }, data: { deactivatedAt } });

/** The fields of mutations that give users something to do. */
const work = [
  'createAsset.assignedTo',
  'createAssetTransfer.toUser',
  'createChecklist.assignedTo',
  'createMoveRequest.assignedTo',
  'createMoveRequestWatcher.userId',
  'createRequisition.requestedBy',
  'createServiceRequest.assignedTo',
  'createServiceRequestWatcher.userId',
  'createWorkspaceRecord.userId',
  'replaceMoveRequest.assignedTo',
  'replaceServiceRequest.assignedTo',
  'updateAsset.assignedTo',
  'updateChecklist.assignedTo',
  'updateMoveRequest.assignedTo',
  'updateRequisition.requestedBy',
  'updateServiceRequest.assignedTo',
  'updateWorkspaceRecord.userId',
];
/** Those that record what users did. */
const past = [
  'createAssetTransfer.fromUser',
  'createChecklistCompletion.completedBy',
  'createHrAcknowledgment.userId',
  'createReceivingRecord.receivedBy',
  'createTimeClockRecord.userId',
  'createTrainingCompletion.userId',
  'recordAiUsage.userId',
  'updateChecklistCompletion.completedBy',
  'updateHrAcknowledgment.userId',
  'updateReceivingRecord.receivedBy',
  'updateTimeClockRecord.userId',
  'updateTrainingCompletion.userId',
];
/** Those that take work away. */
const ended = ['deleteMoveRequestWatcher.userId', 'deleteServiceRequestWatcher.userId'];

const namesUser = ({ name, target }: Field) => target === 'User' || /^(user|owner)Id$/.test(name);

test('every field of a row that names a user is one of these', () => {
  const ofOne = rootFields('Mutation').filter(({ extensions }) => !ofMany.includes(extensions.action ?? ''));
  const found = ofOne.flatMap((field) =>
    inputFields(field)
      .filter(namesUser)
      .map(({ name }) => `${field.name}.${name}`),
  );
  expect(found.sort()).toEqual([...work, ...past, ...ended].sort());
});

/** Runs a mutation. @returns the fields that it reports, with their messages; nothing when it succeeds */
async function run(name: string, variables: Row): Promise<unknown> {
  const { errors } = await admin.graphql(
    operationOf(rootField(name), 'Mutation', Object.keys(variables), '{ __typename }'),
    variables,
  );
  return errors.map(({ extensions: { code, details } }) => ({ code, details }));
}

const split = (each: string) => each.split('.') as [string, string];
const refused = (field: string) => ({ code: 'VALIDATION_ERROR', details: { [field]: 'must be an active user' } });

/** Variables of a mutation that name a user. */
async function naming(name: string, column: string, user: string): Promise<Row> {
  const variables = await rows.variables(rootField(name));
  const input: Row = name.startsWith('update')
    ? { [column]: user }
    : { ...(variables['input'] as Row), [column]: user };
  if (column === 'fromUser') {
    await service.database.prisma.asset.updateMany({
      where: { id: String(variables['assetId']) },
      data: { assignedTo: user },
    });
    input['toUser'] = present;
    delete input['fromLocation'];
  }
  return { ...variables, input };
}

describe.each(work)('%s', (each) => {
  const [name, column] = split(each);
  test('takes active users alone', async () => {
    expect(await run(name, await naming(name, column, gone))).toEqual([refused(column)]);
    expect(await run(name, await naming(name, column, present))).toEqual([]);
  });
});

describe.each(past)('%s', (each) => {
  const [name, column] = split(each);
  test('takes users who are deactivated', async () => {
    expect(await run(name, await naming(name, column, gone))).toEqual([]);
  });
});

const inRest = collections.flatMap((collection) => {
  const create = collection.on.create?.operation.field ?? '';
  return work.filter((each) => split(each)[0] === create).map((each) => [each, collection] as const);
});

test.each(inRest)('%s in REST', async (each, collection) => {
  const [name, column] = split(each);
  const { rest = '' } = inputFields(rootField(name)).find((field) => field.name === column) ?? {};
  const path = fill(collection.path, await rows.parents(collection.path));
  const body = await rows.body(name, { values: { [column]: gone } });
  const error = { code: 'VALIDATION_ERROR', details: { [rest]: 'must be an active user' } };
  expect(await admin.post(path, body)).toMatchObject({ status: 422, error });
});

describe('a row that names a user who was deactivated later', () => {
  const updates = work.filter((each) => each.startsWith('update'));
  test.each(updates)('%s', async (each) => {
    const [name, column] = split(each);
    const type = name.slice('update'.length);
    await setDeactivated(null);
    const variables = await naming(name, column, gone);
    expect(await run(name, variables)).toEqual([]);
    await setDeactivated(new Date());
    const { id } = variables;
    const other = await rows.change(name, 'graphql');
    const change = (input: Row) => run(name, { id, input });
    // Other fields change, with the user and without.
    expect(await change(other)).toEqual([]);
    expect(await change({ ...(await rows.change(name, 'graphql')), [column]: gone })).toEqual([]);
    // The user is not an error of a change that has another.
    const wrong = inputFields(rootField(name)).find(({ target }) => target !== undefined && target !== 'User');
    if (wrong) {
      const [error] = (await change({ [column]: gone, [wrong.name]: gone })) as { details: Row }[];
      expect(Object.keys(error?.details ?? {})).toEqual([wrong.name]);
    }
    const collection = collections.find(({ on, path }) => on.update && typeOf({ path, on }) === type);
    if (collection) {
      const { rest = '' } = inputFields(rootField(name)).find((field) => field.name === column) ?? {};
      const reply = await admin.patch(`${collection.path}/${String(id)}`, {
        ...(await rows.change(name)),
        [rest]: gone,
      });
      expect(reply.status).toBe(200);
    }
    // Another user may follow, but not the one before again.
    expect(await change({ [column]: present })).toEqual([]);
    expect(await change({ [column]: gone })).toEqual([refused(column)]);
  });
});

test('naming another user takes as many statements as naming oneself', async () => {
  const { row: me } = await admin.post('/service-requests', { title: 'Lamp' });
  const count = async (write: () => Promise<unknown>) => {
    const before = service.statements.length;
    await write();
    return service.statements.length - before;
  };
  const own = String(me['created_by']);
  const create = (assigned_to: string) => count(() => admin.post('/service-requests', { title: 'Lamp', assigned_to }));
  const change = (assigned_to: string) =>
    count(() => admin.patch(`/service-requests/${String(me['id'])}`, { assigned_to }));
  expect(await create(present)).toBe(await create(own));
  expect(await change(present)).toBe(await change(own));
});

test('of rows that are created together, each user is checked', async () => {
  const { row: own } = await admin.post('/service-requests', { title: 'Lamp' });
  const create = (users: readonly unknown[]) =>
    admin.request('POST', '/service-requests/batch', {
      body: { operations: users.map((user, n) => ({ create: { title: `Lamp ${n}`, assigned_to: user } })) },
    });
  const users = [present, null, own['created_by'], present];
  const { status, rows: written } = await create(users);
  expect(status).toBe(200);
  const stored = written.map(({ row }) => row as Row);
  expect(stored.map(({ title }) => title)).toEqual(['Lamp 0', 'Lamp 1', 'Lamp 2', 'Lamp 3']);
  expect(stored.map((row) => row['assigned_to'])).toEqual(users);
  const refused = await create([...users, gone]);
  expect(refused.status).toBe(422);
  expect(refused.error.details).toEqual({ 'operations.4.create.assigned_to': 'must be an active user' });
});
