import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { listSecurityEvents, recordSecurityEvent, type SecurityFilter } from '../../src/auth/security-log.ts';
import { verifyPassword } from '../../src/auth/sessions/passwords.ts';
import { givePassword, password } from '../support/browser.ts';
import type { Row } from '../support/client.ts';
import { startSignInService } from './sign-in-service.ts';

const setup = await startSignInService();
const { prisma } = setup.service.database;
afterAll(() => setup.close());

test('a password is not changed if the security log cannot record it', async () => {
  const browser = await setup.signedIn();
  const other = await setup.signedIn();
  await prisma.$executeRaw`
    ALTER TABLE security_events ADD CONSTRAINT refused CHECK (action <> 'password_changed') NOT VALID`;
  const change = () =>
    browser.post('/auth/password', { current_password: password, new_password: 'an unknown cat chose this' });
  expect((await change()).status).toBe(500);
  expect(await verifyPassword(prisma, setup.ada.id, password)).toBe(true);
  expect((await other.graphql('{ me { id } }')).status).toBe(200);

  await prisma.$executeRaw`ALTER TABLE security_events DROP CONSTRAINT refused`;
  expect((await change()).status).toBe(204);
  expect(await verifyPassword(prisma, setup.ada.id, password)).toBe(false);
  expect(await prisma.securityEvent.count({ where: { action: 'password_changed' } })).toBe(1);
});

const actionsOf = async (args: string): Promise<unknown[]> => {
  const browser = await setup.signedIn(setup.ada.email, 'an unknown cat chose this');
  const { data, errors } = await browser.graphql<{ securityEvents: Row[] }>(`{ securityEvents${args} { action } }`);
  expect(errors).toEqual([]);
  return data.securityEvents.map(({ action }) => action);
};

/** Adds an event of the company, of Ada. */
const record = (action: 'role_changed' | 'settings_changed' | 'token_created', details: Row, ip?: string) =>
  recordSecurityEvent(prisma, {
    ...{ action, companyId: setup.acme.company.id, details: details as Record<string, string> },
    actor: { personId: setup.ada.id, ip },
  });

test('admins select events by action, by text in whatever they show, and by time', async () => {
  await record('role_changed', { from: 'Größe', to: 'admin' }, '198.51.100.77');
  // Events are in the order of the clock, which may step back a little.
  await sleep(50);
  await record('settings_changed', { name: '50% _of' });
  expect(await actionsOf('(actions: [ROLE_CHANGED, SETTINGS_CHANGED])')).toEqual(['SETTINGS_CHANGED', 'ROLE_CHANGED']);
  for (const [search, found] of [
    ['GRÖSSE', ['ROLE_CHANGED']],
    ['GROSSE', []],
    ['198.51.100.77', ['ROLE_CHANGED']],
    ['50% _', ['SETTINGS_CHANGED']],
    ['% _of x', []],
  ] as const)
    expect({ search, found: await actionsOf(`(search: "${search}")`) }).toEqual({ search, found });
  const byName = await actionsOf(`(search: "${setup.ada.fullName.toUpperCase()}", actions: [ROLE_CHANGED])`);
  expect(byName).toEqual(['ROLE_CHANGED']);
  const [changed] = await prisma.securityEvent.findMany({ where: { action: 'role_changed' } });
  const at = changed?.createdAt.getTime() ?? 0;
  const time = (ms: number) => new Date(ms).toISOString();
  const between = (since: number, until: number) =>
    actionsOf(`(actions: [ROLE_CHANGED], since: "${time(since)}", until: "${time(until)}")`);
  expect(await between(at, at + 1)).toEqual(['ROLE_CHANGED']);
  expect(await between(at - 1, at)).toEqual([]);
  expect(await between(at + 1, at + 2)).toEqual([]);
});

