// Who is notified of what, in the list.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { deleteOldRows } from '../../src/background/cleanup.ts';
import { Clock } from '../../src/background/clock.ts';
import { createRefresher } from '../../src/resource/index.ts';
import { occurrences } from '../../src/schema/changes/occurrences.ts';
import { api } from '../../src/schema/index.ts';
import { signInAll } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { NotificationSetup, pathOf } from '../support/notifications.ts';

let setup: NotificationSetup;
beforeAll(async () => {
  setup = await NotificationSetup.start();
});
afterAll(() => setup.stop());
afterEach(() => setup.reset());

/** Reads the row of a notification by the address of its page, with what names it there. */
async function readRow(reader: Client, { path }: Row) {
  const [, , , table = '', id = ''] = String(path).split('/');
  const type = api.collections.get(table);
  if (type === undefined) throw new Error(`There are no pages of ${table}.`);
  const named = '{ resources { type rowField titleField } }';
  const { data } = await setup.people.admin.graphql<{ resources: Row[] }>(named);
  const { rowField, titleField } = data.resources.find((resource) => resource['type'] === type) ?? {};
  // Maintenance is named after its asset.
  const title = type === 'AssetMaintenance' ? 'asset { assetName }' : String(titleField);
  return reader.graphql<{ row: Row }>(`{ row: ${String(rowField)}(id: "${id}") { id ${title} } }`);
}

