import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { findCaller } from '../src/callers/tokens.ts';
import { createDemo } from '../src/database/demo.ts';
import { serviceScripts } from '../src/database/demo/scripts.ts';
import { openDatabase } from '../src/database/index.ts';
import type { Database } from '../src/database/index.ts';
import { testDatabase, testDatabaseUrl } from './support/database.ts';

jest.setTimeout(120_000);

describe('npm run admin', () => {
  const root = join(import.meta.dirname, '..');
  let env: Record<string, string>;
  let remove: () => Promise<unknown>;

  beforeAll(async () => {
    if (process.env.TEST_DATABASE_URL) {
      const { url, drop } = await testDatabaseUrl();
      [env, remove] = [{ DATABASE_URL: url }, drop];
    } else {
      const folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
      [env, remove] = [{ DATA_DIR: folder }, () => rm(folder, { recursive: true })];
    }
  });
  afterAll(() => remove());

  /** Runs a command in a process of its own. */
  async function admin(...args: string[]) {
    const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'src', 'admin.ts'), ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { code: child.exitCode, out, err, last: out.trimEnd().split('\n').at(-1) ?? '' };
  }

  /** Opens the database that the commands work on; nobody else may have it meanwhile. */
  async function look<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const database = await openDatabase({ databaseUrl: env['DATABASE_URL'], dataDir: env['DATA_DIR'] ?? '' });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }

  const tokenOf = (...more: string[]) =>
    admin('token', 'create', '--company', 'acme', '--user', 'Ann@acme.test', '--name', 'ci', '--scopes', 'inventory:read,notes:write', ...more);

  test('takes an empty database to working tokens, and revokes them', async () => {
    expect(await admin('company', 'create', '--slug', 'acme', '--name', 'Acme')).toMatchObject({ code: 0, err: '' });
    const user = await admin('user', 'create', '--company', 'acme', '--email', 'ann@acme.test', '--name', 'Ann', '--role', 'admin');
    expect(user).toMatchObject({ code: 0, err: '' });
    const live = await tokenOf('--rate-limit', '100000');
    const sandboxed = await tokenOf('--test', '--expires', '2999-01-01');
    expect(live).toMatchObject({ code: 0, err: '', last: expect.stringMatching(/^svc_live_\w{38}$/) });
    expect(sandboxed).toMatchObject({ code: 0, err: '', last: expect.stringMatching(/^svc_test_\w{38}$/) });

    const callers = await look(async (database) => {
      const { prisma } = database;
      const companies = await prisma.company.findMany({ orderBy: { slug: 'asc' } });
      expect(companies.map(({ slug, name }) => [slug, name])).toEqual([['acme', 'Acme'], ['acme-sandbox', 'Acme (sandbox)']]);
      const callers = [await findCaller(database, live.last, 100), await findCaller(database, sandboxed.last, 100)];
      const scopes = ['inventory:read', 'notes:write'];
      expect(callers).toMatchObject([
        { companyId: companies[0]?.id, scopes, rateLimit: 100_000 },
        { companyId: companies[1]?.id, scopes, rateLimit: 100, userId: callers[0]?.userId },
      ]);
      expect(await prisma.user.count({ where: { role: 'ADMIN' } })).toBe(2);
      return callers;
    });

    const id = callers[0]?.id ?? '';
    const { out } = await admin('token', 'list', '--company', 'acme');
    expect(out).toContain(`${id}\tvalid\tlive\tci\tann@acme.test\tinventory:read,notes:write\t`);
    expect(out).toContain('\tvalid\ttest\tci\t');
    expect(await admin('token', 'revoke', id)).toMatchObject({ code: 0, err: '' });
    expect((await admin('token', 'list', '--company', 'acme')).out).toContain(`${id}\trevoked\tlive`);
    await look(async (database) => expect(await findCaller(database, live.last, 100)).toBeNull());
  });

  test.each([
    ['a taken slug', ['company', 'create', '--slug', 'acme', '--name', 'X'], 'there already is a company with the slug "acme"'],
    ['a bad slug', ['company', 'create', '--slug', 'A C', '--name', 'X'], 'the slug "A C" may hold only small letters'],
    ['an option left out', ['company', 'create', '--name', 'X'], "required option '--slug <slug>' not specified"],
    ['an unknown company', ['token', 'list', '--company', 'acne'], 'there is no company acne'],
    ['a member twice', ['user', 'create', '--company', 'acme', '--email', 'ann@acme.test', '--name', 'A'], 'ann@acme.test already is a member'],
    ['an unknown role', ['user', 'create', '--company', 'acme', '--email', 'b@acme.test', '--name', 'B', '--role', 'boss'], 'Allowed choices are admin, executive, member'],
    ['a stranger', ['token', 'create', '--company', 'acme', '--user', 'bob@acme.test', '--name', 'x', '--scopes', '*'], 'bob@acme.test is no member of acme'],
    ['an unknown scope', ['token', 'create', '--company', 'acme', '--user', 'ann@acme.test', '--name', 'x', '--scopes', 'inventry:read'], 'did you mean "inventory:read"?'],
    ['a day that does not exist', ['token', 'create', '--expires', '2999-02-30'], 'must be a date'],
    ['a day gone by', ['token', 'create', '--expires', '2001-01-01'], 'must be in the future'],
    ['a limit of nothing', ['token', 'create', '--rate-limit', '0'], 'must be a whole number'],
    ['no such token', ['token', 'revoke', 'x'], 'there is no token x'],
    ['no such command', ['compny'], "unknown command 'compny'"],
  ])('explains %s in one line', async (_what, args, message) => {
    const { code, out, err } = await admin(...args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
    expect(err).toMatch(/^error: [^\n]+\n(\(Did you mean company\?\)\n)?$/);
  });

  const embedded = process.env.TEST_DATABASE_URL ? test.skip : test;
  embedded('says that the service has the embedded database open', async () => {
    const { code, err } = await look(() => admin('migrate'));
    expect(code).toBe(1);
    expect(err).toMatch(/^error: [^\n]*in use by another process[^\n]*\n$/);
  });

  test('explains a faulty configuration and an unreachable database in one line', async () => {
    const proper = env;
    env = { PORT: 'x', DATABASE_URL: 'postgresql://127.0.0.1:1/premises' };
    expect(await admin('migrate')).toMatchObject({ code: 1, err: expect.stringMatching(/^error: [^\n]*PORT must be[^\n]*\n$/) });
    env = { DATABASE_URL: 'postgresql://127.0.0.1:1/premises' };
    expect(await admin('migrate')).toMatchObject({ code: 1, err: expect.stringMatching(/^error: [^\n]*ECONNREFUSED[^\n]*\n$/) });
    env = proper;
  });

  test('makes the demo once, and tops it up', async () => {
    const first = await admin('demo');
    expect(first).toMatchObject({ code: 0, err: '', last: expect.stringMatching(/^svc_live_\w{38}$/) });
    const second = await admin('demo', '--service-requests', '75');
    expect(second).toMatchObject({ code: 0, out: expect.stringContaining('exists already'), last: expect.stringMatching(/^svc_live_\w{38}$/) });
    expect(second.err).toMatch(/15 of 15 service requests\n$/);
    await look(async (database) => {
      const { prisma } = database;
      for (const { last } of [first, second]) expect(await findCaller(database, last, 100)).toMatchObject({ scopes: ['*'], rateLimit: 5000 });
      expect(await prisma.serviceRequest.count({ where: { company: { slug: 'demo' } } })).toBe(75);
    });
  });
});

