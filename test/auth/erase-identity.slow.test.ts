import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCompany, createUser } from '../../src/auth/accounts.ts';
import { deactivate, erase } from '../../src/auth/members.ts';
import { commandLine, recordSecurityEvent } from '../../src/auth/security-log.ts';
import type { Database } from '../../src/database/index.ts';
import { createDemo } from '../../src/seed/index.ts';
import type { Row } from '../support/client.ts';
import { testDatabase } from '../support/database.ts';

let database: Database;
let demo: { id: string; sandbox: string };
let other: { id: string; admin: string };
beforeAll(async () => {
  database = await testDatabase();
  await createDemo(database);
  const { prisma } = database;
  const company = await prisma.company.findUniqueOrThrow({ where: { slug: 'demo' }, include: { sandbox: true } });
  demo = { id: company.id, sandbox: company.sandbox?.id ?? '' };
  const { id } = await createCompany(prisma, { slug: 'other', name: 'Other' });
  const user = { companyId: id, email: 'admin@other.test', fullName: 'Olga', role: 'ADMIN' } as const;
  other = { id, admin: (await createUser(prisma, user)).id };
});
afterAll(() => database.close());

const sql = async (text: string, ...values: unknown[]): Promise<Row[]> => (await database.query({ text, values })).rows;

/** Every row of every table, by its key. */
async function dump(): Promise<Map<string, Row>> {
  const tables = await sql(`
    SELECT relname AS name, string_agg(format('%I', attname), ', ' ORDER BY attnum) AS key
    FROM pg_index JOIN pg_class ON pg_class.oid = indrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
    WHERE indisprimary AND relnamespace = current_schema()::regnamespace GROUP BY relname`);
  expect(tables.length).toBeGreaterThan(60);
  const found = new Map<string, Row>();
  for (const { name, key } of tables) {
    const rows = await sql(
      `SELECT concat_ws(' ', ${String(key)}) AS key, row_to_json(t)::jsonb AS row FROM "${String(name)}" AS t`,
    );
    for (const { key, row } of rows) found.set(`${String(name)} ${String(key)}`, row as Row);
  }
  return found;
}

/** The cells that differ, as `table.column`, with their rows; `table+` and `table-` are new and deleted rows. */
function compare(before: Map<string, Row>, after: Map<string, Row>): (readonly [string, string, unknown])[] {
  const tableOf = (key: string) => key.slice(0, key.indexOf(' '));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): (readonly [string, string, unknown])[] => {
    const [was, is] = [before.get(key), after.get(key)];
    if (!was) return [[`${tableOf(key)}+`, key, is]];
    if (!is) return [[`${tableOf(key)}-`, key, was]];
    return Object.keys(is)
      .filter((column) => JSON.stringify(was[column]) !== JSON.stringify(is[column]))
      .map((column) => [`${tableOf(key)}.${column}`, key, is[column]] as const);
  });
}

/** What names a person in a company: places of identity, and texts of others with the same words. */
async function mention(companyId: string, owner: string, person: string, name: string, address: string) {
  const { prisma } = database;
  await prisma.company.update({
    where: { id: companyId },
    data: { emailReplyTo: address.toUpperCase(), emailSenderName: name },
  });
  const details = { role: 'admin', email: address, count: 1.5, ok: true, nothing: null };
  await recordSecurityEvent(prisma, { action: 'user_invited', actor: { personId: owner }, companyId, details });
  const settings = { company: 'demo', emailReplyTo: address, emailSenderName: name };
  const event = { action: 'settings_changed', companyId, details: settings } as const;
  await recordSecurityEvent(prisma, { ...event, actor: { personId: owner, ip: '203.0.113.1', userAgent: 'Admin' } });
  const named = { token: name, webhook: address };
  await recordSecurityEvent(prisma, { action: 'token_created', actor: { personId: owner }, companyId, details: named });
  await prisma.apiToken.create({
    data: { companyId, userId: owner, name: `${name} ${address}`, hash: Buffer.from(randomUUID()) },
  });
  await prisma.savedQuery.create({
    data: { companyId, userId: owner, name, query: `{ ${name} }`, variables: JSON.stringify({ id: name, address }) },
  });
  await prisma.vendor.create({ data: { companyId, companyName: name, contactName: name, email: address } });
  await prisma.invitation.create({
    data: {
      companyId,
      email: address,
      fullName: name,
      tokenHash: Buffer.from(randomUUID()),
      expiresAt: new Date(),
      invitedBy: owner,
    },
  });
  const guests = [
    { guestName: name, guestEmail: address.toUpperCase(), notes: `${name} ${address}` },
    { guestName: name, guestEmail: `x${address}` },
  ];
  const packages: string[] = [];
  for (const guest of guests) {
    const row = { companyId, ...guest, tokenHash: Buffer.from(randomUUID()) };
    packages.push((await prisma.expectedPackage.create({ data: row })).id);
  }
  const webhook = await prisma.webhook.create({
    data: {
      companyId,
      userId: owner,
      name,
      url: 'https://x.test',
      secret: 's',
      position: '0',
      filter: `{ name: { eq: "${name}" } }`,
    },
  });
  const deliver = async (request: unknown, answer = 'ok', rowId: string | null = null) =>
    (
      await prisma.webhookDelivery.create({
        data: {
          companyId,
          webhookId: webhook.id,
          event: 'paints.update',
          rowId,
          request: JSON.stringify(request),
          answer,
        },
      })
    ).id;
  const dropped = [
    await deliver({ text: 'x', user: { id: person } }),
    await deliver({ text: `Write to ${address.toUpperCase()}.` }),
    await deliver({ text: `Guest:\n${address}` }),
    await deliver({}, `no <${address}>`),
    await deliver({}, 'ok', person),
  ];
  const kept = [
    await deliver({ type: 'users.create', email: `x${address}`, full_name: name }),
    await deliver({ [name]: name, email: `${address}.example` }),
    await deliver({ id: randomUUID(), role: 'admin', a: true, b: null, year: 2026 }),
  ];
  return { packages, dropped, kept, webhook: webhook.id };
}

