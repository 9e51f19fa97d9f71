// Notifications by email, with a mail server on loopback.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { postponeWaiting, takeMail } from '../../src/background/notifications/due-mail.ts';
import { readConfig } from '../../src/config.ts';
import { createMailer, noMailer } from '../../src/mail/index.ts';
import type { Row } from '../support/client.ts';
import { NotificationSetup, pathOf } from '../support/notifications.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { slowdown } from '../support/slowdown.ts';
import { startMailServer } from '../support/smtp.ts';

let setup: NotificationSetup;
beforeAll(async () => {
  setup = await NotificationSetup.start();
});
afterAll(() => setup.stop());
afterEach(() => setup.reset());

describe('a link in an email', () => {
  test('stops emails of its kind with one POST, signed out, and nothing else', async () => {
    const id = await setup.createRequest();
    await setup.ben.patch(`/service-requests/${id}`, { status: 'in-progress' });
    await setup.deliver();
    const [mail] = setup.mailTo('cleo');
    const line = (key: string) => mail?.headerLines.find((each) => each.key === key)?.line.replace(/\r?\n\s*/g, ' ');
    expect(line('list-unsubscribe-post')).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const [, link = ''] = /^List-Unsubscribe: <(.*)>$/.exec(line('list-unsubscribe') ?? '') ?? [];
    expect(link).toMatch(/^http:\/\/localhost:4000\/auth\/unsubscribe\?token=/);
    const address = setup.service.origin + pathOf(link);

    // Scanners of links follow them.
    const got = await fetch(address, { redirect: 'manual' });
    expect([got.status, pathOf(got.headers.get('location'))]).toEqual([
      302,
      pathOf(link).replace('/auth/unsubscribe', '/unsubscribe'),
    ]);
    expect(mail?.text).toContain(`Stop emails of this kind: Request changed: ${String(got.headers.get('location'))}`);
    expect(await setup.service.database.prisma.notificationPreference.count()).toBe(0);

    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    const posted = await fetch(address, { method: 'POST', body: form });
    expect([posted.status, await posted.json()]).toMatchObject([200, { data: { kinds: ['request_changed'] } }]);
    expect(await setup.service.database.prisma.notificationPreference.findMany()).toMatchObject([
      { userId: setup.ids.cleo, kind: 'request_changed', delivery: 'list' },
    ]);
    setup.mails.messages.length = 0;
    await setup.ben.patch(`/service-requests/${id}`, { status: 'completed' });
    await setup.ben.post(`/service-requests/${id}/comments`, { comment: 'Done.' });
    await setup.deliver();
    expect(setup.mailTo('ada')).toHaveLength(1);
    expect(setup.mailTo('cleo').map(({ text }) => text)).toEqual([expect.stringContaining('commented: Done.')]);
    expect(setup.mailTo('cleo')[0]?.text).not.toContain('completed');
    expect((await setup.list(setup.people.member)).notifications).toHaveLength(3);

    // What somebody has switched off stays off.
    await setup.prefer(setup.people.member, 'REQUEST_CHANGED', 'OFF');
    const urlencoded = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
    expect((await fetch(address, urlencoded)).status).toBe(200);
    const { data } = await setup.people.member.graphql<{ notificationPreferences: Row[] }>(
      '{ notificationPreferences { kind delivery description } }',
    );
    expect(data.notificationPreferences).toContainEqual(
      expect.objectContaining({ kind: 'REQUEST_CHANGED', delivery: 'OFF' }),
    );
    await setup.ben.patch(`/service-requests/${id}`, { status: 'pending' });
    await setup.deliver();
    expect((await setup.list(setup.people.member)).notifications).toHaveLength(3);
  });

  test.each(['', 'x', 'W10.x', `${Buffer.from('["a"]').toString('base64url')}.${'A'.repeat(43)}`])(
    'that was not signed, %j, is refused',
    async (token) => {
      const reply = await fetch(`${setup.service.origin}/auth/unsubscribe?token=${token}`, { method: 'POST' });
      expect([reply.status, await reply.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
    },
  );
});

describe('an email', () => {
  const pendingOf = (status: string) =>
    setup.service.database.prisma.notification.findMany({
      where: { mailStatus: status },
      select: { attempts: true, nextAt: true },
    });

  test('that cannot be sent now is sent again later, with growing pauses', async () => {
    await setup.createRequest({ assigned_to: setup.ids.ben });
    const pauses: number[] = [];
    for (const message of ['try later', 'sender']) {
      setup.refusals = [Object.assign(new Error(message), { responseCode: message === 'sender' ? 553 : 451 })];
      expect(await setup.deliver()).toEqual({});
      const [waiting] = await pendingOf('pending');
      pauses.push(Math.round((Number(waiting?.nextAt) - Date.now()) / 60_000));
    }
    expect(pauses).toEqual([1, 5]);
    await setup.worker.deliverPending();
    expect(setup.mails.messages).toEqual([]);
    expect(Object.keys(await setup.deliver())).toEqual(['ben']);
    expect(await pendingOf('sent')).toMatchObject([{ attempts: 3 }]);
  });

  test('to an address that the server does not know is not sent again', async () => {
    await setup.createRequest({ assigned_to: setup.ids.ben });
    setup.refusals = [Object.assign(new Error('no such user'), { responseCode: 550 })];
    await setup.deliver();
    expect(await pendingOf('failed')).toMatchObject([{ attempts: 1 }]);
    expect(await setup.deliver()).toEqual({});
  });

  test('is given up after ten hours', async () => {
    await setup.createRequest({ assigned_to: setup.ids.ben });
    const { url } = await startMailServer().then(async (gone) => {
      await gone.close();
      return gone;
    });
    const unreachable = await createMailer(readConfig({ SMTP_URL: url }), pino({ level: 'silent' }));
    const other = setup.createWorker(unreachable);
    for (let attempt = 1; attempt <= 7; attempt++) await setup.deliver(other);
    expect(await pendingOf('failed')).toMatchObject([{ attempts: 7 }]);
    await other.close();
    await unreachable.close();
  });

  test('is sent once by two instances, and again if one dies while it sends', async () => {
    await Promise.all(
      Array.from({ length: 5 }, (_, index) => setup.createRequest({ title: `${index}`, assigned_to: setup.ids.ben })),
    );
    await waitForOlderTransactions(setup.service.database);
    const other = setup.createWorker();
    await Promise.all([setup.worker.deliverPending(), other.deliverPending()]);
    await setup.sql(`UPDATE notifications SET next_at = now() WHERE mail_status = 'pending'`);
    await Promise.all([setup.worker.deliverPending(), other.deliverPending()]);
    expect(setup.mails.messages.map(({ subject }) => subject?.slice(-1)).sort()).toEqual(['0', '1', '2', '3', '4']);
    const [id] = setup.mails.messages.map(({ messageId }) => messageId);
    await setup.sql(
      `UPDATE notifications SET mail_status = 'pending' WHERE id = $1`,
      /^<(.*)@localhost>$/.exec(id ?? '')?.[1],
    );
    await setup.deliver();
    expect(setup.mails.messages.filter(({ messageId }) => messageId === id)).toHaveLength(2);
    expect(setup.mails.messages).toHaveLength(6);
    await other.close();
  });

  test('combines notifications when too many messages wait', async () => {
    await setup.service.database.prisma.serviceRequest.createMany({
      data: Array.from({ length: 60 }, (_, index) => ({
        ...{
          companyId: setup.tenant.company.id,
          createdBy: setup.ids.ada,
          assignedTo: setup.ids.ben,
          title: `Request ${index}`,
        },
      })),
    });
    await setup.deliver();
    expect(setup.mailTo('ben')).toHaveLength(21);
    const [digest] = setup.mailTo('ben').filter(({ subject }) => subject === 'Assigned to you: 40');
    expect(digest?.text).toContain('20 more are on the page.');
    expect(await setup.service.database.prisma.notification.count({ where: { userId: setup.ids.ben } })).toBe(60);
  });
});

describe('notifications that wait for the oldest of their message', () => {
  /** Stores notifications of Ben's in one message. @param due when the oldest is due, and the others, from now */
  const store = (count: number, due: { readonly first: string; readonly others: string }) =>
    setup.sql(
      `INSERT INTO notifications
         (company_id, id, user_id, kind, table_name, row_id, xid, seq, mail_status, mail_group, next_at)
       SELECT $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2, 'assigned', 'service_requests',
              gen_random_uuid(), 0, n, 'pending', 'waiting',
              now() + CASE WHEN n = 1 THEN $3 ELSE $4 END::interval
       FROM generate_series(1, $5::int) AS n`,
      setup.tenant.company.id,
      setup.ids.ben,
      due.first,
      due.others,
      count,
    );
  const counts = async (condition: string) =>
    (await setup.sql(`SELECT mail_status, count(*)::int FROM notifications WHERE ${condition} GROUP BY 1 ORDER BY 1`))
      .rows;

  test('are postponed and taken by their keys, though none was pending when PostgreSQL last counted', async () => {
    const { database } = setup.service;
    const companyId = setup.tenant.company.id;
    await setup.sql('ANALYZE notifications');
    await store(20_000, { first: '1 hour', others: '-1 minute' });
    const startedAt = performance.now();
    expect(await postponeWaiting(database, companyId)).toBe(1000);
    await setup.sql(`UPDATE notifications SET next_at = now() - interval '1 hour' WHERE seq = 1`);
    expect((await takeMail(database, companyId, 2))[0]?.items).toHaveLength(20_000);
    // Each took 10 s when the pending notifications of the company were read for each.
    expect(performance.now() - startedAt).toBeLessThan(4000 * slowdown());
    await setup.sql('DELETE FROM notifications');
  });

  test('are due together with it, so that none is read at each look, and others are sent', async () => {
    await setup.createRequest({ assigned_to: setup.ids.ben });
    await waitForOlderTransactions(setup.service.database);
    await setup.worker.deliverPending();
    await store(2500, { first: '1 hour', others: '-1 minute' });
    await setup.sql(`UPDATE notifications SET next_at = now() WHERE mail_group <> 'waiting'`);
    await setup.worker.deliverPending();
    expect(setup.mailTo('ben')).toHaveLength(1);
    expect(await counts('next_at <= now()')).toEqual([{ mail_status: 'sent', count: 1 }]);
    const times = await setup.sql(`SELECT DISTINCT next_at FROM notifications WHERE mail_status = 'pending'`);
    expect(times.rows).toHaveLength(1);
    expect(await counts(`mail_group = 'waiting'`)).toEqual([{ mail_status: 'pending', count: 2500 }]);
  });

  test('are sent although it became due after many of them', async () => {
    await store(150, { first: '-1 second', others: '-1 minute' });
    await setup.worker.deliverPending();
    // Their request does not exist.
    expect(await counts('true')).toEqual([{ mail_status: 'skipped', count: 150 }]);
  });
});

test('without an SMTP server everything is in the list', async () => {
  const silent = setup.createWorker(noMailer);
  await setup.createRequest({ assigned_to: setup.ids.ben });
  await waitForOlderTransactions(setup.service.database);
  await silent.deliverPending();
  expect((await setup.list(setup.people.executive)).notifications).toMatchObject([{ kind: 'ASSIGNED' }]);
  expect(await setup.deliver()).toEqual({});
  await silent.close();
});
