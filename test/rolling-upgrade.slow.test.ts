// Instances of an older build are replaced by the newest one after another, under load, as docs/operations.md says.
// The older build is that of the last commit before the newest migration.
import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Browser, password, publicOrigin } from './support/browser.ts';
import type { Row } from './support/client.ts';
import { testDatabaseUrl, withoutTables } from './support/database.ts';
import { OlderBuild, olderCommit } from './support/older-build.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { onServer } from './support/template.ts';
import { until } from './support/until.ts';
import { dataOf, Receiver } from './support/webhooks.ts';

const email = 'ann@acme.example';

const missing = [
  ...(process.env.TEST_DATABASE_URL ? [] : ['it runs once, with the tests of PostgreSQL']),
  ...(olderCommit === undefined ? ['the history of the repository is missing'] : []),
];

/** An answer, as clients behind a balancer get it. */
interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly json: Row;
}

/** The instances, of which each request takes the next one that accepts it. */
class Balancer {
  readonly origins: string[] = [];
  /** Answers that were not the request's. */
  readonly refusals: Answer[] = [];
  private count = 0;

  constructor(private readonly token: string) {}

  /** Sends a request, and repeats it after a 503, with the same key. @returns the answer that is not a 503 */
  async send(method: string, path: string, body?: Row): Promise<Row> {
    const key = randomUUID();
    for (;;) {
      const answer = await this.once(method, path, key, body);
      if (answer.status === 200 || answer.status === 201) return answer.json;
      this.refusals.push(answer);
      if (answer.status !== 503) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
      await sleep(50);
    }
  }

  private async once(method: string, path: string, key: string, body?: Row): Promise<Answer> {
    for (;;) {
      const origin = this.origins[this.count++ % this.origins.length] ?? '';
      const headers = {
        authorization: `Bearer ${this.token}`,
        connection: 'close',
        ...(body && { 'content-type': 'application/json', 'idempotency-key': key }),
      };
      const url = `${origin}/api/v1${path}`;
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const response = await fetch(url, { method, headers, body: sent }).catch((error: unknown) => {
        const { cause } = error as { readonly cause?: { readonly code?: string } };
        // Who was not accepted goes to the next instance, as balancers do, with the same key. The last is Node's code
        // of a connection that was closed before an answer began. An answer that is cut off is an error.
        if (!['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'].includes(cause?.code ?? '')) throw error;
      });
      if (!response) continue;
      const { status } = response;
      return { status, retryAfter: response.headers.get('retry-after'), json: (await response.json()) as Row };
    }
  }
}

/** Writes rows of one kind and changes of a row of its own, one after another, and reads in between. */
class Writer {
  /** The ids of the rows that were acknowledged. */
  readonly created: string[] = [];
  /** The name that the last acknowledged change has given its own row. */
  changes = 0;
  own = '';

  constructor(
    private readonly balancer: Balancer,
    private readonly n: number,
  ) {}

  async write(): Promise<void> {
    const idOf = ({ data }: Row) => String((data as Row)['id']);
    if (this.own === '') this.own = idOf(await this.balancer.send('POST', '/paints', { name: `Writer ${this.n}: 0` }));
    const id = idOf(await this.balancer.send('POST', '/paints', { name: `Paint of ${this.n}` }));
    this.created.push(id);
    expect(idOf(await this.balancer.send('GET', `/paints/${id}`))).toBe(id);
    const name = `Writer ${this.n}: ${this.changes + 1}`;
    const { data } = await this.balancer.send('PATCH', `/paints/${this.own}`, { name });
    expect((data as Row)['name']).toBe(name);
    this.changes += 1;
  }
}

