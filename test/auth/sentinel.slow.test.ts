// Rate limits and marks of writes in a Redis whose server dies, and that Sentinels replace by another.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createLimiter, type Limiter } from '../../src/auth/limits.ts';
import { WriteMarks } from '../../src/database/replicas/marks.ts';
import { testDatabase } from '../support/database.ts';
import { missingForSentinel, type RedisServer, SentinelCluster } from '../support/sentinel.ts';
import { until } from '../support/until.ts';

const missing = [
  ...(process.env.TEST_DATABASE_URL ? [] : ['it runs once, with the tests of PostgreSQL']),
  ...missingForSentinel,
];

(missing.length === 0 ? describe : describe.skip)(['Sentinels', ...missing].join(': '), () => {
  let cluster: SentinelCluster;
  let database: Awaited<ReturnType<typeof testDatabase>>;
  const opened: { close(): unknown }[] = [];
  beforeAll(async () => {
    database = await testDatabase();
    cluster = await SentinelCluster.start();
  });
  // An outage counts in the database for an hour; here it ends with the test.
  afterEach(() => endHour());
  afterAll(async () => {
    await cluster.remove();
    await database.close();
  });

  const keep = <T extends { close(): unknown }>(one: T): T => {
    opened.push(one);
    return one;
  };
  const open = (): Limiter => keep(createLimiter(database, cluster.url));
  /** Ends all instances, and the hour of an outage. */
  const endHour = async () => {
    for (const one of opened.splice(0)) await one.close();
    await database.query({ text: 'DELETE FROM rate_limits' });
  };
  /** How many of 60 requests at once are allowed, with a limit of 40. */
  const take = async (key: string, ...some: Limiter[]) => {
    const all = await Promise.all(Array.from({ length: 60 }, (_, n) => some[n % some.length]!.consume(key, 40)));
    return all.filter(({ allowed }) => allowed).length;
  };
  /** How the primary would name the server that keeps marks. */
  const keeperOf = async (marks: WriteMarks): Promise<string> => {
    keep(marks);
    let keeper: string | undefined;
    await until('a keeper of marks', async () => (keeper = await marks.keep()) !== undefined);
    return keeper ?? '';
  };
  const inDatabase = async (key: string) =>
    (await database.query({ text: 'SELECT key FROM rate_limits WHERE key LIKE $1', values: [`%${key}`] })).rows.length;

  test.each([
    ['is killed', (server: RedisServer) => server.kill(), (server: RedisServer) => server.start()],
    [
      'is silent',
      async (server: RedisServer) => server.signal('SIGSTOP'),
      (server: RedisServer) => server.signal('SIGCONT'),
    ],
  ])('the limits hold when the server that counts %s, and another takes over', async (how, leave, comeBack) => {
    const [writer, other] = (await cluster.servers[0].isWriter()) ? cluster.servers : [...cluster.servers].reverse();
    if (!writer || !other) throw new Error('There are two servers.');
    const [before, after] = [`before it ${how}`, `after it ${how}`];
    const pair = [open(), open()];
    const keeper = await keeperOf(new WriteMarks(cluster.url));

    expect(await take(before, ...pair)).toBe(40);
    expect([await writer.counts(before), await inDatabase(before)]).toEqual([true, 0]);
    await leave(writer);
    // Of this hour at most twice the limit.
    expect(await take(before, ...pair)).toBe(40);
    expect(await take(before, ...pair)).toBe(0);
    await until('another writer', async () => (await other.isWriter()) && cluster.leadsTo(other));

    // In the hour after the outage.
    await endHour();
    const later = [open(), open()];
    expect(await take(after, ...later)).toBe(40);
    expect([await other.counts(after), await inDatabase(after)]).toEqual([true, 0]);
    // Another server may lack marks of writes, and is another keeper.
    const marks = new WriteMarks(cluster.url);
    expect(await keeperOf(marks)).not.toBe(keeper);
    expect(marks.isKeptBy(keeper)).toBe(false);

    comeBack(writer);
    await until('a replica', async () => (await writer.run('PING')) === 'PONG' && !(await writer.isWriter()));
    await sleep(300);
    expect(await take(after, ...later)).toBe(0);
    expect(await inDatabase(after)).toBe(0);
  });
});
