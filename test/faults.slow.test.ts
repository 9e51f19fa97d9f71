// How failures of the database or of other parts of the service affect the rest.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import { publicError } from '../src/errors.ts';
import type { Client, Reply } from './support/client.ts';
import { testDatabaseUrl } from './support/database.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { Wire } from './support/proxy.ts';
import { collectionsWith } from './support/resources.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

const onPostgresql = process.env.TEST_DATABASE_URL ? describe : describe.skip;

afterAll(killAll);

const topLists = collectionsWith('list').filter(([path]) => !path.includes(':'));

/** Measures a request's response and duration (ms). */
async function timed(request: Promise<Reply>): Promise<{ reply: Reply; ms: number }> {
  const started = Date.now();
  const reply = await request;
  return { reply, ms: Date.now() - started };
}

onPostgresql('locks of another connection', () => {
  let service: Service;
  let tenant: Tenant;
  let client: Client;
  let other: pg.Client;
  beforeAll(async () => {
    service = await startService();
    tenant = await service.tenant();
    client = await tenant.client();
    const [database] = (await service.database.query({ text: 'SELECT current_database() AS name' })).rows;
    const url = new URL(process.env.TEST_DATABASE_URL ?? '');
    url.pathname = String(database?.['name']);
    other = new pg.Client({ connectionString: url.href });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await service.close();
  });

  /** Runs work while another connection holds the locks of `sql`. */
  async function whileLocked<T>(sql: string, work: () => Promise<T>): Promise<T> {
    await other.query(`BEGIN; ${sql}`);
    return work().finally(() => other.query('ROLLBACK'));
  }

  test('are not the only limit: a slow statement ends after ten seconds with 503', async () => {
    await client.post('/paints', { name: 'x' });
    await other.query(`ALTER TABLE paints RENAME TO stored_paints;
      CREATE VIEW paints AS SELECT stored_paints.* FROM stored_paints, pg_sleep(60)`);
    try {
      const { reply, ms } = await timed(client.get('/paints'));
      const message = expect.stringContaining('took too long');
      expect(reply.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, message });
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(ms).toBeGreaterThan(9500);
      expect(ms).toBeLessThan(12_500);
      const { rows } = await other.query(`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%paints%'`);
      expect(rows).toEqual([]);
    } finally {
      await other.query('DROP VIEW paints; ALTER TABLE stored_paints RENAME TO paints');
    }
  });

  test('on ten rows delay only writes of these rows, by two seconds', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push(String((await client.post('/paints', { name: `Paint ${n}` })).row['id']));
    await whileLocked('SELECT 1 FROM paints FOR UPDATE', async () => {
      const writes = ids.map((id) => timed(client.patch(`/paints/${id}`, { brand: 'Acme' })));
      const others = await Promise.all([
        timed(client.at('').get('/readyz')),
        timed(service.anonymous.get('/paints')),
        ...topLists.map(([path]) => timed(client.get(path))),
      ]);
      expect(others.map(({ reply }) => reply.status)).toEqual([200, 401, ...topLists.map(() => 200)]);
      expect(Math.max(...others.slice(0, 2).map(({ ms }) => ms))).toBeLessThan(2000);
      const refused = await Promise.all(writes);
      for (const { reply } of refused) {
        expect(reply.status).toBe(503);
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      // The first ones waited for the lock alone, the last ones for a connection before.
      expect(Math.min(...refused.map(({ ms }) => ms))).toBeLessThan(4000);
      expect(Math.max(...refused.map(({ ms }) => ms))).toBeLessThan(10_000);
    });
    expect((await timed(client.patch(`/paints/${ids[0]}`, { brand: 'Acme' }))).reply.status).toBe(200);
  });

  test.each([
    ['paints', { name: 'x' }],
    ['service_requests', { title: 'x' }],
    ['leases', { name: 'x', lease_type: 'property', lessor: 'x', lessee: 'x' }],
  ])('on the table %s delay no other requests', async (table, body) => {
    const locked = `/${table.replace('_', '-')}`;
    // A company without requests today: the update of its statuses waits for the same table.
    const newcomer = await (await service.tenant()).client();
    await whileLocked(`LOCK TABLE ${table}`, async () => {
      const stop = Date.now() + 8000;
      const hammer = async (send: () => Promise<Reply>) => {
        const replies: Reply[] = [];
        while (Date.now() < stop) replies.push(await send());
        return replies;
      };
      const wanted = Array.from({ length: 20 }, (_, n) =>
        hammer(() => {
          if (n % 4 === 0) return client.at('').post('/graphql', { query: `{ ${root(table)} { nodes { id } } }` });
          if (n % 4 === 1) return client.post(locked, body, { 'Idempotency-Key': `${table} ${n} ${Date.now()}` });
          return client.get(locked);
        }),
      );
      const rest = topLists.filter(([path]) => path !== locked);
      const others = [client, newcomer].map(async (caller) => {
        const replies: Reply[] = [];
        while (Date.now() < stop)
          replies.push(
            ...(await Promise.all(rest.map(([path]) => caller.get(path)))),
            await caller.at('').get('/readyz'),
          );
        return replies;
      });
      const statuses = (await Promise.all(others)).flat().map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      expect(statuses.length).toBeGreaterThan(2 * rest.length);
      const refused = (await Promise.all(wanted)).flat();
      expect(refused.map(({ text }) => text).filter((text) => !text.includes('SERVICE_UNAVAILABLE'))).toEqual([]);
    });
  });
});

