// The messages that webhooks are sent.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ServiceError } from '../../src/errors.ts';
import type { Client } from '../support/client.ts';
import { dataOf, verify, WebhookService } from '../support/webhooks.ts';

let hooks: WebhookService;
let client: Client;
let people: WebhookService['people'];
let receiver: WebhookService['receiver'];

beforeAll(async () => {
  hooks = await WebhookService.start();
  ({ client, people, receiver } = hooks);
});
afterAll(() => hooks.close());
afterEach(() => hooks.reset());

describe('a webhook', () => {
  test('is sent changes, signed as Standard Webhooks specifies', async () => {
    const { secret } = await hooks.create(people.admin);
    const { row } = await client.post('/paints', { name: 'Sage' });
    const path = `/paints/${String(row['id'])}`;
    await client.patch(path, { name: 'Sea' });
    await client.delete(path);
    await client.post('/vendors', { company_name: 'Ace' });
    await hooks.deliverAll();
    expect(receiver.receivedEvents).toEqual([
      ['paints.create', row['id']],
      ['paints.update', row['id']],
      ['paints.delete', row['id']],
    ]);
    const [created, updated] = receiver.received.map(({ message }) => dataOf(message));
    const actor = { kind: 'token', user_id: hooks.tenant.users[0]?.id };
    const expected = { resource: 'paints', action: 'create', fields: [], before: null, after: row, actor };
    expect(created).toMatchObject(expected);
    expect(updated).toMatchObject({ fields: ['name'], before: { name: 'Sage' }, after: { name: 'Sea' } });
    for (const one of receiver.received) expect(verify(secret, one)).toEqual(one.message);
    expect(() => verify(`whsec_${Buffer.alloc(24).toString('base64')}`, receiver.received[0])).toThrow();
  });

  test('signs with both secrets during a rotation', async () => {
    const { id, secret } = await hooks.create(people.admin);
    const { secret: next } = await hooks.mutate(people.admin, 'rotateWebhookSecret', { id }, 'secret');
    await hooks.mutate(people.admin, 'sendTestWebhook', { webhookId: id }, 'id');
    await hooks.deliverAll();
    for (const each of [secret, String(next)])
      expect(verify(each, receiver.received[0])).toMatchObject({ type: 'test' });
    await hooks.sql(`UPDATE webhooks SET previous_secret_until = now()`);
    await hooks.mutate(people.admin, 'sendTestWebhook', { webhookId: id }, 'id');
    await hooks.deliverAll();
    expect(() => verify(secret, receiver.received[1])).toThrow();
    expect(verify(String(next), receiver.received[1])).toMatchObject({ type: 'test' });
  });

  test('signs with each secret for its own 24 hours, however often it is rotated', async () => {
    const created = await hooks.create(people.admin);
    const { id } = created;
    const rotate = async () =>
      String((await hooks.mutate(people.admin, 'rotateWebhookSecret', { id }, 'secret'))['secret']);
    const secrets = [created.secret, await rotate(), await rotate(), await rotate()];
    const signing = async () => {
      receiver.received.length = 0;
      await hooks.mutate(people.admin, 'sendTestWebhook', { webhookId: id }, 'id');
      await hooks.deliverAll();
      return secrets.map((each) => {
        try {
          return Boolean(verify(each, receiver.received[0]));
        } catch {
          return false;
        }
      });
    };
    expect(await signing()).toEqual([true, true, true, true]);
    // The oldest secrets end first.
    const { sql } = hooks;
    const [first] = (await sql('SELECT min(signs_until) AS at FROM webhook_earlier_secrets')).rows;
    expect((Number(first?.['at']) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    await sql(`UPDATE webhook_earlier_secrets SET signs_until = now() WHERE signs_until = $1`, first?.['at']);
    expect(await signing()).toEqual([false, true, true, true]);
    await sql('UPDATE webhook_earlier_secrets SET signs_until = now()');
    expect(await signing()).toEqual([false, false, true, true]);
    await rotate();
    expect((await sql('SELECT count(*)::int AS count FROM webhook_earlier_secrets')).rows).toEqual([{ count: 1 }]);
  });

  test('is rotated at most eleven times in 24 hours', async () => {
    const { id } = await hooks.create(people.admin);
    const rotate = () =>
      people.admin.graphql('mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }', { id });
    for (let n = 0; n < 11; n++) expect((await rotate()).errors).toEqual([]);
    expect((await rotate()).errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
  });

  test('gets the actions and fields that it asks for', async () => {
    const selection = '{ title category assignee { fullName } }';
    await hooks.create(people.admin, { resources: ['SERVICE_REQUESTS'], actions: ['UPDATE'], selection });
    const assignee = hooks.tenant.users[1];
    const body = { title: 'Lamp', description: 'Flickers', assigned_to: assignee?.id };
    const { row } = await client.post('/service-requests', body);
    await client.patch(`/service-requests/${String(row['id'])}`, { title: 'Lamps' });
    hooks.service.statements.length = 0;
    await hooks.deliverAll();
    expect(receiver.received).toHaveLength(1);
    // By a plan: one statement, which writes the row's JSON.
    const reads = hooks.service.statements.filter((sql) => /^SELECT .*"service_requests"/.test(sql));
    expect(reads.filter((sql) => sql.includes('json_build_object'))).toHaveLength(1);
    const sent = { title: 'Lamps', category: null, assignee: { fullName: assignee?.fullName } };
    const url = `https://premises.example/c/${hooks.tenant.company.slug}/service-requests/${String(row['id'])}`;
    expect(dataOf(receiver.received[0]?.message)).toMatchObject({ action: 'update', row: sent, url });
    expect(dataOf(receiver.received[0]?.message)).not.toHaveProperty('after');
  });

  test('gets the selected columns of a deleted row, as they were', async () => {
    const selection = '{ called: title status assignee { fullName } }';
    await hooks.create(people.admin, { resources: ['SERVICE_REQUESTS'], actions: ['DELETE'], selection });
    const body = { title: 'Lamp', assigned_to: hooks.tenant.users[1]?.id };
    await client.delete(`/service-requests/${String((await client.post('/service-requests', body)).row['id'])}`);
    await hooks.deliverAll();
    const row = { called: 'Lamp', status: 'PENDING', assignee: null };
    expect(receiver.received.map(({ message }) => dataOf(message)['row'])).toEqual([row]);
  });

  test('gets nothing while the selected row cannot be read, and the row later', async () => {
    await hooks.create(people.admin, { selection: '{ name }' });
    await hooks.paint('Sage');
    const unavailable = () => Promise.reject(new ServiceError('SERVICE_UNAVAILABLE', 'The database is starting.'));
    const { readerOf } = hooks.service.database;
    const cut = hooks.startWorker(undefined, {
      readerOf: (access) => Object.assign(readerOf(access), { findMany: unavailable, findWithTotal: unavailable }),
    });
    await hooks.deliverAll(cut);
    await cut.close();
    expect(receiver.received).toEqual([]);
    await hooks.pass(60);
    await hooks.deliverAll();
    expect(receiver.received.map(({ message }) => dataOf(message)['row'])).toEqual([{ name: 'Sage' }]);
  });

  test.each([
    ['{ title comments { nodes { id } } }', 'lists'],
    ['{ nonsense }', 'nonsense'],
    ['{ id } } other: me { id }', 'selection'],
    ['{ ...on ServiceRequest { id } }', 'fragments'],
    ['id', 'braces'],
  ])('does not get %s', async (selection, text) => {
    const { errors } = await hooks.tryCreate(people.admin, { resources: ['SERVICE_REQUESTS'], selection });
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_ERROR', details: { selection: expect.stringContaining(text) } } },
    ]);
  });

  test('is sent what its owner may read at the time of sending', async () => {
    await hooks.create(people.member, { resources: ['NOTES'] });
    await client.post('/notes', { title: 'Private' });
    const { row } = await client.post('/notes', { title: 'Shared', is_shared: true });
    const { row: late } = await client.post('/notes', { title: 'Not sent', is_shared: true });
    await hooks.deliverAll();
    // Messages of several rows are sent at once.
    expect(receiver.receivedEvents.toSorted()).toEqual([
      ['notes.create', row['id']],
      ['notes.create', late['id']],
    ]);
    expect(JSON.stringify(receiver.received)).not.toContain('Private');
    await client.patch(`/notes/${String(row['id'])}`, { title: 'Shared again' });
    const { id } = hooks.tenant.company;
    await hooks.sql(`UPDATE users SET deactivated_at = now() WHERE company_id = $1 AND role = 'member'`, id);
    await hooks.deliverAll();
    expect(receiver.received).toHaveLength(2);
    await hooks.sql(`UPDATE users SET deactivated_at = NULL WHERE company_id = $1`, id);
    await hooks.deliverAll();
    expect(receiver.received).toHaveLength(3);
  });

  test('is sent nothing of other companies', async () => {
    await hooks.create(people.otherAdmin);
    await hooks.paint('Sage');
    await hooks.deliverAll();
    expect(receiver.received).toEqual([]);
  });
});

describe('a filter', () => {
  test('chooses rows as each change left them, and deleted ones as they were', async () => {
    await hooks.create(people.admin, { resources: ['PAINTS'], filter: '{ name: { startsWith: "matt" } }' });
    const [always, never] = [await hooks.paint('Matt white'), await hooks.paint('Gloss white')];
    const changing = await hooks.paint('Silk');
    // By the time the log is read, all of this has happened.
    for (const name of ['Matt silk', 'Matt', 'Silk again']) await client.patch(`/paints/${changing}`, { name });
    for (const id of [always, never, changing]) await client.delete(`/paints/${id}`);
    await hooks.deliverAll();
    const received = (id: string) =>
      receiver.received
        .map(({ message }) => dataOf(message))
        .filter(({ row_id }) => row_id === id)
        .map(({ action, before, after }) => [action, ((after ?? before) as { name: unknown }).name]);
    expect(received(always)).toEqual([
      ['create', 'Matt white'],
      ['delete', 'Matt white'],
    ]);
    expect(received(changing)).toEqual([
      ['update', 'Matt silk'],
      ['update', 'Matt'],
    ]);
    expect(receiver.received).toHaveLength(4);
  });

  test('can use related rows, words for times, and columns with their own comparison', async () => {
    const filter = `{
      assignee: { fullName: { eq: "${hooks.tenant.users[1]?.fullName}" } }
      or: [{ createdAt: { gte: "today-1" } }, { title: { eq: "" } }]
    }`;
    await hooks.create(people.admin, { resources: ['SERVICE_REQUESTS'], filter });
    await hooks.create(people.admin, { resources: ['SHIPMENTS'], filter: '{ trackingNumber: { eq: "1z 999-aa" } }' });
    const body = { description: 'Text', assigned_to: hooks.tenant.users[1]?.id };
    const { row: theirs } = await client.post('/service-requests', { ...body, title: 'Theirs' });
    await client.post('/service-requests', { ...body, title: 'Mine', assigned_to: hooks.tenant.users[0]?.id });
    await client.post('/service-requests', { title: 'Nobody', description: 'Text' });
    const { row: parcel } = await client.post('/shipping', { tracking_number: '1Z999AA' });
    await client.post('/shipping', { tracking_number: '1Z999AB' });
    await hooks.deliverAll();
    expect(receiver.receivedEvents.toSorted()).toEqual([
      ['service_requests.create', theirs['id']],
      ['shipments.create', parcel['id']],
    ]);
  });

  test('considers only related rows that the owner may read', async () => {
    const filter = '{ notes: { some: { title: { eq: "Private" } } } }';
    await hooks.create(people.member, { name: 'Member', resources: ['NOTE_CATEGORIES'], filter });
    const mine = await hooks.create(people.admin, { name: 'Admin', resources: ['NOTE_CATEGORIES'], filter });
    const { row } = await client.post('/notes/categories', { name: 'Ideas' });
    await client.post('/notes', { title: 'Private', category_id: row['id'] });
    await client.patch(`/notes/categories/${String(row['id'])}`, { name: 'Plans' });
    await hooks.deliverAll();
    const { rows } = await hooks.sql('SELECT webhook_id::text AS id FROM webhook_deliveries');
    expect([...new Set(rows.map((delivery) => delivery['id']))]).toEqual([mine.id]);
  });

  test.each([
    ['{ nonsense: { eq: 1 } }', 'nonsense'],
    ['{ name: { eq: null } }', 'null'],
    ['{ name: { eq: "a" } }) { nodes { id } } other: me { id', 'filter'],
    ['{ name: { eq: $name } }', '$'],
    ['"name"', 'braces'],
    [`{ ${'not: { '.repeat(9)}name: { eq: "a" }${' }'.repeat(9)} }`, '8 levels'],
  ])('%s is refused', async (filter, text) => {
    const { errors } = await hooks.tryCreate(people.admin, { filter });
    const details = { filter: expect.stringContaining(text) };
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR', details } }]);
  });

  test('is for one resource, and can be changed and removed', async () => {
    const filter = '{ name: { eq: "Sage" } }';
    const { errors } = await hooks.tryCreate(people.admin, { resources: [], filter });
    expect(errors).toMatchObject([{ extensions: { details: { filter: 'requires one resource' } } }]);
    const { id } = await hooks.create(people.admin, { filter });
    const update = (input: object) => hooks.mutate(people.admin, 'updateWebhook', { id, input }, 'filter name');
    expect(await update({ name: 'ERP' })).toEqual({ filter, name: 'ERP' });
    expect(await update({ filter: '{ name: { eq: "Sea" } }' })).toMatchObject({ filter: '{ name: { eq: "Sea" } }' });
    expect(await update({ filter: null })).toMatchObject({ filter: null });
    const both = await people.admin.graphql(
      'mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { id } }',
      { id, input: { resources: ['PAINTS', 'VENDORS'], filter } },
    );
    expect(both.errors).toMatchObject([{ extensions: { details: { filter: 'requires one resource' } } }]);
  });

  test('that an upgrade made invalid turns its webhook off, and others continue', async () => {
    const { id } = await hooks.create(people.admin, { filter: '{ name: { eq: "Sage" } }' });
    await hooks.create(people.member, { name: 'ERP' });
    await hooks.sql(`UPDATE webhooks SET filter = '{ colour: { eq: "green" } }' WHERE id = $1`, id);
    await hooks.paint('Sage');
    await hooks.deliverAll();
    expect(receiver.received).toHaveLength(1);
    const webhooks = new Map((await hooks.list(people.admin)).map((row) => [row['name'], row]));
    const reason = expect.stringContaining('colour');
    expect(webhooks.get('CRM')).toMatchObject({ enabled: false, switchedOffReason: reason });
    expect(webhooks.get('ERP')).toMatchObject({ enabled: true });
    await hooks.mails.received(1);
    expect(hooks.mails.messages).toMatchObject([{ recipients: [hooks.tenant.users[0]?.email], text: reason }]);
  });
});
