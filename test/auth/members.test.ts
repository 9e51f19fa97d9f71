import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createLimiter } from '../../src/auth/limits.ts';
import { readConfig } from '../../src/config.ts';
import { api } from '../../src/schema/index.ts';
import { memberClient } from '../resources/members.ts';
import { Browser, password, proveEmail, signInAll } from '../support/browser.ts';
import { Client, errorCodes, type Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { invite } from './invite.ts';

let service: Service;
let acme: Tenant;
let admin: Browser;
let executive: Browser;
let member: Browser;
let otherAdmin: Browser;
/** A second instance of the service on the same database. */
let second: FastifyInstance;
let secondOrigin: string;
/** The lines of its log. */
const log: string[] = [];
beforeAll(async () => {
  service = await startService();
  acme = await service.tenant('acme');
  ({ admin, executive, member } = await signInAll(service, acme));
  ({ admin: otherAdmin } = await signInAll(service, await service.tenant('other')));
  const { database } = service;
  const config = readConfig({ RATE_LIMIT_TOKEN_PER_HOUR: '1000000', RATE_LIMIT_PUBLIC_PER_HOUR: '1000000' });
  const limiter = createLimiter(database, undefined);
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) });
  second = await createApp({ api, config, database, limiter, logger });
  second.addHook('onClose', () => limiter.close());
  await second.listen({ host: '127.0.0.1', port: 0 });
  secondOrigin = `http://127.0.0.1:${(second.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await second.close();
  await service.close();
});

const change = (browser: Client, field: string, id: string, more = '') =>
  browser.graphql(`mutation ($id: ID!) { ${field}(id: $id${more}) { id role deactivatedAt } }`, { id });
const events = async (browser: Client, args = '') =>
  (
    await browser.graphql<{ securityEvents: Row[] | null }>(
      `{ securityEvents${args} { id action ipAddress actor { email } person { email } details { name value } } }`,
    )
  ).data.securityEvents ?? [];
const userId = (n: number) => acme.users[n]?.id ?? '';
const emailOf = (n: number) => acme.users[n]?.email ?? '';

/** Waits until a request is refused. @throws when it is not within ten seconds @returns how long it took, in ms */
async function untilRefused(send: () => Promise<{ status: number }>): Promise<number> {
  const start = performance.now();
  while ((await send()).status !== 401)
    if (performance.now() - start > 10_000) throw new Error('still allowed after 10 s');
  return performance.now() - start;
}

describe('a deactivated user', () => {
  test('is refused by every instance, with sessions and tokens, until reactivated', async () => {
    const { token } = await memberClient(service, acme, 2);
    const onSecond = new Client(secondOrigin, token);
    const sessionOnSecond = new Browser(secondOrigin, member.cookies);
    const me = () => sessionOnSecond.graphql('{ me { id } }');
    // The token is in use on the other instance, which remembers its caller.
    expect((await onSecond.get('/paints')).status).toBe(200);
    expect((await me()).status).toBe(200);
    expect((await change(admin, 'deactivateUser', userId(2))).data['deactivateUser']).toMatchObject({
      deactivatedAt: expect.any(String),
    });
    // Remembered callers are valid for 0.9 s, and a busy machine takes its time.
    expect(await untilRefused(() => onSecond.get('/paints'))).toBeLessThan(5000);
    expect((await new Client(service.origin, token).get('/paints')).status).toBe(401);
    expect((await me()).status).toBe(401);
    expect((await new Browser(service.origin).signIn(emailOf(2), password)).status).toBe(401);
    expect((await admin.graphql(`{ user(id: "${userId(2)}") { fullName deactivatedAt } }`)).data['user']).toEqual({
      fullName: 'Cleo acme',
      deactivatedAt: expect.any(String),
    });

    expect((await change(admin, 'reactivateUser', userId(2))).data['reactivateUser']).toMatchObject({
      deactivatedAt: null,
    });
    const again = new Browser(service.origin);
    expect((await again.signIn(emailOf(2), password)).status).toBe(200);
    const deadline = Date.now() + 10_000;
    while ((await onSecond.get('/paints')).status !== 200)
      if (Date.now() > deadline) throw new Error('still refused after 10 s');
    ({ member } = { member: again.at('/api/v1') });
  });

  test('can still work in their other companies', async () => {
    const { prisma } = service.database;
    const third = await service.tenant('third');
    const { admin: thirdAdmin } = await signInAll(service, third);
    const email = emailOf(1);
    await proveEmail(service, userId(1));
    const invited = await invite(thirdAdmin, { email, fullName: 'Ben' });
    const token = invited.data.inviteUser?.path.split('#')[1];
    const { origin } = service;
    // The link alone does not make its holder Ben.
    expect((await new Browser(origin).post('/auth/invitation/accept', { token, password })).status).toBe(409);
    const ben = new Browser(origin);
    await ben.signIn(email, password);
    expect((await ben.post('/auth/invitation', { token })).json['data']).toEqual({
      email,
      full_name: 'Ben',
      role: 'member',
      company_name: 'Company third',
      has_account: true,
      is_emailed: false,
      step: 'accept',
      ends_access: false,
    });
    expect((await ben.post('/auth/invitation/accept', { token })).status).toBe(204);
    expect((await ben.post('/auth/invitation/accept', { token })).status).toBe(404);

    await change(thirdAdmin, 'deactivateUser', userId(1));
    const { data } = await ben.graphql('{ me { companies { slug } } }');
    expect(data['me']).toEqual({ companies: [{ slug: 'acme' }, { slug: 'acme-sandbox' }] });
    const refused = await ben.request('PATCH', '/auth/session', { body: { company_id: third.company.id } });
    expect(refused.status).toBe(422);
    expect(await prisma.user.count({ where: { id: userId(1), deactivatedAt: { not: null } } })).toBe(2);
  });

  test('is not the last admin, whose role cannot change either', async () => {
    expect(errorCodes(await change(admin, 'deactivateUser', userId(0)))).toEqual([{ code: 'CONFLICT' }]);
    expect(errorCodes(await change(admin, 'setUserRole', userId(0), ', role: MEMBER'))).toEqual([{ code: 'CONFLICT' }]);
    await change(admin, 'setUserRole', userId(1), ', role: ADMIN');
    expect((await executive.graphql('{ me { role } }')).data['me']).toEqual({ role: 'ADMIN' });
    const back = await change(admin, 'setUserRole', userId(1), ', role: EXECUTIVE');
    expect(back.data['setUserRole']).toMatchObject({ role: 'EXECUTIVE' });
    const { prisma } = service.database;
    const rows = await prisma.user.findMany({ where: { id: userId(1), company: { slug: { startsWith: 'acme' } } } });
    expect(rows.map(({ role }) => role)).toEqual(['EXECUTIVE', 'EXECUTIVE']);
  });

  test('must belong to the company of the admin', async () => {
    for (const field of ['deactivateUser', 'reactivateUser'])
      expect(errorCodes(await change(otherAdmin, field, userId(2)))).toEqual([{ code: 'NOT_FOUND' }]);
    expect(errorCodes(await change(otherAdmin, 'setUserRole', userId(2), ', role: ADMIN'))).toEqual([
      { code: 'NOT_FOUND' },
    ]);
  });
});

describe('a session', () => {
  test('is listed and ended by its person alone', async () => {
    const [one, two] = [new Browser(service.origin), new Browser(service.origin)];
    for (const browser of [one, two]) await browser.signIn(emailOf(1), password);
    const list = async () =>
      (await one.graphql<{ mySessions: Row[] }>('{ mySessions { id isCurrent createdAt ipAddress } }')).data.mySessions;
    const before = await list();
    expect(before.length).toBeGreaterThanOrEqual(2);
    expect(before.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    const other = before.find(({ isCurrent }) => !isCurrent)?.['id'];
    const end = (browser: Client) =>
      browser.graphql('mutation ($id: ID!) { endSession(id: $id) { id } }', { id: other });
    expect(errorCodes(await end(admin))).toEqual([{ code: 'NOT_FOUND' }]);
    expect((await end(one)).data['endSession']).toEqual({ id: other });
    expect((await one.graphql('mutation { endOtherSessions { id } }')).errors).toEqual([]);
    expect((await two.graphql('{ me { id } }')).status).toBe(401);
    expect(await list()).toHaveLength(1);
    await executive.signIn(emailOf(1), password);
  });

  test('older than an hour creates no token until its person signs in again, in the same browser', async () => {
    const browser = new Browser(service.origin);
    await browser.signIn(emailOf(0), password);
    const { prisma } = service.database;
    const [{ id } = {}] = (await browser.graphql<{ mySessions: Row[] }>('{ mySessions { id isCurrent } }')).data
      .mySessions;
    const create = () =>
      browser.graphql<{ createApiToken: { token: string; apiToken: Row } | null }>(
        'mutation { createApiToken(input: { name: "x", scopes: ["paint:read"] }) { token apiToken { lastFour expiresAt } } }',
      );
    await prisma.session.update({ where: { id: String(id) }, data: { createdAt: new Date(Date.now() - 3_601_000) } });
    expect(errorCodes(await create())).toEqual([{ code: 'REAUTHENTICATION_REQUIRED' }]);
    const sessions = await prisma.session.count();
    expect((await browser.signIn(emailOf(0), password)).status).toBe(200);
    expect(await prisma.session.count()).toBe(sessions);
    const { createApiToken } = (await create()).data;
    expect(createApiToken?.apiToken['lastFour']).toBe(createApiToken?.token.slice(-4));
    const days = (Date.parse(String(createApiToken?.apiToken['expiresAt'])) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBeGreaterThanOrEqual(365);
    expect(Math.round(days)).toBeLessThanOrEqual(366);
  });
});

describe('the security log', () => {
  test('records actor, action, affected user and IP address, for admins of the company only', async () => {
    await change(admin, 'setUserRole', userId(2), ', role: EXECUTIVE');
    await change(admin, 'setUserRole', userId(2), ', role: MEMBER');
    const [newest] = await events(admin, '(first: 1)');
    expect(newest).toEqual({
      id: expect.any(String),
      action: 'ROLE_CHANGED',
      ipAddress: '127.0.0.1',
      actor: { email: emailOf(0) },
      person: { email: emailOf(2) },
      details: [
        { name: 'from', value: 'executive' },
        { name: 'to', value: 'member' },
      ],
    });
    const [earlier] = await events(admin, `(first: 1, before: "${newest?.['id']}")`);
    expect(earlier).toMatchObject({ action: 'ROLE_CHANGED', details: [{ value: 'member' }, { value: 'executive' }] });
    expect(errorCodes(await executive.graphql('{ securityEvents { id } }'))).toEqual([{ code: 'INSUFFICIENT_SCOPE' }]);
    expect((await events(otherAdmin)).map(({ actor }) => actor)).not.toContainEqual({ email: emailOf(0) });
    const actions = (await events(admin, '(first: 100)')).map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['SIGNED_IN', 'TOKEN_CREATED', 'USER_DEACTIVATED', 'USER_REACTIVATED', 'SESSION_ENDED']),
    );
  });

  test('has failed sign-ins, without what was entered, for the admins of that person', async () => {
    const anonymous = new Browser(service.origin);
    await anonymous.signIn(emailOf(2), 'my secret attempt');
    await anonymous.signIn('my-secret-address@acme.example', password);
    const failed = async () => (await events(admin)).filter(({ action }) => action === 'SIGN_IN_FAILED');
    const deadline = Date.now() + 10_000;
    while ((await failed()).length === 0) if (Date.now() > deadline) throw new Error('not recorded within 10 s');
    expect(await failed()).toContainEqual(
      expect.objectContaining({ actor: null, person: { email: emailOf(2) }, ipAddress: '127.0.0.1' }),
    );
    expect((await events(otherAdmin)).map(({ action }) => action)).not.toContain('SIGN_IN_FAILED');
    const everything = JSON.stringify(await service.database.prisma.securityEvent.findMany());
    expect(everything).not.toContain('secret');
    expect(everything).not.toContain(password);
    expect(everything).not.toMatch(/svc_live_/);
  });

  test('is only added to', async () => {
    const { prisma } = service.database;
    await expect(prisma.securityEvent.deleteMany({})).rejects.toThrow(/only added/);
    await expect(prisma.securityEvent.updateMany({ data: { action: 'nothing' } })).rejects.toThrow(/only added/);
  });
});

test('the request log names caller and company, and contains no secret', async () => {
  const { token = '' } = await acme.client();
  const announced = { company_slug: 'acme', guest_name: 'Mira', guest_email: 'mira@acme.example' };
  const { row } = await new Client(secondOrigin).post('/public/expected-packages', announced);
  const tracking = String(row['tracking_token']);
  const ends = ['', '/', '//', '/x', '?a=b', '.', '%20'];
  const paths = [
    ...ends.map((end) => `/api/v1/public/expected-packages/${tracking}${end}`),
    ...[`/packages/${tracking}`, `/packages/${tracking}/`, `/PACKAGES/${tracking}`, `//public//${tracking}`],
    `/api/v1/paints/${token}`,
  ];
  log.length = 0;
  for (const path of paths) await fetch(secondOrigin + path);
  await new Client(secondOrigin, token).get('/paints', { search: 'private' });
  const answers = () => log.map((line) => JSON.parse(line) as Row).filter(({ msg }) => msg === 'answered');
  const deadline = Date.now() + 10_000;
  while (answers().length <= paths.length) {
    if (Date.now() > deadline) throw new Error(`${answers().length} of ${paths.length + 1} requests logged after 10 s`);
    await sleep(20);
  }
  for (const secret of [tracking, token.slice(9), 'private']) expect(log.join('')).not.toContain(secret);
  expect(answers().at(-1)).toMatchObject({
    path: '/api/v1/paints',
    user: userId(0),
    company: acme.company.id,
    caller: expect.stringMatching(/^token:/),
  });
});

