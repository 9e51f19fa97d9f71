// Copies of a company that are kept from snapshots and the feed, while many write at once through two instances, one of
// which is killed. It needs PostgreSQL: the embedded database has one connection, so that nothing is written at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Client, Row } from './support/client.ts';
import { Copy } from './support/copy.ts';
import { testDatabaseUrl } from './support/database.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { Random } from './support/random.ts';

const onPostgresql = process.env.TEST_DATABASE_URL === undefined ? test.skip : test;
afterAll(killAll);

/** Whether the writers continue. */
const writing = { isOver: false };

/** Runs transactions of several writes with pauses, a third of them rolled back; some are long. */
async function writeSql(connectionString: string, company: string, seed: number): Promise<void> {
  const random = new Random(seed);
  const writer = new pg.Client({ connectionString });
  await writer.connect();
  for (let n = 0; !writing.isOver; n++) {
    await writer.query('BEGIN');
    for (let k = random.integer(4); k >= 0; k--) {
      await sleep(random.integer(20) === 0 ? 500 : random.integer(8));
      const chosen = `(SELECT id FROM paints WHERE company_id = $1 ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`;
      const statement = [
        `INSERT INTO paints (company_id, id, name, updated_at) VALUES ($1, gen_random_uuid(), $2, now())`,
        `UPDATE paints SET name = $2 WHERE company_id = $1 AND id IN ${chosen}`,
        `DELETE FROM paints WHERE company_id = $1 AND $2::text <> '' AND id IN ${chosen}`,
      ][random.integer(5) % 3] as string;
      await writer.query(statement, [company, `${seed} ${n} ${k}`]);
    }
    await writer.query(random.integer(3) === 0 ? 'ROLLBACK' : 'COMMIT');
  }
  await writer.end();
}

/** Writes over HTTP; requests of an instance that is killed fail. */
async function writeHttp(client: Client, seed: number): Promise<void> {
  const random = new Random(seed);
  const made: string[] = [];
  for (let n = 0; !writing.isOver; n++) {
    const path = made[random.integer(made.length || 1)];
    const kind = path === undefined ? 0 : random.integer(4);
    const request = [
      () => client.post('/assets', { asset_name: `${seed} ${n}` }),
      () => client.post(`${path}/maintenance`, { maintenance_type: 'preventive', scheduled_date: '2030-01-01' }),
      () => client.patch(path ?? '', { asset_name: `${seed} ${n}` }),
      // With its maintenance.
      () => client.delete(path ?? ''),
    ][kind] as () => ReturnType<Client['get']>;
    const reply = await request().catch(() => undefined);
    if (reply?.status === 201 && kind === 0) made.push(`/assets/${String(reply.row['id'])}`);
    else await sleep(5);
  }
}

/** All rows of a list, by id. */
async function list(client: Client, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const reply = await client.get(path, { limit: 100, ...(cursor && { cursor }) });
    rows.push(...reply.rows);
    cursor = reply.meta.pagination.next_cursor;
  }
  return rows.toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));
}

onPostgresql('copies equal the tables, whatever eight writers do and although an instance is killed', async () => {
  const database = await testDatabaseUrl();
  const one = await (await ServiceProcess.start({ DATABASE_URL: database.url })).ready({ greeting: true });
  const other = await (await ServiceProcess.start({ DATABASE_URL: database.url })).ready();
  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  await db.query('UPDATE api_tokens SET rate_limit = 1000000');
  const { token } = one;
  const client = one.client();
  const company = String((await client.get('/companies')).rows[0]?.['id']);

  const writers = [
    ...[1, 2, 3, 4].map((seed) => writeSql(database.url, company, seed)),
    ...[5, 6].map((seed) => writeHttp(one.client(), seed)),
    ...[7, 8].map((seed) => writeHttp(other.client(token), seed)),
  ];
  const resource = 'paints,assets,asset_maintenance_records';
  const copies: Copy[] = [];
  const reading = (async () => {
    for (let n = 0; !writing.isOver; n++) {
      // A snapshot in the midst of it, and another copy that has read since the beginning.
      if (n % 40 === 0 && copies.length < 4) {
        const copy = new Copy({ resource });
        if (n > 0) await copy.readSnapshot(client);
        copies.push(copy);
      }
      for (const copy of copies) await copy.readOn(client);
    }
  })();
  await sleep(12_000);
  other.kill('SIGKILL');
  await other.ended;
  await sleep(8000);
  writing.isOver = true;
  await Promise.all([...writers, reading]);
  expect(copies.length).toBeGreaterThanOrEqual(2);

  const text = `SELECT seq::text AS seq FROM changes WHERE company_id = $1 AND table_name = ANY($2) ORDER BY xid, changes.seq`;
  const { rows } = await db.query<{ seq: string }>(text, [company, ['paints', 'assets', 'asset_maintenance']]);
  const logged = rows.map(({ seq }) => seq);
  expect(logged.length).toBeGreaterThan(300);
  const [first, ...later] = copies as [Copy, ...Copy[]];
  // Other databases of the server may still run older transactions.
  for (
    const deadline = Date.now() + 60_000;
    first.returned.length < logged.length && Date.now() < deadline;
    await sleep(50)
  )
    for (const copy of copies) await copy.readOn(client);
  // Nothing is missing, twice or out of order.
  expect(first.returned).toEqual(logged);
  for (const copy of later) expect(new Set(copy.returned).size).toBe(copy.returned.length);

  for (const [name, path] of [
    ['paints', '/paints'],
    ['assets', '/assets'],
    ['asset_maintenance_records', '/assets/maintenance'],
  ] as const) {
    const listed = await list(client, path);
    for (const copy of copies) {
      const copied = copy.rowsOf(name);
      // Changes name the fields that are columns.
      const columns = Object.keys(copied[0] ?? {});
      const shown = listed.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
      expect([name, copied]).toEqual([name, shown]);
    }
  }
  await db.end();
  await one.stop();
  await database.drop();
});
