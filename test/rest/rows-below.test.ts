// Rows that are created together with the row above them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { memberClient } from '../resources/members.ts';
import type { Client, Row } from '../support/client.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const totalOf = async (path: string, by = client) => (await by.get(path)).meta.total;
/** Not by the client, which sends nothing that the OpenAPI document refuses. */
async function send(path: string, body: Row, headers: Record<string, string> = {}, { token } = client) {
  const reply = await fetch(new URL(`/api/v1${path}`, service.origin), {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return {
    status: reply.status,
    json: (await reply.json()) as { data: Row; error: { details: Row; message: string } },
  };
}
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const warranty = { provider: 'Acme', end_date: '2031-01-01' };
const asset = (more: Row = {}) => ({ asset_name: 'Press', ...more });

test('the rows of each list are saved together, and answered with the row', async () => {
  const body = {
    name: 'Counted',
    desks: times(30, (n) => ({ name: `Desk ${n}` })),
    assets: times(3, () => asset({ warranties: times(10, () => warranty) })),
  };
  await client.post('/locations/buildings', { name: 'First' });
  service.statements.length = 0;
  const { status, row } = await client.post('/locations/buildings', body);
  expect(status).toBe(201);
  expect(row).toMatchObject({ name: 'Counted' });
  const inserts = service.statements.flatMap((sql) => /INSERT INTO "(\w+)"/.exec(sql)?.[1] ?? []);
  expect(inserts).toEqual(['buildings', 'assets', 'asset_warranties', 'desks']);
  // They begin and end the transaction, and read the row as it is then.
  expect(service.statements.length).toBeLessThanOrEqual(8);
  expect(await totalOf(`/butts-in-seats/desks?building_id=${String(row['id'])}`)).toBe(30);
});

test('what follows from a row follows from one that is created with another', async () => {
  const { next } = (await client.get('/changes')).row;
  const { row } = await client.post('/service-requests', {
    title: 'Leak',
    description: 'In the kitchen',
    comments: [{ comment: 'Wet' }, { comment: 'Very' }],
    time_logs: [{ hours: 0.5 }],
    watchers: [{ user_id: tenant.users[1]?.id }],
  });
  const path = `/service-requests/${String(row['id'])}`;
  const { rows: comments } = await client.get(`${path}/comments`);
  expect(comments.map(({ comment, user_id }) => [comment, user_id]).toSorted()).toEqual([
    ['Very', tenant.users[0]?.id],
    ['Wet', tenant.users[0]?.id],
  ]);
  const actions = (await client.get(`${path}/activity`)).rows.map(({ action }) => action);
  expect(actions.toSorted()).toEqual(['commented', 'commented', 'created', 'time_logged', 'watcher_added']);
  await waitForOlderTransactions(service.database);
  const feed = (await client.get('/changes', { after: next })).row as { changes: Row[] };
  const created = feed.changes.filter(({ action }) => action === 'create').map(({ resource }) => resource);
  expect(created.filter((resource) => resource === 'service_request_comments')).toHaveLength(2);
});

test('rows two levels below, which share a parent, refer to the rows above', async () => {
  const { data, errors } = await client.graphql<{ createChecklist: Row }>(`mutation {
    createChecklist(input: { name: "Opening", groups: [
      { name: "Doors", tasks: [{ title: "Front" }, { title: "Back" }] }, { name: "Lights", tasks: [{ title: "All" }] }
    ] }) { id groups { nodes { name order tasks { nodes { title checklist { name } group { name } } } } } } }`);
  expect(errors).toEqual([]);
  const task = (title: string, name: string) => ({ title, checklist: { name: 'Opening' }, group: { name } });
  const groups = (
    data.createChecklist['groups'] as { nodes: { name: string; order: number; tasks: { nodes: Row[] } }[] }
  ).nodes;
  expect(groups.toSorted((one, other) => one.order - other.order)).toMatchObject([
    {
      name: 'Doors',
      order: 1,
      tasks: { nodes: expect.arrayContaining([task('Front', 'Doors'), task('Back', 'Doors')]) },
    },
    { name: 'Lights', order: 2, tasks: { nodes: [task('All', 'Lights')] } },
  ]);
  const id = String(data.createChecklist['id']);
  const later = await client.post(`/checklists/${id}/groups`, { name: 'Late', tasks: [{ title: 'Last' }] });
  expect(later.status).toBe(201);
  expect((await client.get(`/checklists/${id}/tasks?group_id=${String(later.row['id'])}`)).rows).toMatchObject([
    { title: 'Last', checklist_id: id },
  ]);
});

test('all errors are named by their places, in both APIs, and nothing is stored', async () => {
  const total = await totalOf('/locations/buildings');
  const wrong = {
    name: 'Wrong',
    areas: [{ name: 'Good' }, { kind: 'none' }],
    desks: [{ name: 'D', building_id: randomUUID() }],
    service_requests: [{ title: 'T', assigned_to: randomUUID(), comments: [{ comment: 'x' }, { comment: '' }] }],
  };
  const { status, json } = await send('/locations/buildings', wrong);
  expect(status).toBe(422);
  expect(json.error.details).toMatchObject({
    'areas.1.name': 'is required',
    'desks.0.building_id': expect.stringContaining('is not a field here'),
    'service_requests.0.assigned_to': 'no such user in your company',
  });
  const { errors } = await client.graphql(
    `mutation ($user: ID!) { createBuilding(input: { name: "Wrong", serviceRequests: [
      { title: "T", description: "D", assignedTo: $user, timeLogs: [{ hours: 25, description: "long" }] }] }) { id } }`,
    { user: randomUUID() },
  );
  expect(errors[0]?.extensions.details).toEqual({
    'serviceRequests.0.timeLogs.0.hours': 'must be over 0 and at most 24',
    'serviceRequests.0.assignedTo': 'no such user in your company',
  });
  expect(await totalOf('/locations/buildings')).toBe(total);
});

test("another company's row is refused as in a creation of its own", async () => {
  const other = await (await service.tenant()).client();
  const theirs = (await other.post('/locations/buildings', { name: 'Theirs' })).row['id'];
  const total = await totalOf('/vendors');
  const item = { name: 'Nut', sku: randomUUID().slice(0, 8), transfers: [{ to_location_id: theirs, quantity: 1 }] };
  const reply = await send('/inventory', item);
  const alone = await send('/procurement/transfers', { to_location_id: theirs, quantity: 1 });
  expect(alone.status).toBe(422);
  expect([reply.status, reply.json.error.details['transfers.0.to_location_id']]).toEqual([
    422,
    alone.json.error.details['to_location_id'],
  ]);
  expect(await totalOf('/vendors')).toBe(total);
  expect(await totalOf('/locations/buildings', other)).toBe(1);
});

test('a conflict of a row below names it, and takes back all', async () => {
  const [total, id] = [await totalOf('/service-requests'), randomUUID()];
  const request = { title: 'Twice', description: 'x' };
  const comment = (more: Row) => ({ comment: 'c', ...more });
  const twice = await send('/service-requests', {
    ...request,
    time_logs: [
      { hours: 1, id },
      { hours: 2, id },
    ],
  });
  expect([twice.status, twice.json.error.details]).toEqual([
    409,
    { 'time_logs.1.id': 'is the same as in time_logs.0' },
  ]);
  const watcher = { user_id: tenant.users[1]?.id };
  const watchers = await send('/service-requests', { ...request, watchers: [watcher, watcher] });
  expect([watchers.status, Object.keys(watchers.json.error.details)]).toEqual([409, ['watchers.1.user_id']]);
  const known = { external_source: 'erp', external_id: '7' };
  expect((await send('/service-requests', { ...request, comments: [comment({ id, ...known })] })).status).toBe(201);
  const taken = await send('/service-requests', { ...request, comments: [comment({}), comment(known)] });
  expect([taken.status, taken.json.error.details['comments.1.external_id']]).toEqual([409, 'is taken']);
  expect(await totalOf('/service-requests')).toBe(total + 1);
});

test('levels and rows are limited before any work', async () => {
  service.statements.length = 0;
  const order = { items: [], receiving_records: [] };
  const deep = await send('/vendors', { company_name: 'Deep', requisitions: [{ purchase_orders: [order] }] });
  expect(deep.status).toBe(422);
  const { errors } = await client.graphql(`mutation { createVendor(input: { companyName: "Deep", requisitions: [
    { title: "R", purchaseOrders: [{ receivingRecords: [] }] }] }) { id } }`);
  expect(Object.entries(errors[0]?.extensions.details ?? {})).toEqual([
    ['requisitions.0.purchaseOrders.0.receivingRecords', 'is nested too deeply: at most 2 levels of rows below a row'],
  ]);
  const many = await send('/locations/buildings', {
    name: 'Many',
    desks: times(400, (n) => ({ name: `Desk ${n}` })),
    areas: times(600, (n) => ({ name: `Area ${n}` })),
  });
  expect([many.status, many.json.error.details]).toEqual([422, { desks: 'brings the request to more than 1000 rows' }]);
  expect(service.statements.filter((sql) => /INSERT|BEGIN/.test(sql))).toEqual([]);
  const operations = times(2, () => ({ create: { name: 'Half', desks: times(500, (n) => ({ name: `Desk ${n}` })) } }));
  const batch = await send('/locations/buildings/batch', { operations });
  expect(batch.json.error.details).toEqual({
    'operations.1.create.desks': 'brings the request to more than 1000 rows',
  });
});

test('a batch creates rows below its rows; lenient handling refuses a row with them; an upsert has none', async () => {
  const create = (name: string, ...comments: Row[]) => ({ create: { title: name, description: 'd', comments } });
  const operations = [
    create('One', { comment: 'a' }),
    create('Two', { comment: 'b' }, { comment: '' }),
    create('Three', { comment: 'c' }, { comment: 'd' }),
  ];
  const strict = await send('/service-requests/batch', { operations });
  expect([strict.status, Object.keys(strict.json.error.details)]).toEqual([
    422,
    ['operations.1.create.comments.1.comment'],
  ]);
  const lenient = await send('/service-requests/batch', { operations }, { prefer: 'handling=lenient' });
  const results = lenient.json.data as unknown as { action: string; id: string; error: { details: Row } | null }[];
  expect(results.map(({ action }) => action)).toEqual(['created', 'refused', 'created']);
  expect(Object.keys(results[1]?.error?.details ?? {})).toEqual(['create.comments.1.comment']);
  expect(await totalOf(`/service-requests/${String(results[2]?.id)}/comments`)).toBe(2);
  const id = randomUUID();
  const upsert = await send('/service-requests/batch', {
    operations: [{ upsert: { id, title: 'U', description: 'd', comments: [] } }],
  });
  expect(Object.keys(upsert.json.error.details)).toEqual(['operations.0.upsert.comments']);
});

test('items of a row in a batch, and of a row below it, are named by their places', async () => {
  const line = (quantity: number) => ({ description: 'Bulb', quantity, unit_price: 2 });
  const orders = [{ line_items: [line(1)] }, { line_items: [line(1), line(-3)] }];
  const { status, json } = await send('/procurement/requisitions/batch', {
    operations: [
      { create: { title: 'Good', line_items: [line(1)] } },
      { create: { title: 'Bad', line_items: [line(2), line(-1)], purchase_orders: orders } },
    ],
  });
  expect(status).toBe(422);
  expect(Object.keys(json.error.details).toSorted()).toEqual([
    'operations.1.create.line_items.1.quantity',
    'operations.1.create.purchase_orders.1.line_items.1.quantity',
  ]);
});

test('rows below belong to the row although a later write deletes it', async () => {
  const id = randomUUID();
  const row = { id, title: 'Short', description: 'x', comments: [{ comment: 'c' }] };
  const { rows: results } = await client.request('POST', '/service-requests/batch', {
    body: { operations: [{ create: row }, { delete: true, id }] },
  });
  expect(results.map(({ action }) => action)).toEqual(['created', 'deleted']);
  // The areas of a building hold it.
  const operations = [{ create: { id, name: 'Held', areas: [{ name: 'A' }] } }, { delete: true, id }];
  const held = await send('/locations/buildings/batch', { operations });
  expect([held.status, held.json.error.message]).toEqual([
    409,
    'Other records still refer to some of these buildings.',
  ]);
});

test('dry runs, idempotency keys and atomic documents hold', async () => {
  const [buildings, desks] = [await totalOf('/locations/buildings'), await totalOf('/butts-in-seats/desks')];
  const body = { name: 'Tried', desks: [{ name: 'One' }, { name: 'Two' }] };
  const tried = await client.request('POST', '/locations/buildings/batch', {
    query: { dry_run: true },
    body: { operations: [{ create: body }] },
  });
  expect(tried.rows).toMatchObject([{ action: 'created', row: { name: 'Tried' } }]);
  expect([await totalOf('/locations/buildings'), await totalOf('/butts-in-seats/desks')]).toEqual([buildings, desks]);
  const headers = { 'idempotency-key': randomUUID() };
  const replies = [
    await client.request('POST', '/locations/buildings', { body, headers }),
    await client.request('POST', '/locations/buildings', { body, headers }),
  ];
  expect(replies.map(({ status, row }) => [status, row['id']])).toEqual([
    [201, replies[0]?.row['id']],
    [201, replies[0]?.row['id']],
  ]);
  expect(await totalOf('/butts-in-seats/desks')).toBe(desks + 2);
  const id = randomUUID();
  const { errors } = await client.graphql(`mutation @atomic {
    createBuilding(input: { id: "${id}", name: "Atomic", desks: [{ name: "Three" }] }) { id }
    createArea(input: { buildingId: "${randomUUID()}", name: "Nowhere" }) { id } }`);
  expect(errors).not.toEqual([]);
  expect((await client.get(`/locations/buildings/${id}`)).status).toBe(404);
  expect(await totalOf('/butts-in-seats/desks')).toBe(desks + 2);
});

test('what a member may not set is refused below a row, too', async () => {
  const member = await memberClient(service, tenant, 2);
  const completion = (user: number) => ({ completion_date: '2026-03-02', completed_by: tenant.users[user]?.id });
  const { row } = await client.post('/checklists', { name: 'Closing' });
  const alone = await member.request('POST', `/checklists/${String(row['id'])}/completions`, { body: completion(0) });
  const below = await member.request('POST', '/checklists', { body: { name: 'Mine', completions: [completion(0)] } });
  expect(alone.status).toBeGreaterThanOrEqual(403);
  expect([below.status, below.details]).toEqual([
    alone.status,
    Object.fromEntries(Object.entries(alone.details).map(([name, text]) => [`completions.0.${name}`, text])),
  ]);
  const own = await member.post('/checklists', { name: 'Mine', completions: [completion(2)] });
  expect(await totalOf(`/checklists/${String(own.row['id'])}/completions`)).toBe(1);
  // Only admins create questions: with a program or without one.
  const question = await member.graphql(
    `mutation { createTrainingProgram(input: { title: "T", questions: [] }) { id } }`,
  );
  expect(question.errors.map(({ extensions: { code } }) => code)).toEqual(['INSUFFICIENT_SCOPE']);
});

test('rows below count against the limit of rows', async () => {
  const limited = await startService({ ROW_LIMIT_COMPANY_PER_HOUR: '6' });
  try {
    const by = await (await limited.tenant()).client();
    const left = await by.request('POST', '/locations/buildings', {
      body: { name: 'A', areas: [{ name: 'B' }, { name: 'C' }] },
    });
    expect([left.status, left.headers.get('x-rowlimit-remaining')]).toEqual([201, '3']);
    const desks = times(3, (n) => ({ name: `Desk ${n}` }));
    // A batch has all of them, also in a dry run: a building with three desks are four rows.
    const batch = await by.request('POST', '/locations/buildings/batch', {
      query: { dry_run: true },
      body: { operations: [{ create: { name: 'A', desks } }] },
    });
    expect(batch.status).toBe(429);
    const refused = await by.request('POST', '/locations/buildings', { body: { name: 'A', desks } });
    expect(refused.status).toBe(429);
    expect(await totalOf('/locations/buildings', by)).toBe(1);
    // A row alone is a request like others.
    expect((await by.post('/locations/buildings', { name: 'Alone' })).status).toBe(201);
  } finally {
    await limited.close();
  }
});