onPostgresql('a frozen PostgreSQL', () => {
  let wire: Wire;
  let service: ServiceProcess;
  let drop: () => Promise<unknown>;
  /** An independent connection. */
  let other: pg.Client;
  let clients: Record<'rest' | 'bare', Client>;
  beforeAll(async () => {
    const target = await testDatabaseUrl();
    drop = target.drop;
    const through = new URL(target.url);
    other = new pg.Client({ connectionString: target.url });
    await other.connect();
    wire = new Wire(through.hostname, Number(through.port || 5432));
    await wire.mend();
    through.host = `127.0.0.1:${wire.port}`;
    const env = { DATABASE_URL: through.href, RATE_LIMIT_TOKEN_PER_HOUR: '1000000' };
    service = await (await ServiceProcess.start(env)).ready({ greeting: true });
    clients = { rest: service.client(), bare: service.client().at('') };
  });
  afterAll(async () => {
    wire.thaw();
    await service.stop();
    await other.end();
    await wire.cut();
    await drop();
  });

  const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503 };

  /** Sends one request of each kind, and measures how long each takes. */
  const sendAll = () => {
    const { rest, bare } = clients;
    const graphql = { query: '{ paints { nodes { id } } }' };
    return Promise.all([
      timed(bare.get('/readyz')),
      timed(rest.get('/paints')),
      timed(rest.get('/paints', {}, { accept: 'text/csv' })),
      timed(rest.post('/paints', { name: 'x' })),
      timed(rest.post('/paints', { name: 'x' }, { 'Idempotency-Key': 'frozen' })),
      timed(bare.post('/graphql', graphql)),
      timed(bare.get('/auth/session')),
    ]);
  };

  test('causes a 503 in time, and is used again once it resumes', async () => {
    for (let round = 0; round < 3; round++) await sendAll();
    wire.freeze();
    for (let round = 0; round < 2; round++) {
      const [ready, ...others] = await sendAll();
      expect(ready.reply.status).toBe(503);
      expect(ready.ms).toBeLessThan(1500);
      const answered = others.slice(0, 4);
      for (const { reply, ms } of answered) {
        expect(reply.error).toMatchObject(unavailable);
        expect(reply.meta.request_id).toBe(reply.headers.get('x-request-id'));
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(ms).toBeLessThan(17_000);
      }
      const graphql = others[4];
      // While the token's caller is remembered, the query runs.
      expect([200, 503]).toContain(graphql?.reply.status);
      expect(graphql?.reply.json['errors']).toMatchObject([{ extensions: unavailable }]);
    }
    wire.thaw();
    for (let round = 0; round < 3; round++) {
      const answers = await sendAll();
      expect(answers.map(({ reply }) => reply.status).slice(0, 6)).toEqual([200, 200, 200, 201, 201, 200]);
    }
  });

  test('blocks requests in a transaction no longer than others', async () => {
    const { rest, bare } = clients;
    const { row } = await rest.post('/paints', { name: 'x' });
    const change = () => rest.patch(`/paints/${row['id']}`, { brand: 'Acme' });
    await other.query('BEGIN; SELECT 1 FROM paints FOR UPDATE');
    const waiting = Array.from({ length: 4 }, () => timed(change()));
    await sleep(1000);
    wire.freeze();
    for (const { reply, ms } of await Promise.all(waiting)) {
      expect(reply.error).toMatchObject(unavailable);
      expect(ms).toBeLessThan(16_000);
    }
    wire.thaw();
    await other.query('ROLLBACK');
    expect((await Promise.all(Array.from({ length: 20 }, change))).map(({ status }) => status)).not.toContain(503);
    expect((await bare.get('/readyz')).status).toBe(200);
    expect(service.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

test('a stream may take as long as its reader', async () => {
  const service = await startService();
  const tenant = await service.tenant();
  const { token } = await tenant.client();
  await service.database.query({
    text: `INSERT INTO notes (company_id, id, title, content, user_id, updated_at)
           SELECT $1, gen_random_uuid(), n, repeat('x', 10000), $2, now() FROM generate_series(1, 2000) n`,
    values: [tenant.company.id, tenant.users[0]?.id],
  });
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
  const request = get(`${service.origin}/api/v1/notes`, { headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    if (text === '') {
      response.pause();
      setTimeout(() => response.resume(), 18_000);
    }
    text += chunk;
  });
  await once(response, 'end');
  expect(text.trimEnd().split('\r\n')).toHaveLength(1 + 2000);
  await service.close();
});

// Only root can make a disk that is small, for an embedded database.
(process.getuid?.() === 0 && !process.env.TEST_DATABASE_URL ? describe : describe.skip)('a full disk', () => {
  let disk: string;
  beforeEach(async () => {
    disk = await mkdtemp(join(tmpdir(), 'premises-disk-'));
    await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'size=160M', 'tmpfs', disk]);
  });
  afterEach(async () => {
    await promisify(execFile)('umount', ['--lazy', disk]);
    await rm(disk, { recursive: true });
  });

  /** Takes all space of the disk but so many bytes. */
  async function fill(left: number): Promise<() => Promise<void>> {
    const { bavail, bsize } = await statfs(disk);
    const file = join(disk, 'filler');
    await writeFile(file, Buffer.alloc(bavail * bsize - left));
    return () => rm(file);
  }

  test('refuses only requests that need more space, with 503', async () => {
    const service = await ServiceProcess.start({ DATA_DIR: disk, RATE_LIMIT_TOKEN_PER_HOUR: '1000000' });
    const client = (await service.ready({ greeting: true })).client();
    const write = () => client.post('/notes', { title: 'x', content: randomBytes(4000).toString('hex') });
    // Without room for a segment of its log the database ends, as in the next test: a new one has 16 MB.
    const countSegments = async () => (await readdir(join(disk, 'pglite', 'pg_wal'))).length;
    const before = await countSegments();
    for (let n = 0; n < 3000 && (await countSegments()) === before; n++) expect((await write()).status).toBe(201);
    expect(await countSegments()).toBeGreaterThan(before);
    const empty = await fill(500_000);
    const replies = [await write()];
    while (replies.at(-1)?.status === 201) replies.push(await write());
    for (let n = 0; n < 5; n++) replies.push(await write());
    const refused = replies.filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThan(5);
    for (const { error, headers } of refused) {
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await client.get('/notes')).status).toBe(200);
    await empty();
    expect((await write()).status).toBe(201);
    expect(await service.stop()).toBe(0);
  });

  test('stops the embedded database until there is space, and loses nothing that was committed', async () => {
    const database = await openDatabase({ dataDir: disk });
    await migrate(database);
    await database.prisma.company.create({ data: { name: 'Acme', slug: 'acme' } });
    const empty = await fill(500_000);
    const log = () => database.query({ text: `SELECT pg_logical_emit_message(false, 'x', repeat('x', 1000000))` });
    let error: unknown;
    while (!error)
      error = await log().then(
        () => undefined,
        (reason: unknown) => reason,
      );
    for (const each of [error, await database.prisma.company.count().catch((reason: unknown) => reason)])
      expect(publicError(each).code).toBe('SERVICE_UNAVAILABLE');
    await empty();
    // It starts again for the first statement, which a busy machine may not wait for.
    const count = () => database.prisma.company.count().catch(() => undefined);
    for (const deadline = Date.now() + 60_000; (await count()) === undefined; )
      expect(Date.now()).toBeLessThan(deadline);
    expect(await database.prisma.company.count()).toBe(1);
    await database.prisma.company.create({ data: { name: 'Other', slug: 'other' } });
    await database.close();
    const again = await openDatabase({ dataDir: disk });
    expect(await again.prisma.company.count()).toBe(2);
    await again.close();
  });
});

/** The root field that lists a table. */
const root = (table: string) => table.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
