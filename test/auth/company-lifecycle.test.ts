import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memberClient } from '../resources/members.ts';
import { Browser, password, signInAll } from '../support/browser.ts';
import type { Row } from '../support/client.ts';
import { collectionsWith, typeOf } from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { unzip } from '../support/unzip.ts';

let service: Service;
let acme: Tenant;
let people: Awaited<ReturnType<typeof signInAll>>;
beforeAll(async () => {
  service = await startService();
  acme = await service.tenant('acme');
  people = await signInAll(service, acme);
});
afterAll(() => service.close());

const cookieOf = ({ cookies }: Browser) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** The export of a browser's company: its status, and the rows by the name of their file. */
async function download(browser: Browser) {
  const headers = { cookie: cookieOf(browser), 'sec-fetch-site': 'same-origin' };
  const response = await fetch(`${service.origin}/auth/company/export`, { method: 'POST', headers });
  const body = Buffer.from(await response.arrayBuffer());
  const files = response.status === 200 ? await rowsIn(body) : {};
  return { status: response.status, headers: response.headers, files, body };
}

/** The rows in an archive, by the name of their file; of a text its lines. */
async function rowsIn(archive: Buffer): Promise<Record<string, Row[]>> {
  const files = Object.entries(await unzip(archive));
  return Object.fromEntries(
    files.map(([name, text]) => {
      const lines = text.split('\n').slice(0, -1);
      return [name, lines.map((line) => (name.endsWith('.txt') ? { line } : (JSON.parse(line) as Row)))];
    }),
  );
}

/** The tables of the database, and whether their rows belong to companies. */
const listTables = () => service.database.prisma.$queryRaw<{ name: string; ofCompanies: boolean }[]>`
  SELECT table_name AS name, EXISTS (
    SELECT FROM information_schema.columns c
    WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND column_name = 'company_id'
  ) AS "ofCompanies"
  FROM information_schema.tables t WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`;

/** How many rows of companies each table has. */
async function countRows(companyIds: readonly string[]): Promise<Record<string, number>> {
  const ids = companyIds.map((id) => `'${id}'`).join(', ');
  const counts: Record<string, number> = {};
  for (const { name, ofCompanies } of await listTables()) {
    if (!ofCompanies) continue;
    const sql = `SELECT count(*)::int AS count FROM "${name}" WHERE company_id IN (${ids})`;
    counts[name] = (await service.database.prisma.$queryRawUnsafe<{ count: number }[]>(sql))[0]?.count ?? NaN;
  }
  return counts;
}

async function fill(tenant: Tenant, live: boolean): Promise<void> {
  const rows = await Rows.of(service, tenant, live, 2);
  for (const [, collection] of collectionsWith('list'))
    if (typeOf(collection) !== 'Company') await rows.list(collection, { full: true });
}

