import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { testDatabaseUrl } from './support/database.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { onServer } from './support/template.ts';

const [onEmbedded, onPostgresql] = process.env.TEST_DATABASE_URL
  ? [describe.skip, describe]
  : [describe, describe.skip];
const root = await mkdtemp(join(tmpdir(), 'premises-first-start-'));
afterAll(async () => {
  await killAll();
  await rm(root, { recursive: true, force: true });
});

/** Lists of the demo in the order in which they are filled, with the number of their rows where it is promised. */
const lists: readonly [path: string, total: unknown][] = [
  ['/users', 12],
  ['/buildings', 5],
  ['/service-requests', 60],
  ['/move-requests', 15],
  ['/vendors', expect.any(Number)],
  ['/reminders', expect.any(Number)],
];

/** Expects that a started service has the whole demo, once, and that what it printed last signs in. */
async function expectDemo(service: ServiceProcess): Promise<void> {
  for (const [path, total] of lists)
    expect([path, (await service.client().get(path)).meta.total || 'none']).toEqual([path, total]);
  const [, email, password] = /Email +(\S+)\n +Password +(\S+)$/m.exec(service.stdout) ?? [];
  expect(await service.client('').at('').post('/auth/sign-in', { email, password })).toMatchObject({
    status: 200,
    row: { role: 'admin', company: { slug: 'demo' } },
  });
}

onEmbedded('a first start on the embedded database', () => {
  // From the first rows of the demo to the time after all of them, on fast and slow machines.
  test.each([0, 3000])('that is killed after %d ms of creating is completed by the next', async (ms) => {
    const DATA_DIR = join(root, String(ms));
    const killed = await ServiceProcess.start({ DATA_DIR });
    await killed.prints('creating the demo company');
    await Promise.race([sleep(ms), killed.prints('Premises is running')]);
    killed.kill('SIGKILL');
    await killed.ended;
    const next = await (await ServiceProcess.start({ DATA_DIR })).ready({ greeting: true });
    await expectDemo(next);
    expect(await next.stop()).toBe(0);
    const last = await (await ServiceProcess.start({ DATA_DIR })).ready();
    expect(await last.stop()).toBe(0);
    expect(last.token).toBe('');
  });

  test('that is stopped while creating ends without an error, and is completed by the next', async () => {
    const DATA_DIR = join(root, 'stopped');
    const stopped = await ServiceProcess.start({ DATA_DIR });
    await stopped.prints('creating the demo company');
    expect([await stopped.stop(), stopped.stderr]).toEqual([0, '']);
    const next = await (await ServiceProcess.start({ DATA_DIR })).ready({ greeting: true });
    await expectDemo(next);
    expect(await next.stop()).toBe(0);
  });
});

onPostgresql('a first start on PostgreSQL', () => {
  /** Makes a write to a table wait, long enough to kill whoever does it. */
  const holdUp = (url: string, event: string, table: string) =>
    onServer(
      `CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(20); RETURN NULL; END $$;
      CREATE TRIGGER hold_up AFTER ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION hold_up()`,
      url,
    );
  const heldUp = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  /** @returns the name of the instance */
  const untilHeldUp = async (url: string): Promise<unknown> => {
    const { rows } = await onServer(`SELECT application_name ${heldUp}`, url);
    return rows[0]?.application_name ?? sleep(100).then(() => untilHeldUp(url));
  };
  /** The server notices only at the end of a statement that its client is gone. */
  const letGo = async (url: string) => {
    await onServer(`SELECT pg_terminate_backend(pid) ${heldUp}`, url);
    await onServer('DROP FUNCTION hold_up CASCADE', url);
  };

  const moments = [
    ['creates rows', 'INSERT', 'vendors'],
    ['creates the token', 'INSERT', 'api_tokens'],
    ['has printed the sign-in', 'DELETE', 'duties'],
  ] as const;

  test.each(moments)('that is killed when it %s is completed by the next', async (_moment, event, table) => {
    const { url, drop } = await testDatabaseUrl();
    await holdUp(url, event, table);
    const killed = await ServiceProcess.start({ DATABASE_URL: url });
    await untilHeldUp(url);
    killed.kill('SIGKILL');
    await killed.ended;
    await letGo(url);
    const next = await (await ServiceProcess.start({ DATABASE_URL: url })).ready({ greeting: true });
    await expectDemo(next);
    expect(await next.stop()).toBe(0);
    const last = await (await ServiceProcess.start({ DATABASE_URL: url })).ready();
    expect([await last.stop(), last.token]).toEqual([0, '']);
    await drop();
  });

  test.each(moments)('that is killed when it %s is completed by another instance', async (_moment, event, table) => {
    const { url, drop } = await testDatabaseUrl();
    await holdUp(url, event, table);
    const start = (name: string) => ServiceProcess.start({ DATABASE_URL: `${url}?application_name=${name}` });
    const pair = await Promise.all(['first', 'second'].map(start));
    await Promise.all(pair.map((each) => each.ready()));
    const holder = await untilHeldUp(url);
    // The other one is waiting for it.
    await sleep(1000);
    const [killed, other] = (holder === 'first' ? pair : pair.toReversed()) as [ServiceProcess, ServiceProcess];
    killed.kill('SIGKILL');
    await killed.ended;
    await letGo(url);
    await other.ready({ greeting: true });
    await expectDemo(other);
    expect(await other.stop()).toBe(0);
    await drop();
  });
});