test('pages have the events of the company and personal ones of its members, whatever selects them', async () => {
  const { acme, ada, ben, cleo } = setup;
  const { company: otherCompany, users } = await setup.service.tenant();
  const stranger = users[0]?.id ?? '';
  const companies = [acme.company.id, null, null, otherCompany.id];
  const people = [ada.id, ben.id, cleo.id, stranger, null];
  const actions = ['webhook_created', 'webhook_changed', 'webhook_deleted'] as const;
  // Every company with every actor and every person, which are in one order of time.
  const made = companies.flatMap((companyId, n) =>
    people.flatMap((actorId) => people.map((personId) => ({ companyId, actorId, personId, n }))),
  );
  const start = Date.UTC(2031, 0, 1);
  const events = made.map((event, at) => ({
    ...event,
    id: `${(start + at * 1000)
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7000-8000-${String(at).padStart(12, '0')}`,
    action: actions[at % 3] ?? '',
    createdAt: new Date(start + at * 1000),
    ipAddress: `203.0.113.${at % 7}`,
  }));
  await prisma.securityEvent.createMany({ data: events.map(({ n: _, ...event }) => event) });
  const members = [ada.id, ben.id, cleo.id];
  const isListed = ({ companyId, personId }: (typeof events)[number]) =>
    companyId === acme.company.id || (companyId === null && personId !== null && members.includes(personId));
  const at = (second: number) => new Date(start + second * 1000);
  const filters: [SecurityFilter, (event: (typeof events)[number]) => boolean][] = [
    [{}, () => true],
    [{ personId: ben.id }, ({ actorId, personId }) => actorId === ben.id || personId === ben.id],
    [{ personId: stranger }, ({ actorId, personId }) => actorId === stranger || personId === stranger],
    [{ actions: ['webhook_deleted'] }, ({ action }) => action === 'webhook_deleted'],
    [{ search: '203.0.113.3' }, ({ ipAddress }) => ipAddress === '203.0.113.3'],
    [{ search: cleo.fullName }, ({ actorId, personId }) => actorId === cleo.id || personId === cleo.id],
    [{ until: at(40) }, ({ createdAt }) => createdAt < at(40)],
    [
      { since: at(40), personId: ada.id },
      (event) => event.createdAt >= at(40) && [event.actorId, event.personId].includes(ada.id),
    ],
  ];
  for (const [filter, matches] of filters) {
    const expected = events.filter((event) => isListed(event) && matches(event)).map(({ id }) => id);
    expect(expected.length).toBeGreaterThan(4);
    for (const first of [1, 4, 1000]) {
      const listed: string[] = [];
      for (let page = ['']; page.length > 0; listed.push(...page)) {
        const before = listed.at(-1);
        const found = await listSecurityEvents(prisma, acme.company.id, { since: at(0), ...filter, first, before });
        page = found.map(({ id }) => id);
        if (listed.length === 0) expect(page).toHaveLength(Math.min(first, expected.length));
      }
      expect({ filter, first, listed }).toEqual({ filter, first, listed: expected.toReversed() });
    }
  }
});

test('admins take the log as CSV: what the filter selects, without formulas, and no one else does', async () => {
  await record('token_created', { name: '=HYPERLINK("https://evil.example")' }, '198.51.100.78');
  const browser = await setup.signedIn(setup.ada.email, 'an unknown cat chose this');
  const reply = await browser.post('/auth/security-log', { search: 'hyperlink' });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="security-log-[\d-]+\.csv"$/);
  const [names, ...lines] = reply.text.split('\r\n').slice(0, -1);
  expect(names).toBe('created_at,action,actor,actor_email,person,person_email,ip_address,user_agent,details,id');
  expect(lines).toHaveLength(1);
  const facts = `,token_created,${setup.ada.fullName},${setup.ada.email},,,198.51.100.78,,`;
  expect(lines[0]).toContain(`${facts}"{""name"":""=HYPERLINK(\\""https://evil.example\\"")""}",`);
  // Somebody whose name is a formula does not become one.
  await prisma.$executeRaw`
    UPDATE users SET full_name = '=1+1' WHERE id = ${setup.ada.id}::uuid AND company_id = ${setup.acme.company.id}::uuid`;
  const { text } = await browser.post('/auth/security-log', {});
  expect(text).toContain(`,token_created,'=1+1,${setup.ada.email},`);
  expect(text).not.toMatch(/^"?=|,"?=/m);
  for (const [body, field] of [
    [{ actions: ['nonsense'] }, 'actions.0'],
    [{ since: 'yesterday' }, 'since'],
    [{ page: 2 }, 'page'],
  ] as const) {
    const refused = await browser.post('/auth/security-log', body);
    expect({ status: refused.status, fields: Object.keys(refused.details) }).toEqual({ status: 422, fields: [field] });
  }
  await givePassword(setup.service, setup.cleo.id);
  const member = await setup.signedIn(setup.cleo.email);
  expect((await member.post('/auth/security-log', {})).status).toBe(403);
  expect((await setup.service.anonymous.at('').post('/auth/security-log', {})).status).toBe(401);
});