describe('an export', () => {
  beforeAll(() => fill(acme, true));

  test('has every row of every table, and nothing of other companies and the sandbox', async () => {
    const { prisma } = service.database;
    const other = await service.tenant('other');
    await (await other.client()).post('/paints', { name: 'Other paint' });
    await (await acme.client(['*'], { live: false })).post('/paints', { name: 'Sandbox paint' });
    // More than are read at once.
    const { id: companyId } = acme.company;
    await prisma.paint.createMany({
      data: Array.from({ length: 450 }, (_, n) => ({ companyId, name: `Paint ${n}`, colorCode: 'ü€😀\n"' })),
    });
    const { status, headers, files, body } = await download(people.admin);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/zip');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="acme-\d{4}-\d\d-\d\d\.zip"$/);
    expect(Number(headers.get('content-length'))).toBe(body.length);
    const counts = await countRows([companyId]);
    const ofService = ['sessions', 'idempotency_keys', 'change_horizons', 'notification_positions'];
    const omitted = [...ofService, 'imports', 'import_parts', 'file_holds', 'file_pages', 'file_usage', 'file_uploads'];
    const expected = Object.entries(counts).filter(([name]) => !omitted.includes(name));
    expect(expected.filter(([, count]) => count > 0).length).toBeGreaterThan(50);
    // The export itself is in the security log since.
    expect(
      Object.entries(files)
        .filter(([name]) => !name.startsWith('files/'))
        .map(([name, rows]) => [name, rows.length])
        .sort(),
    ).toEqual(
      [
        ['archive.json', 1],
        ...[['companies', 1], ...expected].map(([name, count]) => [`${name}.ndjson`, count]),
      ].sort(),
    );
    expect(files['archive.json']?.[0]).toMatchObject({ format: 1, tables: { companies: 1, paints: counts['paints'] } });
    expect(files['companies.ndjson']?.[0]).toMatchObject({ slug: 'acme', time_zone: 'UTC' });
    expect(files['paints.ndjson']).toContainEqual(
      expect.objectContaining({ name: 'Paint 449', color_code: 'ü€😀\n"' }),
    );
    expect(files['security_events.ndjson']?.at(-1)).toMatchObject({ action: 'company_exported' });
    const text = JSON.stringify(files);
    expect(text).not.toMatch(/Other paint|Sandbox paint/);
  });

  test('has no secrets', async () => {
    const { prisma } = service.database;
    const { files } = await download(people.admin);
    const text = JSON.stringify(files);
    const secrets = await prisma.$queryRaw<{ secret: string }[]>`
      SELECT encode(hash, 'hex') AS secret FROM api_tokens
      UNION ALL SELECT encode(token_hash, 'hex') FROM expected_packages UNION ALL SELECT token FROM sessions
      UNION ALL SELECT password FROM accounts WHERE password IS NOT NULL UNION ALL SELECT value FROM secrets`;
    expect(secrets.length).toBeGreaterThan(5);
    for (const { secret } of secrets) expect(text).not.toContain(secret);
    const columns = new Set(Object.values(files).flatMap((rows) => rows.flatMap((row) => Object.keys(row))));
    expect([...columns].filter((name) => /secret|password|hash|token$|_key$/.test(name))).toEqual([]);
  });

  test('leaves out what others keep for themselves, and says so', async () => {
    const { prisma } = service.database;
    const { id: companyId } = acme.company;
    const userId = acme.users[2]?.id ?? '';
    const member = await memberClient(service, acme, 2);
    const { row: note } = await member.post('/notes', { title: 'Privateword 1', is_shared: true });
    await member.patch(`/notes/${String(note['id'])}`, { content: 'Privateword 2', is_shared: false });
    const { row: deleted } = await member.post('/notes', { title: 'Privateword 3' });
    await member.delete(`/notes/${String(deleted['id'])}`);
    await member.post('/notes', { title: 'Sharedword', is_shared: true });
    for (const [name, isShared] of [
      ['Privateword 4', false],
      ['Sharedquery', true],
    ] as const)
      await prisma.savedQuery.create({ data: { companyId, userId, name, query: '{ me { id } }', isShared } });
    for (const [name, isShared] of [
      ['Privateword 7', false],
      ['Sharedview', true],
    ] as const)
      await prisma.savedView.create({ data: { companyId, userId, name, resource: 'Paint', search: '', isShared } });
    for (const [name, isShared] of [
      ['Privateword 8', false],
      ['Shareddashboard', true],
    ] as const)
      await prisma.dashboard.create({ data: { companyId, userId, name, isShared } });
    await prisma.dashboard.create({ data: { companyId, userId: null, name: 'Companydashboard', isShared: true } });
    const url = 'https://example.com';
    const { id: webhookId } = await prisma.webhook.create({
      data: { companyId, userId, name: 'Theirs', url, secret: 'x', position: 'x' },
    });
    const message = { companyId, webhookId, event: 'notes.create', request: 'Privateword 5', answer: 'Privateword 6' };
    await prisma.webhookDelivery.create({ data: { ...message, status: 'failed', answerStatus: 500 } });
    const { files } = await download(people.admin);
    const text = JSON.stringify(files);
    expect(text).not.toContain('Privateword');
    for (const word of ['Sharedword', 'Sharedquery', 'Sharedview', 'Shareddashboard', 'Companydashboard'])
      expect(text).toContain(word);
    expect(files['webhook_deliveries.ndjson']).toContainEqual(
      expect.objectContaining({ webhook_id: webhookId, answer_status: 500, request: null, answer: null }),
    );
    expect(JSON.stringify(files['README.txt'])).toContain('private notes');
    await prisma.webhook.deleteMany({ where: { id: webhookId } });
  });

  test('is made by nothing that another site can send', async () => {
    const { prisma } = service.database;
    const url = `${service.origin}/auth/company/export`;
    const cookie = cookieOf(people.admin);
    const exports = () => prisma.securityEvent.count({ where: { action: 'company_exported' } });
    const before = await exports();
    // Links, pictures and other navigation.
    for (const method of ['GET', 'HEAD'])
      for (const site of ['cross-site', 'same-site', 'none', 'same-origin']) {
        const { status, headers } = await fetch(url, { method, headers: { cookie, 'sec-fetch-site': site } });
        expect([method, site, status, headers.get('allow')]).toEqual([method, site, 405, 'POST, OPTIONS']);
      }
    // Forms and scripts.
    const senders: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      {},
    ];
    for (const headers of senders)
      expect((await fetch(url, { method: 'POST', headers: { cookie, ...headers } })).status).toBe(403);
    expect(await exports()).toBe(before);
  });

  test('is for admins who are signed in', async () => {
    const token = (await acme.client()).token ?? '';
    const url = `${service.origin}/auth/company/export`;
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(401);
    expect((await download(people.executive)).status).toBe(403);
    expect((await download(people.member)).status).toBe(403);
  });
});