describe('a request', () => {
  test('that changes notifies who created it, is assigned to it and watches it, in one message each', async () => {
    const settings = { emailSenderName: 'Acme "Desk"', emailReplyTo: 'desk@acme.example', timeZone: 'Asia/Tokyo' };
    const update = 'mutation ($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { name } }';
    await setup.people.admin.graphql(update, { input: settings });
    const id = await setup.createRequest();
    expect(await setup.deliver()).toEqual({});

    await setup.ben.patch(`/service-requests/${id}`, { assigned_to: setup.ids.cleo, priority: 'high' });
    await setup.ben.patch(`/service-requests/${id}`, { status: 'in-progress', room: '4 <b>' });
    const texts = await setup.deliver();
    expect(Object.keys(texts).sort()).toEqual(['ada', 'cleo']);
    for (const name of ['ada', 'cleo']) expect(setup.mailTo(name)).toHaveLength(1);
    expect(texts['ada']).toContain('Service request "The lobby light flickers" at Company acme');
    expect(texts['ada']).toContain('Ben acme changed the priority from normal to high and assigned it to Cleo acme.');
    expect(texts['ada']).toContain(`Ben acme changed the status from pending to in-progress and changed the room.`);
    expect(texts['cleo']).toContain(`Ben acme changed the priority from normal to high and assigned it to you.`);
    // At the time of the company.
    expect(texts['ada']).toMatch(/\d{1,2} \w+ \d{4}, \d\d:\d\d \(Asia\/Tokyo\): Ben/);

    const [mail] = setup.mailTo('ada');
    expect(mail).toMatchObject({
      recipients: [setup.tenant.users[0]?.email],
      subject: 'Service request: The lobby light flickers',
      from: { value: [{ name: 'Acme "Desk"', address: 'premises@acme.example' }] },
      replyTo: { value: [{ address: 'desk@acme.example' }] },
    });
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail?.html).toContain('Service request &quot;The lobby light flickers&quot;');
    const [, link] = /Open your notifications: (\S+)/.exec(texts['ada'] ?? '') ?? [];
    expect(mail?.html).toContain(`<a href="${link}">Open your notifications</a>`);
    expect((await setup.people.admin.open(pathOf(link))).status).toBe(200);
    const [, page] = /Open the service request: (\S+)/.exec(texts['ada'] ?? '') ?? [];
    expect(pathOf(page)).toBe(`/c/${setup.tenant.company.slug}/service-requests/${id}`);
    expect((await setup.people.admin.open(pathOf(page))).status).toBe(200);

    const { notifications, unread } = await setup.list(setup.people.admin);
    expect(unread).toBe(2);
    expect(notifications).toMatchObject([
      {
        kind: 'REQUEST_CHANGED',
        title: 'The lobby light flickers',
        resource: 'ServiceRequest',
        rowId: id,
        readAt: null,
      },
      { text: 'Ben acme changed the priority from normal to high and assigned it to Cleo acme.' },
    ]);
    expect(notifications[0]).toMatchObject({ path: `/c/${setup.tenant.company.slug}/service-requests/${id}` });
    expect((await readRow(setup.people.admin, notifications[0] ?? {})).data.row).toMatchObject({ id });
    expect((await setup.list(setup.people.member)).notifications.map(({ kind }) => kind)).toEqual([
      'REQUEST_CHANGED',
      'ASSIGNED',
    ]);
    expect((await setup.list(setup.people.executive)).notifications).toEqual([]);
  });

  test('that is commented on notifies all but the author', async () => {
    const id = await setup.createRequest({ assigned_to: setup.ids.ben });
    await setup.deliver();
    setup.mails.messages.length = 0;
    await setup.ada.post(`/service-requests/${id}/comments`, { comment: 'The part\nhas arrived.' });
    const texts = await setup.deliver();
    expect(Object.keys(texts).sort()).toEqual(['ben', 'cleo']);
    expect(texts['cleo']).toContain('Ada acme commented: The part has arrived.');
    expect((await setup.list(setup.people.member)).notifications).toMatchObject([{ kind: 'COMMENTED', rowId: id }]);
  });

  test('that is deleted notifies who watched it', async () => {
    const { row } = await setup.ada.post('/move-requests', { title: 'Desks', assigned_to: setup.ids.ben });
    await setup.ada.post(`/move-requests/${String(row['id'])}/watchers`, { user_id: setup.ids.cleo });
    await setup.deliver();
    setup.mails.messages.length = 0;
    await setup.ada.delete(`/move-requests/${String(row['id'])}`);
    const texts = await setup.deliver();
    expect(Object.keys(texts).sort()).toEqual(['ben', 'cleo']);
    expect(texts['cleo']).toContain('Move request "Desks" at');
    expect(texts['cleo']).toContain('Ada acme deleted it.');
    expect((await setup.list(setup.people.member)).notifications).toMatchObject([{ path: null }]);
  });

  test('of a sandbox is in the list alone', async () => {
    const test = await setup.tenant.client(['*'], { live: false });
    await test.post('/service-requests', { title: 'Test', assigned_to: setup.ids.ben });
    expect(await setup.deliver()).toEqual({});
    const select = (id: string) => setup.people.executive.at('').patch('/auth/session', { company_id: id });
    await select(setup.tenant.company.sandbox.id);
    expect((await setup.list(setup.people.executive)).notifications).toMatchObject([
      { kind: 'ASSIGNED', title: 'Test' },
    ]);
    await select(setup.tenant.company.id);
    expect((await setup.list(setup.people.executive)).notifications).toEqual([]);
  });

  test('notifies nobody of another company, and no deactivated user', async () => {
    const other = await setup.service.tenant();
    const { admin } = await signInAll(setup.service, other);
    await setup.sql('UPDATE users SET deactivated_at = now() WHERE id = $1', setup.ids.cleo);
    const id = await setup.createRequest({ assigned_to: setup.ids.ben });
    await setup.ben.patch(`/service-requests/${id}`, { status: 'completed' });
    expect(Object.keys(await setup.deliver()).sort()).toEqual(['ada', 'ben']);
    await setup.sql('UPDATE users SET deactivated_at = NULL WHERE id = $1', setup.ids.cleo);
    expect((await setup.list(setup.people.member)).notifications).toEqual([]);
    expect((await setup.list(admin)).notifications).toEqual([]);
  });
});

