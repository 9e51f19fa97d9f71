import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { Clock } from '../src/background/clock.ts';
import { FenceWatch } from '../src/events/fence.ts';
import { testDatabase } from './support/database.ts';
import { until } from './support/until.ts';

const database = await testDatabase();
afterAll(() => database.close());
/** Other tests of the server may hold changes back for as long as they run. */
const patienceMs = 150_000;
const onPostgresql = process.env.TEST_DATABASE_URL ? test : test.skip;

/** Begins a transaction of another database of the server. */
async function beginElsewhere() {
  const client = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  await client.query('BEGIN');
  const text = 'SELECT pg_current_xact_id(), pg_backend_pid() AS pid, current_database() AS database';
  const [row] = (await client.query<{ pid: number; database: string }>(text)).rows;
  const end = async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
  return { holder: { pid: row?.pid, database: row?.database }, end };
}

onPostgresql(
  'a transaction of another database that holds changes back is named once',
  async () => {
    const { holder: expected, end } = await beginElsewhere();
    const watch = new FenceWatch(database);
    let holder = await watch.findNew(0);
    // Older transactions of other tests come first.
    await until('the transaction', async () => {
      holder = (await watch.findNew(0)) ?? holder;
      return holder?.pid === expected.pid;
    });
    expect(holder).toMatchObject(expected);
    expect(holder?.seconds).toBeGreaterThanOrEqual(0);
    expect(await watch.findNew(0)).toBeUndefined();
    await end();
  },
  patienceMs,
);

onPostgresql(
  'the log warns once of a transaction that holds changes back for long',
  async () => {
    const longSeconds = 2;
    const warnings: unknown[][] = [];
    const log = { warn: (...given: unknown[]) => void warnings.push(given) };
    const clock = new Clock({ database, refreshStale: () => undefined, occurrences: [], longSeconds, log });
    const { holder, end } = await beginElsewhere();
    const isOfHolder = ([given]: unknown[]) => (given as { pid?: number }).pid === holder.pid;
    await clock.tick();
    expect(warnings.filter(isOfHolder)).toEqual([]);
    await until('a warning', async () => {
      await sleep(200);
      await clock.tick();
      return warnings.some(isOfHolder);
    });
    await clock.tick();
    const [warning, ...others] = warnings.filter(isOfHolder);
    expect(warning).toEqual([
      { ...holder, seconds: expect.any(Number) },
      'a transaction holds changes, webhooks and notifications back',
    ]);
    expect((warning?.[0] as { seconds: number }).seconds).toBeGreaterThanOrEqual(longSeconds);
    expect(others).toEqual([]);
    await end();
    await clock.close();
  },
  patienceMs,
);