describe('deleting a company', () => {
  const remove = (browser: Browser, body: Row) => browser.at('').post('/auth/company/deletion', body);

  test('requires an admin, the slug and the password', async () => {
    expect(await remove(people.executive, { slug: 'acme', password })).toMatchObject({
      status: 403,
      error: { code: 'INSUFFICIENT_SCOPE', message: expect.stringContaining('role admin') },
    });
    expect((await service.anonymous.at('').post('/auth/company/deletion', { slug: 'acme', password })).status).toBe(
      401,
    );
    for (const [body, field] of [
      [{ slug: 'other', password }, 'slug'],
      [{ password }, 'slug'],
      [{ slug: 'acme' }, 'password'],
      [{ slug: 'acme', password: 'wrong password' }, 'password'],
    ] as const) {
      const reply = await remove(people.admin, body);
      expect(reply.status).toBe(422);
      expect(Object.keys(reply.error.details ?? {})).toEqual([field]);
    }
    expect(await service.database.prisma.company.count({ where: { slug: 'acme' } })).toBe(1);
  });

  test.each([
    ['without a password', 'oidc', {}],
    ['with an authenticator app', 'two-factor', { password }],
  ])('%s takes a new sign-in', async (who, slug, confirmation) => {
    const { prisma } = service.database;
    const tenant = await service.tenant(slug);
    const { admin } = await signInAll(service, tenant);
    const personId = tenant.users[0]?.id ?? '';
    if (who === 'without a password') await prisma.account.deleteMany({ where: { personId } });
    else await prisma.person.update({ where: { id: personId }, data: { twoFactorEnabled: true } });
    const signedInAgo = (ms: number) =>
      prisma.session.updateMany({ where: { personId }, data: { createdAt: new Date(Date.now() - ms) } });
    await signedInAgo(601_000);
    expect((await remove(admin, { slug, ...confirmation })).error.code).toBe('REAUTHENTICATION_REQUIRED');
    await signedInAgo(580_000);
    expect((await remove(admin, { slug, ...confirmation })).status).toBe(204);
    expect(await prisma.company.count({ where: { slug: { startsWith: slug } } })).toBe(0);
  });

  // The embedded database has one connection, on which the second would wait for the first.
  (process.env.TEST_DATABASE_URL ? test : test.skip)(
    'is refused while another is deleted, as an export is',
    async () => {
      const [one, other] = await Promise.all(
        ['busy', 'waiting'].map(async (slug) => ({ slug, ...(await signInAll(service, await service.tenant(slug))) })),
      );
      const removed = async ({ admin, slug }: { admin: Browser; slug: string }) => remove(admin, { slug, password });
      if (!one || !other) throw new Error('There are two.');
      const { prisma } = service.database;
      const deletion = await prisma.$transaction(async (locked) => {
        await locked.$queryRaw`SELECT id FROM companies WHERE slug = 'busy' FOR UPDATE`;
        const waiting = removed(one);
        // On another connection, as a transaction sees one state of this view.
        const isWaiting = async () =>
          (
            await service.database.query({
              text: `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            })
          ).rowCount > 0;
        while (!(await isWaiting())) await setTimeout(20);
        expect((await download(other.admin)).status).toBe(409);
        expect((await removed(other)).error.code).toBe('CONFLICT');
        return () => waiting;
      });
      expect((await deletion()).status).toBe(204);
      expect((await removed(other)).status).toBe(204);
    },
  );

  test('leaves nothing of it, and other companies as they were', async () => {
    const { prisma } = service.database;
    const other = await service.tenant('second');
    for (const live of [true, false]) await fill(other, live);
    await fill(acme, false);
    // Cleo is a user of the other company too, where she has a token, and stays.
    const [ada, , cleo] = acme.users;
    const { id = '', email = '', fullName = '' } = cleo ?? {};
    for (const companyId of [other.company.id, other.company.sandbox.id])
      await prisma.user.create({ data: { id, companyId, email, fullName } });
    const client = await acme.client();
    const both = ({ company }: Tenant) => [company.id, company.sandbox.id];
    const before = await countRows(both(other));
    const filled = Object.values(await countRows(both(acme))).filter((count) => count > 0);
    expect(filled.length).toBeGreaterThan(50);

    const credentials = { email: ada?.email, password };
    const userAgent = { 'user-agent': 'A browser' };
    const signIn = await new Browser(service.origin).at('').post('/auth/sign-in', credentials, userAgent);
    expect(signIn.status).toBe(200);
    const signIns = { where: { actorId: ada?.id ?? '', action: 'signed_in' } };
    expect(await prisma.securityEvent.findMany(signIns)).toMatchObject([
      { ipAddress: expect.any(String), userAgent: 'A browser', details: { method: 'password' } },
    ]);

    expect((await remove(people.admin, { slug: ' Acme ', password })).status).toBe(204);
    const left = Object.entries(await countRows(both(acme))).filter(([, count]) => count > 0);
    expect(left).toEqual([]);
    expect(await prisma.company.count({ where: { slug: { startsWith: 'acme' } } })).toBe(0);
    expect(await countRows(both(other))).toEqual(before);
    expect(
      (await prisma.person.findMany({ where: { email: { endsWith: '@acme.example' } } })).map((p) => p.id),
    ).toEqual([id]);
    expect((await client.get('/paints')).status).toBe(401);
    expect((await people.admin.get('/dashboard/analytics')).status).toBe(401);
    const again = await new Browser(service.origin).signIn(email, password);
    expect(again.row).toMatchObject({ company: { slug: 'second' } });
    expect((await new Browser(service.origin).signIn(ada?.email ?? '', password)).status).toBe(401);

    const events = await prisma.securityEvent.findMany({
      where: { action: 'company_deleted' },
      orderBy: { id: 'desc' },
    });
    expect(events[0]).toMatchObject({
      companyId: null,
      actorId: ada?.id,
      details: { company: 'acme', id: acme.company.id },
    });
    // Sign-ins of deleted people are kept, without what they were made with.
    expect(await prisma.securityEvent.findMany(signIns)).toMatchObject([
      { ipAddress: null, userAgent: null, details: {} },
    ]);
  });
});