describe('the demo company', () => {
  let database: Database;
  let companyId: string;
  const progress: [number, number][] = [];

  beforeAll(async () => {
    database = await testDatabase();
    const { prisma } = database;
    expect(await createDemo(prisma)).toMatchObject({ companySlug: 'demo', created: true, serviceRequests: 60 });
    const again = await createDemo(prisma, { serviceRequests: 360, onProgress: (...step) => progress.push(step) });
    expect(again).toMatchObject({ created: false, serviceRequests: 360 });
    companyId = (await prisma.company.findUniqueOrThrow({ where: { slug: 'demo' } })).id;
  });
  afterAll(() => database.close());

  const count = async (sql: string) => Number((await database.query({ text: `SELECT count(*) FROM ${sql}` })).rows[0]?.['count']);

  test('has its people, places and paints, and something in its sandbox', async () => {
    const tables = ['buildings', 'areas', 'paints', 'paint_locations', 'move_requests'];
    const counts = tables.map((table) => count(`${table} WHERE company_id = '${companyId}'`));
    expect(await Promise.all(counts)).toEqual([5, 23, 7, 16, 15]);
    const { company, serviceRequest } = database.prisma;
    const include = { users: true, sandbox: { include: { users: true } } };
    const { users, sandbox } = await company.findUniqueOrThrow({ where: { slug: 'demo' }, include });
    expect(users).toHaveLength(12);
    expect(sandbox?.users.map(({ id }) => id).sort()).toEqual(users.map(({ id }) => id).sort());
    expect(await serviceRequest.count({ where: { companyId: sandbox?.id } })).toBe(6);
    expect(new Set(serviceScripts.map(({ title }) => title)).size).toBe(60);
  });

  test('reports how far the topping up is', () => {
    expect(progress.at(-1)).toEqual([300, 300]);
    expect(progress.every(([done], i) => done > (progress[i - 1]?.[0] ?? 0))).toBe(true);
  });

  test('has about three comments and two watchers a request, and every status', async () => {
    const requests = await count('service_requests');
    expect((await count('comments WHERE service_request_id IS NOT NULL')) / requests).toBeCloseTo(3, 0);
    expect((await count('watchers WHERE service_request_id IS NOT NULL')) / requests).toBeCloseTo(2, 0);
    for (const status of ['pending', 'in-progress', 'completed']) {
      expect(await count(`service_requests WHERE company_id = '${companyId}' AND status = '${status}'`)).toBeGreaterThan(5);
    }
  });

  const kinds = [['service_requests', 'service_request_id'], ['move_requests', 'move_request_id']] as const;
  describe.each(kinds)('tells of its %s what the service would have told', (table, reference) => {
    const last = (action: string) =>
      `(SELECT to_value FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = '${action}' ORDER BY created_at DESC, id DESC LIMIT 1)`;
    const told = (action: string) =>
      `(SELECT count(*) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = '${action}')`;
    const had = (thread: string) => `(SELECT count(*) FROM ${thread} t WHERE t.company_id = r.company_id AND t.${reference} = r.id)`;

    test.each([
      ['the status is the last one told of', `r.status::text <> coalesce(${last('status_changed')}, 'pending')`],
      ['a priority told of is the last one', `r.priority::text <> coalesce(${last('priority_changed')}, r.priority::text)`],
      ['the assignee is the last one told of', `r.assigned_to::text IS DISTINCT FROM ${last('assigned')}`],
      ['just what is completed has its time of completion', `(r.status = 'completed') <> (r.completed_at IS NOT NULL)`],
      ['one entry tells of its creation, when and by whom it was made', `1 <> (SELECT count(*) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action = 'created' AND a.created_at = r.created_at AND a.user_id = r.created_by)`],
      ['each comment is told of', `${told('commented')} <> ${had('comments')}`],
      ['each watcher is told of', `${told('watcher_added')} <> ${had('watchers')}`],
      ['each time log is told of', `${told('time_logged')} <> ${had('time_logs')}`],
      ['nothing is told of before it was made or after now', `EXISTS (SELECT 1 FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND (a.created_at < r.created_at OR a.created_at > now()))`],
      ['its last change is the last one told of', `r.updated_at <> (SELECT max(created_at) FROM activity_entries a WHERE a.company_id = r.company_id AND a.${reference} = r.id AND action IN ('created', 'status_changed', 'priority_changed', 'assigned'))`],
      ['the id is a version 7 UUID of the time it was made', `substr(r.id::text, 15, 1) <> '7' OR ('x' || substr(replace(r.id::text, '-', ''), 1, 12))::bit(48)::bigint <> floor(extract(epoch FROM r.created_at) * 1000)`],
    ])('%s', async (_what, fault) => {
      expect(await count(`${table} r WHERE ${fault}`)).toBe(0);
    });
  });

  test('chains the statuses told of without a gap', async () => {
    const broken = `(SELECT from_value, lag(to_value, 1, 'pending') OVER (PARTITION BY service_request_id, move_request_id ORDER BY created_at, id) AS before
      FROM activity_entries WHERE action = 'status_changed') AS step WHERE from_value <> before`;
    expect(await count(broken)).toBe(0);
  });
});
