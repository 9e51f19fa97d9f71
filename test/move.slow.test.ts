// A trial on the embedded database moves to a PostgreSQL server, with two roles that are no superusers.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database/index.ts';
import { diff } from '../src/database/migrate.ts';
import { Browser, publicOrigin } from './support/browser.ts';
import type { Client, Row } from './support/client.ts';
import { CommandLine, program } from './support/command-line.ts';
import { testDatabaseUrl, withoutTables } from './support/database.ts';
import { addFile, contentOf } from './support/files.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { collectionsWith } from './support/resources.ts';
import { onServer } from './support/template.ts';
import { until } from './support/until.ts';
import { dataOf, Receiver } from './support/webhooks.ts';

// It runs once: with the tests of PostgreSQL.
const onPostgresql = process.env.TEST_DATABASE_URL ? describe : describe.skip;

// The tests follow one installation, in order.
onPostgresql('a trial that moves to a server', () => {
  const suffix = randomUUID().slice(0, 8);
  const [owner, serving] = [`owner_${suffix}`, `serving_${suffix}`];
  const secret = randomUUID();
  const settings = { PUBLIC_URL: publicOrigin, WEBHOOK_ALLOW_HOSTS: '127.0.0.1' };
  let dataDir: string;
  let filesDir: string;
  let plan: string;
  let address: string;
  let drop: () => Promise<unknown>;
  let server: Record<string, string>;
  let commands: CommandLine;
  let receiver: Receiver;

  let token: string;
  let signIn: { email: string; password: string };
  let cookies: Map<string, string>;
  /** What the trial has answered. */
  let answers: Record<string, unknown>;
  let early: string;
  let end: string;
  let sent: string[];

  const urlAs = (role: string) => {
    const url = new URL(address);
    [url.username, url.password] = [role, secret];
    return url.href;
  };

  beforeAll(async () => {
    receiver = await Receiver.start();
    dataDir = await mkdtemp(join(tmpdir(), 'premises-test-'));
    filesDir = await mkdtemp(join(tmpdir(), 'premises-test-'));
    ({ url: address, drop } = await testDatabaseUrl(withoutTables));
    const database = new URL(address).pathname.slice(1);
    for (const role of [owner, serving]) await onServer(`CREATE ROLE ${role} LOGIN PASSWORD '${secret}'`);
    await onServer(`ALTER DATABASE "${database}" OWNER TO ${owner}`);
    const urls = { DATABASE_URL: urlAs(serving), MIGRATION_DATABASE_URL: urlAs(owner) };
    server = { ...urls, FILES_URL: pathToFileURL(filesDir).href };
    commands = (await CommandLine.create()).with({ ...server, DATA_DIR: dataDir });
  });
  afterAll(async () => {
    await killAll();
    await receiver.close();
    await Promise.all([drop(), commands.remove()]);
    for (const role of [owner, serving]) await onServer(`DROP ROLE ${role}`);
    await Promise.all([dataDir, filesDir].map((folder) => rm(folder, { recursive: true })));
  });

  /** The rows of every list, the first row's of each parent, by its path. */
  async function readAll(client: Client): Promise<Record<string, unknown>> {
    const lists: Record<string, unknown> = {};
    const firstIds: Record<string, unknown> = {};
    for (const [path] of collectionsWith('list')) {
      const parent = path.replace(/\/:.*$/, '');
      if (path !== parent && firstIds[parent] === undefined) continue;
      const at = path.replace(/:\w+/, String(firstIds[parent]));
      const { status, json } = await client.get(at, { limit: 100 });
      expect([at, status]).toEqual([at, 200]);
      const rows = json['data'] as Row[];
      firstIds[path] = rows[0]?.['id'];
      lists[path] = [(json['meta'] as Row)['total'], rows];
    }
    return lists;
  }

  /** All changes after a position, by reading page after page. @returns also the position at the end */
  async function readFeed(client: Client, after?: string): Promise<{ changes: Row[]; next: string }> {
    const changes: Row[] = [];
    for (let position = after; ; ) {
      const { status, row } = await client.get('/changes', { limit: 1000, ...(position && { after: position }) });
      expect(status).toBe(200);
      changes.push(...(row['changes'] as Row[]));
      position = String(row['next']);
      if (row['has_more'] !== true) return { changes, next: position };
    }
  }

  const paint = async (client: Client, name: string) => String((await client.post('/paints', { name })).row['id']);

  /** The rows that messages were about, when there are so many messages. */
  async function messages(count: number): Promise<string[]> {
    for (const deadline = Date.now() + 30_000; receiver.received.length < count && Date.now() < deadline; )
      await sleep(50);
    return receiver.received.map(({ message }) => String(dataOf(message)['row_id'])).toSorted();
  }

  test('begins as a demo with a session, a webhook and a reader of the feed', async () => {
    const trial = await ServiceProcess.start({ ...settings, DATA_DIR: dataDir });
    await trial.ready({ greeting: true });
    ({ token } = trial);
    const client = trial.client();
    const [, email = '', password = ''] = /Email +(\S+)\s+Password +(\S+)/.exec(trial.stdout) ?? [];
    signIn = { email, password };
    const browser = new Browser(trial.origin);
    expect((await browser.signIn(email, password)).status).toBe(200);
    ({ cookies } = browser);
    const input = { name: 'CRM', url: receiver.url, resources: ['PAINTS'], actions: ['CREATE'] };
    const { errors } = await browser.graphql(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
      { input },
    );
    expect(errors).toEqual([]);
    early = (await readFeed(client)).next;
    plan = String((await addFile(client, 'the plan'))['id']);
    expect((await client.post('/documents', { title: 'Plan', file_id: plan })).status).toBe(201);
    // Numbers, texts and times that must stay what they are.
    await client.post('/inventory', { name: 'Bolt "M8", 50%\\n\t€ 😀', unit_cost: 0.1, quantity: 7 });
    sent = [await paint(client, 'One'), await paint(client, 'Two')].toSorted();
    expect(await messages(2)).toEqual(sent);
    // A job reads the text of the document; nothing else changes by itself.
    const isProcessed = async () => {
      const { json } = await client.get('/documents', { processing_status: 'processed' });
      return (json['data'] as Row[]).some((row) => row['title'] === 'Plan');
    };
    await until('the text of the document', isProcessed);
    answers = await readAll(client);
    expect(Object.values(answers).filter((list) => (list as unknown[])[0] !== 0).length).toBeGreaterThan(30);
    end = (await readFeed(client, early)).next;
    expect(await trial.stop()).toBe(0);
  });

  test('refuses to move without both databases, or from one that is in use', async () => {
    expect(await commands.with({ DATA_DIR: dataDir }).run('move')).toMatchObject({
      code: 1,
      err: 'error: DATABASE_URL must lead to the PostgreSQL to move to, and DATA_DIR to what is moved\n',
    });
    const nowhere = join(dataDir, 'nowhere');
    expect(await commands.with({ ...server, DATA_DIR: nowhere }).run('move')).toMatchObject({
      code: 1,
      err: `error: there is no embedded database in ${nowhere}\n`,
    });
    expect(await readdir(dataDir)).not.toContain('nowhere');
    const held = await openDatabase({ dataDir, databaseUrl: undefined });
    try {
      const refused = await commands.run('move');
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(dataDir) });
    } finally {
      await held.close();
    }
  });

  test('a move that is killed leaves nothing, and the next one moves everything', async () => {
    const [command, ...args] = program;
    const env = { PATH: process.env.PATH, ...server, DATA_DIR: dataDir };
    const child = spawn(command, [...args, 'move'], { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    const isCopying = async () =>
      (
        await onServer(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'INSERT INTO "changes"%'`,
          address,
        )
      ).rows.length > 0;
    while (!(await isCopying())) {
      expect(child.exitCode).toBeNull();
      await sleep(10);
    }
    child.kill('SIGKILL');
    await ended;
    expect((await onServer('SELECT FROM companies', address)).rows).toEqual([]);

    const { code, out } = await commands.run('move');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^Moved \d{4,} rows of \d\d tables; in both databases each has as many, with the same checksum\.\nCopied 1 files to file:\/\/.*\n/,
      ),
    });
    expect(await commands.run('move')).toMatchObject({
      code: 1,
      err: 'error: the database at DATABASE_URL has rows already, in accounts: it must be empty\n',
    });
  });

  test('the tables have the constraints and triggers of any other server', async () => {
    const { url, drop } = await testDatabaseUrl();
    const rules = `
      SELECT conrelid::regclass::text AS of, conname AS name, pg_get_constraintdef(oid) AS rule FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
      UNION ALL SELECT tgrelid::regclass::text, tgname, concat(tgenabled, ' ', pg_get_triggerdef(oid)) FROM pg_trigger
      WHERE NOT tgisinternal ORDER BY 1, 2, 3`;
    expect((await onServer(rules, address)).rows).toEqual((await onServer(rules, url)).rows);
    await drop();
    const database = await openDatabase({ databaseUrl: urlAs(owner), dataDir: '' });
    expect(await diff(database)).toBeUndefined();
    await database.close();
  });

  test('the server answers what the trial did, to the same tokens and sessions', async () => {
    const service = await (await ServiceProcess.start({ ...settings, ...server })).ready();
    const client = service.client(token);
    expect(await readAll(client)).toEqual(answers);
    expect(await (await contentOf(client, plan)).text()).toBe('the plan');
    const session = new Browser(service.origin, cookies);
    const { data } = await session.graphql('{ me { email } }');
    expect(data.me).toEqual({ email: signIn.email });
    expect((await new Browser(service.origin).signIn(signIn.email, signIn.password)).status).toBe(200);

    // The feed goes on where its readers were, and the webhook with what is new.
    const missed = (await readFeed(client, early)).changes.filter(({ action }) => action === 'create');
    expect(missed.map(({ row_id }) => row_id)).toEqual(expect.arrayContaining(sent));
    expect((await readFeed(client, end)).changes).toEqual([]);
    const created = [await paint(client, 'Three'), await paint(client, 'Four')];
    const news = async () => (await readFeed(client, end)).changes.map(({ row_id }) => row_id);
    for (const deadline = Date.now() + 30_000; (await news()).length < 2 && Date.now() < deadline; ) await sleep(50);
    expect(await news()).toEqual(created);
    expect(await messages(4)).toEqual([...sent, ...created].toSorted());
    expect(await service.stop()).toBe(0);
  });
});