test('scheduled changes notify those who turned them on, in the way they chose', async () => {
  for (const kind of ['LOW_STOCK', 'REMINDER_DUE', 'LEASE_EXPIRED', 'MAINTENANCE_OVERDUE']) {
    await setup.prefer(setup.people.member, kind, 'EMAIL');
    await setup.prefer(setup.people.executive, kind, kind === 'LOW_STOCK' ? 'LIST' : 'OFF');
  }
  const token = await setup.clientOf(setup.tenant, setup.ids.ada);
  await token.post('/inventory', { name: 'Lamp', quantity: 3, reorder_point: 5, unit: 'pieces' });
  await token.post('/inventory', { name: 'Fuse', quantity: 0, reorder_point: 1 });
  await token.post('/reminders', { title: 'Lift', due_date: '2026-01-02T03:04:00Z', description: 'Call.' });
  const { row: lease } = await token.post('/leases', { name: 'Hall', lease_type: 'property', end_date: '2090-01-01' });
  const { row: asset } = await token.post('/assets', { asset_name: 'Boiler' });
  const maintenance = { maintenance_type: 'inspection', scheduled_date: '2090-01-01' };
  await token.post(`/assets/${String(asset['id'])}/maintenance`, maintenance);
  await setup.sql(`UPDATE leases SET end_date = '2021-01-01' WHERE id = $1`, lease['id']);
  await setup.sql(`UPDATE asset_maintenance SET scheduled_date = '2021-02-03'`);
  const clock = new Clock({
    database: setup.service.database,
    refreshStale: createRefresher(setup.service.database, api.resources),
    occurrences,
    log: pino({ level: 'silent' }),
  });
  await clock.tick();
  await clock.close();
  await setup.deliver();

  expect(setup.mailTo('ben')).toEqual([]);
  expect(setup.mailTo('ada')).toEqual([]);
  expect(
    setup
      .mailTo('cleo')
      .map(({ subject }) => subject)
      .sort(),
  ).toEqual(['Lease expired: Hall', 'Low stock: 2', 'Maintenance overdue: Boiler', 'Reminder due: Lift']);
  const textOf = (start: string) => setup.mailTo('cleo').find(({ subject }) => subject?.startsWith(start))?.text;
  expect(textOf('Low')).toContain('Lamp: 3 pieces left; the reorder point is 5. (');
  expect(textOf('Low')).toContain('Fuse: 0 left; the reorder point is 1. (');
  expect(textOf('Lease')).toContain('Expired. Its last day was 1 January 2021.');
  expect(textOf('Maintenance')).toContain('Overdue. It was scheduled for 3 February 2021.');
  expect(textOf('Reminder')).toMatch(/Due 2 January 2026, 12:04. Call\./);
  expect((await setup.list(setup.people.executive)).notifications.map(({ title }) => title).sort()).toEqual([
    'Fuse',
    'Lamp',
  ]);
  const { notifications } = await setup.list(setup.people.member);
  expect(notifications).toHaveLength(5);
  const { admin: stranger } = await signInAll(setup.service, await setup.service.tenant());
  for (const notification of notifications) {
    const { data, errors } = await readRow(setup.people.member, notification);
    expect(errors).toEqual([]);
    expect(JSON.stringify(data)).toContain(notification['title']);
    // The page has its own text for rows of other companies.
    expect((await readRow(stranger, notification)).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  }
});

describe('the list', () => {
  const mark = async (browser: Client, args: string) =>
    (
      await browser.graphql<{ markNotificationsRead: { count: number } }>(
        `mutation { markNotificationsRead${args} { count } }`,
      )
    ).data.markNotificationsRead.count;

  test('is read in parts, newest first, and marked as read by its person alone', async () => {
    for (const title of ['One', 'Two', 'Three']) await setup.createRequest({ title, assigned_to: setup.ids.ben });
    await setup.deliver();
    const { notifications, next } = await setup.list(setup.people.executive, '(first: 2)');
    expect(notifications.map(({ title }) => title)).toEqual(['Three', 'Two']);
    const rest = await setup.list(setup.people.executive, `(first: 2, before: "${next}")`);
    expect(rest).toMatchObject({ notifications: [{ title: 'One' }], next: null, unread: 3 });
    const [newest] = notifications;
    expect(await mark(setup.people.member, `(ids: ["${String(newest?.['id'])}"])`)).toBe(0);
    expect(await mark(setup.people.member, '')).toBe(0);
    expect(await mark(setup.people.executive, `(ids: ["${String(newest?.['id'])}"])`)).toBe(1);
    expect((await setup.list(setup.people.executive)).notifications.map(({ readAt }) => readAt !== null)).toEqual([
      true,
      false,
      false,
    ]);
    expect(await mark(setup.people.executive, '')).toBe(2);
    expect((await setup.list(setup.people.executive)).unread).toBe(0);
    for (const args of ['(first: 0)', '(first: 101)', '(before: "x")']) {
      const { errors } = await setup.people.executive.graphql(`{ notifications${args} { unread } }`);
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
    }
  });

  test('is not for tokens', async () => {
    const token = await setup.tenant.client();
    for (const query of [
      '{ notifications { unread } }',
      '{ notificationPreferences { kind } }',
      'mutation { markNotificationsRead { count } }',
      'mutation { setNotificationPreference(kind: COMMENTED, delivery: OFF) { kind } }',
    ]) {
      const { data, errors } = await token.graphql<Row>(query);
      expect(Object.values(data)).toEqual([null]);
      expect(errors).toHaveLength(1);
    }
  });

  test('has the newest thousand, of the last 90 days', async () => {
    const row = {
      companyId: setup.tenant.company.id,
      userId: setup.ids.ben,
      kind: 'assigned',
      tableName: 'service_requests',
    };
    const old = { ...row, rowId: setup.ids.ben, xid: 0n, seq: 0n, mailGroup: '' };
    await setup.service.database.prisma.notification.createMany({ data: Array.from({ length: 1010 }, () => old) });
    await setup.createRequest({ assigned_to: setup.ids.ben });
    await setup.deliver();
    expect(await setup.service.database.prisma.notification.count({ where: { userId: setup.ids.ben } })).toBe(1000);
    expect((await setup.list(setup.people.executive, '(first: 100)')).notifications).toMatchObject([
      { kind: 'ASSIGNED' },
    ]);
  });

  test('is deleted after 90 days in small batches, the rest later where the service stops', async () => {
    const { prisma } = setup.service.database;
    const { company, users } = setup.tenant;
    const row = {
      companyId: company.id,
      userId: users[0]?.id ?? '',
      rowId: company.id,
      kind: 'assigned',
      mailGroup: '',
    };
    const old = { ...row, tableName: 'service_requests', xid: 0n, seq: 0n, createdAt: new Date(0) };
    await prisma.notification.createMany({ data: Array.from({ length: 1001 }, () => old) });
    const left = [];
    for (const answers of [[false, true], [false]]) {
      await deleteOldRows(prisma, 'notifications', 90, () => answers.shift() ?? false);
      left.push(await prisma.notification.count({ where: { createdAt: new Date(0) } }));
    }
    expect(left).toEqual([1, 0]);
  });

  test('is deleted when its person is erased', async () => {
    const other = await setup.service.tenant();
    const { admin, member } = await signInAll(setup.service, other);
    const [, , cleo] = other.users;
    const client = await other.client();
    await client.post('/service-requests', { title: 'Private', assigned_to: cleo?.id });
    await setup.prefer(member, 'LOW_STOCK', 'LIST');
    await setup.deliver();
    const mine = { where: { userId: cleo?.id ?? '' } };
    const { notification, notificationPreference } = setup.service.database.prisma;
    expect([await notification.count(mine), await notificationPreference.count(mine)]).toEqual([1, 1]);
    await admin.graphql('mutation ($id: ID!) { deactivateUser(id: $id) { id } }', { id: cleo?.id });
    const erase = 'mutation ($id: ID!, $email: String!) { eraseUser(id: $id, email: $email) { id } }';
    expect((await admin.graphql(erase, { id: cleo?.id, email: cleo?.email })).errors).toEqual([]);
    expect([await notification.count(mine), await notificationPreference.count(mine)]).toEqual([0, 0]);
  });
});