test('company settings are changed by admins, and take effect', async () => {
  const update = (browser: Client, input: Row) =>
    browser.graphql(
      `mutation ($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { name slug separateApproval } }`,
      { input },
    );
  expect(errorCodes(await update(executive, { separateApproval: true }))).toEqual([{ code: 'INSUFFICIENT_SCOPE' }]);
  expect(errorCodes(await update(admin, { name: ' ' }))).toEqual([
    { code: 'VALIDATION_ERROR', details: { name: 'must not be empty' } },
  ]);
  const { data } = await update(admin, { name: 'Acme Works', separateApproval: true });
  expect(data['updateCompanySettings']).toEqual({ name: 'Acme Works', slug: 'acme', separateApproval: true });
  const client = await acme.client();
  const order = await client.post('/procurement/orders', {});
  expect((await client.patch(`/procurement/orders/${String(order.row['id'])}`, { status: 'sent' })).status).toBe(403);
  const [newest] = await events(admin, '(first: 1)');
  expect(newest).toMatchObject({ action: 'SETTINGS_CHANGED', actor: { email: emailOf(0) } });
  expect(newest?.['details']).toContainEqual({ name: 'separateApproval', value: 'true' });
});

test('changes of the settings that are made at once are each recorded once', async () => {
  const recorded = () =>
    service.database.prisma.securityEvent.count({
      where: { companyId: acme.company.id, action: 'settings_changed' },
    });
  const before = await recorded();
  const update = 'mutation { updateCompanySettings(input: { name: "Acme at Once" }) { name } }';
  const replies = await Promise.all(Array.from({ length: 5 }, () => admin.graphql(update)));
  expect(replies.flatMap(({ errors }) => errors)).toEqual([]);
  expect(await recorded()).toBe(before + 1);
});