const names = ['Admin', 'Email', 'id', 'true', 'null', '2026', 'a"b\\c', '.'];

test.each(names.map((name, n) => [name, n] as const))(
  'erasing %j changes what identifies them, and nothing else',
  async (name, n) => {
    const { prisma } = database;
    const members = await prisma.user.findMany({
      where: { companyId: demo.id, deactivatedAt: null },
      orderBy: { email: 'asc' },
    });
    const owner = members.find(({ role }) => role === 'ADMIN')?.id ?? '';
    const person = members.find(({ id }) => id !== owner)?.id ?? '';
    // A former name and a former address are in the log.
    const [former, address] = [`former${n}@demo.test`, `person${n}@demo.test`];
    for (const data of [
      { fullName: 'Zoe', email: former },
      { fullName: name, email: address },
    ]) {
      await prisma.user.updateMany({ where: { id: person }, data });
      await prisma.person.update({ where: { id: person }, data });
    }
    const theirs = await mention(demo.id, owner, person, name, address);
    const formerly = await mention(demo.sandbox, owner, person, 'Zoe', former);
    await mention(other.id, other.admin, person, name, address);
    const ofPerson = { personId: person, ip: '203.0.113.7', userAgent: 'A rare browser' };
    await recordSecurityEvent(prisma, {
      action: 'role_changed',
      actor: ofPerson,
      companyId: demo.id,
      personId: owner,
      details: { from: 'member', to: 'admin' },
    });
    await recordSecurityEvent(prisma, {
      action: 'signed_in',
      actor: ofPerson,
      personId: person,
      details: { method: 'password' },
    });
    await recordSecurityEvent(prisma, { action: 'company_deleted', actor: ofPerson, details: { company: 'gone' } });
    await recordSecurityEvent(prisma, { action: 'sign_in_failed', actor: { ip: '203.0.113.8' }, personId: person });
    await deactivate(prisma, { companyId: demo.id, userId: person }, commandLine);
    await prisma.notification.deleteMany({ where: { userId: person } });
    await prisma.session.create({ data: { personId: person, token: randomUUID(), expiresAt: new Date() } });
    await prisma.verification.create({ data: { identifier: 'x', value: person, expiresAt: new Date() } });
    await prisma.verification.create({ data: { identifier: 'y', value: owner, expiresAt: new Date() } });

    const before = await dump();
    await erase(prisma, { companyId: demo.id, userId: person }, commandLine);
    const after = await dump();
    const differences = compare(before, after);

    const erased = { name: 'Erased user', address: `${person}@erased.invalid` };
    const both = [demo.id, demo.sandbox];
    // Their own rows, and those that their address identifies.
    const cells = (table: string, keys: readonly string[], columns: Row) =>
      keys.flatMap((key) =>
        Object.entries(columns).map(([column, value]) => [`${table}.${column}`, `${table} ${key}`, value]),
      );
    const image = { full_name: erased.name, email: erased.address };
    const at = { updated_at: expect.any(String) };
    const found = (parts: readonly string[]) =>
      differences.filter(([cell]) => parts.includes(cell.replace(/[.+-].*/, '')));
    expect(found(['users', 'people', 'companies', 'expected_packages'])).toEqual(
      expect.arrayContaining([
        ...cells(
          'users',
          both.map((id) => `${id} ${person}`),
          { ...image, ...at },
        ),
        ...cells('people', [person], { ...image, ...at }),
        ...cells('companies', both, { email_reply_to: null, email_sender_name: null, ...at }),
        ...cells('expected_packages', [`${demo.id} ${theirs.packages[0]}`, `${demo.sandbox} ${formerly.packages[0]}`], {
          guest_name: erased.name,
          guest_email: erased.address,
          ...at,
        }),
      ]),
    );
    const avatars = found(['users']).filter(([cell]) => cell === 'users.avatar_url');
    expect(found(['users', 'people', 'companies', 'expected_packages'])).toHaveLength(6 + 3 + 6 + 6 + avatars.length);
    expect(
      differences
        .filter(([cell]) => /[+-]$/.test(cell))
        .map(([cell]) => cell)
        .sort(),
    ).toEqual(
      [
        ...Array.from({ length: 6 }, () => 'changes+'),
        ...['invitations-', 'invitations-'],
        'security_events+',
        'sessions-',
        'verifications-',
      ].sort(),
    );

    // The log: images of their rows, of their packages and of the sender of email.
    const logged = differences.filter(([cell]) => /^changes[.]/.test(cell));
    for (const [cell, key] of logged) {
      expect(cell).toMatch(/^changes\.(before|after)$/);
      const row = after.get(key);
      const ids = [person, ...both, theirs.packages[0], formerly.packages[0]];
      expect(ids).toContain(row?.['row_id']);
      const [old, now] = [before.get(key), row].map((each) => each?.[cell.slice(8)] as Row);
      const changed = Object.keys(now ?? {}).filter((member) => !isDeepStrictEqual(now?.[member], old?.[member]));
      expect(Object.keys(now ?? {})).toEqual(Object.keys(old ?? {}));
      for (const member of changed)
        expect([erased.name, erased.address, member === 'avatar_url' ? null : '']).toContain(now?.[member]);
    }
    const images = [...after].filter(
      ([key, row]) => key.startsWith('changes ') && both.includes(String(row['company_id'])),
    );
    for (const [, { table_name, row_id, before: was, after: is }] of images) {
      const texts = JSON.stringify([was, is]).toLowerCase();
      if (table_name === 'users' && row_id === person) expect(texts).not.toMatch(/@demo\.test|zoe/);
      if (table_name === 'companies') expect(texts).not.toContain(address);
      for (const each of [was, is] as Row[])
        if (table_name === 'expected_packages') expect(String(each?.['guest_email']).toLowerCase()).not.toBe(address);
    }

    // The messages of webhooks, the security log and the tokens.
    expect(
      found(['webhook_deliveries'])
        .map(([, key]) => key.split(' ')[2])
        .sort(),
    ).toEqual([...theirs.dropped, ...formerly.dropped].flatMap((id) => [id, id]).sort());
    for (const [cell, , value] of found(['webhook_deliveries'])) {
      expect(cell).toMatch(/\.(request|answer)$/);
      expect(value).toBeNull();
    }
    const events = differences.filter(([cell]) => /^security_events[.]/.test(cell));
    expect(events.map(([cell, key]) => [after.get(key)?.['action'], cell.slice(16)]).sort()).toEqual([
      ['role_changed', 'ip_address'],
      ['role_changed', 'user_agent'],
      ['settings_changed', 'details'],
      ['settings_changed', 'details'],
      ['sign_in_failed', 'ip_address'],
      ['signed_in', 'ip_address'],
      ['signed_in', 'user_agent'],
      ['user_invited', 'details'],
      ['user_invited', 'details'],
    ]);
    const invited = events.find(
      ([cell, key]) => cell.endsWith('details') && after.get(key)?.['action'] === 'user_invited',
    );
    const [stored] = await sql('SELECT details::text FROM security_events WHERE id = $1', invited?.[1].split(' ')[1]);
    expect(Object.entries(JSON.parse(String(stored?.['details'])) as Row)).toEqual([
      ['role', 'admin'],
      ['email', erased.address],
      ['count', 1.5],
      ['ok', true],
      ['nothing', null],
    ]);
    const rest = differences.filter(
      ([cell]) =>
        !/^(users|people|companies|expected_packages|changes|webhook_deliveries|security_events)[.]|[+-]$/.test(cell),
    );
    expect(
      rest.filter(([cell, key]) => cell !== 'api_tokens.revoked_at' || after.get(key)?.['user_id'] !== person),
    ).toEqual([]);

    // Of the other company nothing changed.
    for (const [, key, value] of differences) {
      const row = after.get(key) ?? (value as Row);
      expect(row['company_id'] ?? row['id']).not.toBe(other.id);
    }
  },
);
