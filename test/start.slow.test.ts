import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { explainOpenError } from '../src/database/open-error.ts';
import { testDatabaseUrl, withoutTables } from './support/database.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { Wire } from './support/proxy.ts';
import { onServer } from './support/template.ts';

const [onEmbedded, onPostgresql] = process.env.TEST_DATABASE_URL
  ? [describe.skip, describe]
  : [describe, describe.skip];
const root = await mkdtemp(join(tmpdir(), 'premises-start-'));
afterAll(async () => {
  await killAll();
  await rm(root, { recursive: true, force: true });
});

const firstPage = (service: ServiceProcess, token?: string) => service.client(token).get('/service-requests');

/** Runs a line in a shell, as when pasted. */
const paste = async (line: string) => (await promisify(execFile)('sh', ['-c', line])).stdout;

// The tests of this block share a data folder, and run in order.
onEmbedded('a service on an empty folder', () => {
  const DATA_DIR = join(root, 'life');
  let service: ServiceProcess;
  let token: string;
  let created: string;

  test('reports in one line that its port is in use, and creates no demo', async () => {
    const squatter = createServer().listen(0, 'localhost');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    service = await ServiceProcess.start({ DATA_DIR, PORT: String(port) });
    const code = await service.ended;
    squatter.close();
    expect(code).toBe(1);
    expect(service.stderr).toBe(`Port ${port} is in use by another process. Stop that one, or choose another PORT.\n`);
    // A database that it creates has the version that the next start expects.
    expect((await readFile(join(DATA_DIR, 'pglite', 'PG_VERSION'), 'utf8')).trim()).toBe('18');
  });

  test('prints a token and a working curl command', async () => {
    service = await (await ServiceProcess.start({ DATA_DIR })).ready({ greeting: true });
    token = service.token;
    const [log = ''] = service.stdout.split('\nPremises is running at');
    expect(
      log
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each) as object),
    ).toContainEqual(expect.objectContaining({ msg: 'creating the demo company' }));
    const line = /^ +(curl .*)$/m.exec(service.stdout)?.[1] ?? '';
    const { data, meta } = JSON.parse(await paste(line)) as { data: object[]; meta: { total: number } };
    expect(data).toHaveLength(3);
    expect(meta.total).toBeGreaterThan(10);
    expect(service.stdout).toContain(`GraphiQL   ${service.origin}/graphql`);
    const [, email, password] = /Email +(\S+)\n +Password +(\S+)$/m.exec(service.stdout) ?? [];
    expect(await service.client('').at('').post('/auth/sign-in', { email, password })).toMatchObject({
      status: 200,
      row: { role: 'admin', company: { slug: 'demo' } },
    });
    expect(service.stderr).toBe('');
  });

  test('is healthy and ready', async () => {
    const client = service.client('').at('');
    expect((await client.get('/healthz')).json).toEqual({ status: 'ok' });
    expect((await client.get('/readyz')).json).toEqual({ status: 'ready' });
  });

  test('rejects a second process on the folder in one line', async () => {
    const second = await ServiceProcess.start({ DATA_DIR });
    expect(await second.ended).toBe(1);
    expect(second.stdout).toBe('');
    expect(second.stderr.trim().split('\n')).toEqual([
      expect.stringContaining(`The data folder ${DATA_DIR} is in use`),
    ]);
    expect((await firstPage(service)).status).toBe(200);
  });

  test('logs every response as JSON with its request id, and never the token', async () => {
    const { headers } = await service.client().get('/service-requests', {}, { 'x-request-id': 'find-me.1' });
    expect(headers.get('x-request-id')).toBe('find-me.1');
    await service.client().get('/nothing');
    await service.prints('/api/v1/nothing');
    expect(service.log).toContainEqual(expect.objectContaining({ reqId: 'find-me.1', method: 'GET', status: 200 }));
    const printed = service.stdout.split('\n').filter((line) => line.includes(token));
    // The first start's output with the token and the command.
    expect(printed).toHaveLength(2);
    expect(service.log.length).toBeGreaterThan(3);
    expect(JSON.stringify(service.log)).not.toContain(token);
  });

  test('completes requests in flight when it is stopped', async () => {
    const slow = request(`${service.origin}/api/v1/service-requests`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    const answered = once(slow, 'response');
    slow.write('{"title": "Said slowly');
    await sleep(500);
    const ended = service.stop();
    await service.prints('stopping');
    await sleep(500);
    const late = connect(Number(new URL(service.origin).port), 'localhost');
    await expect(once(late, 'connect')).rejects.toThrow('ECONNREFUSED');
    slow.end(' indeed"}');
    const [response] = (await answered) as [NodeJS.ReadableStream & { statusCode: number }];
    const { data } = JSON.parse(await text(response)) as { data: { id: string } };
    expect(response.statusCode).toBe(201);
    created = data.id;
    expect(await ended).toBe(0);
  });

  test('keeps its rows and tokens, and creates no second demo', async () => {
    service = await (await ServiceProcess.start({ DATA_DIR })).ready();
    expect((await service.client(token).get(`/service-requests/${created}`)).row).toMatchObject({
      title: 'Said slowly indeed',
    });
    expect((await service.client(token).get('/companies')).meta.total).toBe(1);
    expect(service.token).toBe('');
  });

  test('restarts after it was killed', async () => {
    const { row } = await service.client(token).post('/service-requests', { title: 'Just in time' });
    service.kill('SIGKILL');
    expect(await service.ended).toBe('SIGKILL');
    service = await (await ServiceProcess.start({ DATA_DIR })).ready();
    expect((await service.client(token).get(`/service-requests/${String(row['id'])}`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });

  test('stops with the npm process that started it', async () => {
    service = await (await ServiceProcess.start({ DATA_DIR }, ['npm', 'start'])).ready();
    await service.stop();
    expect(service.stdout).toContain('stopping');
    await expect(fetch(`${service.origin}/healthz`)).rejects.toThrow();
  });

  test('port 0 selects a free port, which is published', async () => {
    service = await (await ServiceProcess.start({ DATA_DIR: join(root, 'any'), PORT: '0' })).ready({
      greeting: true,
    });
    const [, origin = ''] = /running at (http:\/\/localhost:[1-9]\d*) /.exec(service.stdout) ?? [];
    const { servers } = (await (await fetch(`${origin}/api/v1/openapi.json`)).json()) as { servers: { url: string }[] };
    expect(servers.map(({ url }) => url)).toEqual([`${origin}/api/v1`, `${origin}/v1`]);
    expect(await service.stop()).toBe(0);
  });
});

// `script` provides a terminal; elsewhere it has other options. The data folder is a new one.
(process.platform === 'linux' && !process.env.TEST_DATABASE_URL ? test : test.skip)(
  'tells people on a terminal what it does, and where to sign in on every start',
  async () => {
    const env = { DATA_DIR: join(root, 'terminal') };
    const onTerminal = ['script', '-qec', `exec ${process.execPath} dist/server.js`, '/dev/null'] as const;
    const first = await (await ServiceProcess.start(env, onTerminal)).ready({ greeting: true });
    const steps = [
      'Starting Premises',
      'creating the embedded database',
      'Server listening',
      'creating the demo company',
      `Sign in    ${first.origin}/sign-in`,
    ].map((step) => first.stdout.indexOf(step));
    expect(steps).not.toContain(-1);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(first.log).toEqual([]);
    expect(await first.interrupt()).toBe(0);

    const second = await ServiceProcess.start(env, onTerminal);
    await second.prints(`Sign in at ${second.origin}/sign-in`);
    await second.client('').at('').get('/healthz');
    await second.prints('GET /healthz 200');
    expect(second.log).toEqual([]);
    expect(await second.interrupt()).toBe(0);
  },
);

onEmbedded('a failing start', () => {
  test('lists every invalid variable without its value', async () => {
    const faulty = {
      PORT: 'eighty',
      DATABASE_URL: 'mysql://me:hunter2@db/x',
      LOG_LEVEL: 'loud',
      RATE_LIMIT_TOKEN_PER_HOUR: '0',
    };
    const service = await ServiceProcess.start(faulty);
    expect(await service.ended).toBe(1);
    expect(service.stdout).toBe('');
    for (const name of Object.keys(faulty)) expect(service.stderr).toContain(`  ${name} must be`);
    expect(service.stderr).not.toContain('hunter2');
    expect(service.stderr.trim().split('\n')).toHaveLength(1 + Object.keys(faulty).length);
  });

  test('says in one sentence what to do, without a stack', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    const [older, damaged] = [join(root, 'older'), join(root, 'damaged')];
    for (const folder of [older, damaged]) await mkdir(join(folder, 'pglite'), { recursive: true });
    await writeFile(join(older, 'pglite', 'PG_VERSION'), '17\n');
    await writeFile(join(damaged, 'pglite', 'PG_VERSION'), '18\n');
    const cases: [env: Record<string, string>, message: RegExp][] = [
      [{ DATA_DIR: file }, /^The data folder .* is a file\. Choose another DATA_DIR\.$/],
      [{ DATA_DIR: join(file, 'x') }, /^The data folder .* is inside a file\. Choose another DATA_DIR\.$/],
      [{ DATA_DIR: '/proc/x' }, /^The data folder \/proc\/x cannot be created\. Choose another DATA_DIR\.$/],
      [{ DATA_DIR: older }, /belongs to PostgreSQL 17.* reads 18\. Start the version of Premises that wrote it,/],
      [{ DATA_DIR: damaged }, /cannot be opened, and may be damaged\. Restore a backup, or choose another DATA_DIR/],
      [
        { DATA_DIR: join(root, 'life'), HOST: '203.0.113.5' },
        /^This machine does not have the address .*\. Choose another HOST\.$/,
      ],
    ];
    for (const [env, message] of cases) {
      const service = await ServiceProcess.start(env);
      expect([env, await service.ended]).toEqual([env, 1]);
      expect(service.stderr.trim()).toMatch(message);
      expect(service.stderr.trim().split('\n')).toHaveLength(1);
    }
    // The tests may run as root, whom the system denies nothing.
    for (const [code, says] of [
      ['EACCES', 'cannot be written by this user. Make this user its owner,'],
      ['EROFS', 'is on a read-only file system.'],
      ['ENOSPC', 'is full. Free at least 64 MB,'],
    ] as const) {
      const error = Object.assign(new Error(code), { code, syscall: 'mkdir' });
      expect(String(await explainOpenError(error, '/data'))).toContain(`/data ${says}`);
    }
  });

  test('reports an unreachable database in one line', async () => {
    const service = await ServiceProcess.start({ DATABASE_URL: 'postgresql://me:hunter2@127.0.0.1:1/premises' });
    expect(await service.ended).toBe(1);
    expect(service.stderr.trim().split('\n')).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(service.stderr).not.toContain('hunter2');
  });
});

onPostgresql('a service on PostgreSQL', () => {
  test('is not ready while PostgreSQL is down, and recovers', async () => {
    const { url, drop } = await testDatabaseUrl();
    const { hostname, port } = new URL(url);
    const wire = new Wire(hostname, Number(port || 5432));
    await wire.mend();
    const through = new URL(url);
    through.host = `127.0.0.1:${wire.port}`;
    const service = await (await ServiceProcess.start({ DATABASE_URL: through.href })).ready({ greeting: true });
    const { token } = service;
    const bare = service.client('').at('');

    await wire.cut();
    for (const reply of [await bare.get('/readyz'), await firstPage(service)]) {
      expect(reply.status).toBe(503);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(reply.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
      expect(reply.meta.request_id).toBe(reply.headers.get('x-request-id'));
    }
    expect((await bare.get('/healthz')).status).toBe(200);

    await wire.mend();
    expect((await bare.get('/readyz')).status).toBe(200);
    expect((await firstPage(service, token)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    await wire.cut();
    await drop();
  });

  test('runs without indexes for searches where it may not create their extension, and says so', async () => {
    const { url, drop } = await testDatabaseUrl(withoutTables);
    const other = new URL(url);
    const role = other.pathname.slice(1);
    await onServer(`CREATE ROLE "${role}" LOGIN PASSWORD 'limited'`);
    await onServer('GRANT CREATE ON SCHEMA public TO PUBLIC', url);
    Object.assign(other, { username: role, password: 'limited' });
    const service = await (await ServiceProcess.start({ DATABASE_URL: other.href })).ready({ greeting: true });
    expect(service.log.filter(({ level }) => Number(level) >= 40)).toMatchObject([
      { level: 40, msg: expect.stringContaining('no extension pg_trgm') },
    ]);
    const { status, rows } = await service.client().get('/users', { search: 'a' });
    expect([status, rows.length > 0]).toEqual([200, true]);
    expect(await service.stop()).toBe(0);
    await drop();
    await onServer(`DROP ROLE "${role}"`);
  });

  test('stays empty, and prints how to make the first company and its admin', async () => {
    const { url, drop } = await testDatabaseUrl(withoutTables);
    const service = await ServiceProcess.start({ DATABASE_URL: url, DEMO: '' });
    await service.prints('no company yet');
    await service.prints(`Then sign in at ${service.origin}/sign-in`);
    expect(service.token).toBe('');
    expect(service.stdout).not.toContain('demo company\n');
    expect(await service.client('x').get('/users')).toMatchObject({ status: 401 });
    // The commands work as printed, but for the password.
    const commands = service.stdout.match(/^ {2}(npm|echo) .*$/gm) ?? [];
    expect(commands).toHaveLength(2);
    const env = { ...process.env, DATABASE_URL: url };
    for (const command of commands)
      await promisify(execFile)('sh', ['-c', command.replace('<password>', 'a long enough one')], { env });
    const signedIn = await service
      .client('')
      .at('')
      .post('/auth/sign-in', { email: 'ann@acme.example', password: 'a long enough one' });
    expect(signedIn).toMatchObject({ status: 200, row: { role: 'admin', company: { slug: 'acme' } } });
    expect(await service.stop()).toBe(0);
    await drop();
  });

  test('can be started twice at once: one creates the demo, and rate limits are shared', async () => {
    const { url, drop } = await testDatabaseUrl(withoutTables);
    const pair = await Promise.all(
      [1, 2].map(() => ServiceProcess.start({ DATABASE_URL: url, REDIS_URL: process.env.TEST_REDIS_URL ?? '' })),
    );
    await Promise.all(pair.map((each) => each.ready()));
    await Promise.any(pair.map((each) => each.ready({ greeting: true })));
    const [token = ''] = pair.map((each) => each.token).filter((each) => each !== '');
    const remaining: number[] = [];
    for (const each of pair) {
      const reply = await firstPage(each, token);
      expect(reply.status).toBe(200);
      remaining.push(Number(reply.headers.get('x-ratelimit-remaining')));
    }
    const [first = 0] = remaining;
    // The first has reserved a hundredth of the 5,000, as the second does not know how many it needs.
    expect(remaining).toEqual([first, first - 50]);
    await sleep(1000);
    expect(pair.filter((each) => each.token !== '')).toHaveLength(1);
    expect(await Promise.all(pair.map((each) => each.stop()))).toEqual([0, 0]);
    await drop();
  });
});