(missing.length === 0 ? describe : describe.skip)(['a rolling upgrade', ...missing].join(': '), () => {
  let older: OlderBuild;
  let receiver: Receiver;
  let address: string;
  let drop: () => Promise<unknown>;
  let env: Record<string, string>;
  beforeAll(async () => {
    older = OlderBuild.make(olderCommit ?? '');
    receiver = await Receiver.start();
    ({ url: address, drop } = await testDatabaseUrl(withoutTables));
    const redis = process.env.TEST_REDIS_URL;
    env = {
      ...{ DATABASE_URL: address, DATABASE_POOL_SIZE: '10', ...(redis && { REDIS_URL: redis }) },
      ...{
        DEMO: 'false',
        PUBLIC_URL: publicOrigin,
        WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
        RATE_LIMIT_TOKEN_PER_HOUR: '1000000',
      },
    };
  });
  afterAll(async () => {
    await killAll();
    await receiver.close();
    await drop();
    await older.remove();
  });

  const migrations = async () =>
    (await onServer('SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1', address)).rows.length;

  /** Creates a company with an admin. @returns a token of theirs */
  async function createCompany(): Promise<string> {
    const of = (...args: string[]) => [...args, '--company', 'acme', '--name', 'Ann Lee'];
    older.run(env, ['company', 'create', '--slug', 'acme', '--name', 'Acme']);
    older.run(env, of('user', 'create', '--email', email, '--role', 'admin', '--password-stdin'), password);
    const path = older.run(env, of('token', 'create', '--user', email, '--scopes', '*'));
    const token = await readFile(path, 'utf8');
    await rm(dirname(path), { recursive: true });
    return token.trim();
  }

  async function subscribe({ origin }: ServiceProcess): Promise<void> {
    const browser = new Browser(origin);
    expect((await browser.signIn(email, password)).status).toBe(200);
    const input = { name: 'CRM', url: receiver.url, resources: ['PAINTS'], actions: ['CREATE'] };
    const { errors } = await browser.graphql(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
      { input },
    );
    expect(errors).toEqual([]);
  }

  test('answers nothing but what was asked or 503, and loses and doubles nothing', async () => {
    const token = await createCompany();
    const first = await (await ServiceProcess.start(env, older.command)).ready();
    const second = await (await ServiceProcess.start(env, older.command)).ready();
    await subscribe(first);
    const balancer = new Balancer(token);
    balancer.origins.push(first.origin, second.origin);

    // A reader of the feed begins at its end.
    const feed: Row[] = [];
    let position: string | undefined;
    const read = async () => {
      const after = position === undefined ? '' : `&after=${position}`;
      const { data } = await balancer.send('GET', `/changes?resource=paints&limit=1000${after}`);
      const page = data as { changes: Row[]; next: string; has_more: boolean };
      feed.push(...page.changes);
      position = page.next;
      return page.has_more;
    };
    while (await read());
    feed.length = 0;

    let isOver = false;
    const writers = [0, 1, 2].map((n) => new Writer(balancer, n));
    const repeat = async (work: () => Promise<unknown>) => {
      while (!isOver) await Promise.all([work(), sleep(100)]);
    };
    const load = Promise.all([...writers.map((writer) => repeat(() => writer.write())), repeat(read)]);
    load.catch(() => {}); // It is awaited in goOn and below.
    const counts = () => writers.map(({ changes }) => changes);
    /** Waits until each writer has written some more. Fails as soon as one of them does. */
    const goOn = async () => {
      const before = counts();
      await Promise.race([load, until('writes', () => counts().every((count, n) => count >= (before[n] ?? 0) + 10))]);
    };
    const replace = async (instance: ServiceProcess) => {
      // It is taken out when it answers 503 or nothing, as nobody tells a balancer before.
      instance.kill('SIGTERM');
      const code = await instance.ended;
      balancer.origins.splice(balancer.origins.indexOf(instance.origin), 1);
      return code;
    };
    const start = async () => {
      const instance = await (await ServiceProcess.start(env)).ready();
      await until('readiness', async () => (await fetch(`${instance.origin}/readyz`)).status === 200);
      balancer.origins.push(instance.origin);
      return instance;
    };

    await goOn();
    const before = await migrations();
    const third = await start();
    expect(await migrations()).toBeGreaterThan(before);
    await goOn(); // two older ones beside the newest
    for (const instance of [first, second]) expect((await fetch(`${instance.origin}/readyz`)).status).toBe(200);
    expect(await replace(first)).toBe(0);
    await goOn();
    const fourth = await start();
    expect(await replace(second)).toBe(0);
    await goOn();
    isOver = true;
    await load;

    expect(balancer.refusals.filter(({ status, retryAfter }) => status !== 503 || !retryAfter)).toEqual([]);
    // Each acknowledged row is there, once, and each change of a row in its order.
    const created = writers.flatMap((writer) => [writer.own, ...writer.created]).toSorted();
    const stored = await onServer(`SELECT id FROM paints WHERE name ~ '^(Paint of|Writer) \\d' ORDER BY id`, address);
    expect(stored.rows.map(({ id }) => String(id))).toEqual(created);
    for (const [n, { own, changes }] of writers.entries()) {
      const { rows } = await onServer(
        `SELECT after->>'name' AS name FROM changes WHERE row_id = '${own}' ORDER BY seq`,
        address,
      );
      expect(rows.map(({ name }) => name)).toEqual(
        Array.from({ length: changes + 1 }, (_, at) => `Writer ${n}: ${at}`),
      );
    }

    // The feed has each change once.
    const expected = created.length + counts().reduce((sum, count) => sum + count, 0);
    await until('the feed', async () => !(await read()) && feed.length >= expected);
    const idsOf = (action: string) =>
      feed.flatMap((each) => (each['action'] === action ? [String(each['row_id'])] : []));
    expect(idsOf('create').toSorted()).toEqual(created);
    expect(idsOf('update').toSorted()).toEqual(
      writers.flatMap(({ own, changes }) => Array.from({ length: changes }, () => own)).toSorted(),
    );

    // So have webhooks: whoever gets a message twice knows it by its id.
    const ids = () =>
      receiver.received.map(
        ({ headers, message }) => `${String(dataOf(message)['row_id'])} ${String(headers['webhook-id'])}`,
      );
    await until('webhooks', () => new Set(ids()).size >= created.length);
    expect([...new Set(ids())].map((each) => each.split(' ')[0]).toSorted()).toEqual(created);
    for (const instance of [third, fourth]) expect(await instance.stop()).toBe(0);
  });
});
