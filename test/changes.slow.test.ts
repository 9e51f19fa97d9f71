// A copy of a table that is kept from the feed alone, while many write at once. It needs PostgreSQL: the embedded
// database has one connection, so that nothing is written at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Client, Row } from './support/client.ts';
import { Random } from './support/random.ts';
import { type Service, startService, type Tenant } from './support/service.ts';
import { urlOf } from './support/template.ts';

const onPostgresql = process.env.TEST_DATABASE_URL === undefined ? test.skip : test;

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

/** Reads paints from the feed, and keeps the highest version of each row, as docs/api/changes.md tells consumers to. */
class Copy {
  readonly rows = new Map<string, Row>();
  readonly seen: string[] = [];
  private readonly versions = new Map<string, bigint>();
  private position: string | undefined;

  async readOn(): Promise<void> {
    for (let more = true; more; ) {
      const query = { resource: 'paints', ...(this.position !== undefined && { after: this.position }) };
      const page = (await client.get('/changes', query)).row as unknown as Page;
      for (const change of page.changes) this.apply(change);
      this.position = page.next;
      more = page.has_more;
    }
  }

  private apply({ row_id: id, version, action, after }: Change): void {
    this.seen.push(version);
    if ((this.versions.get(id) ?? 0n) > BigInt(version)) return;
    this.versions.set(id, BigInt(version));
    if (action === 'delete') this.rows.delete(id);
    else this.rows.set(id, after ?? {});
  }
}

interface Change {
  readonly row_id: string;
  readonly version: string;
  readonly action: string;
  readonly after: Row | null;
}
interface Page {
  readonly changes: readonly Change[];
  readonly next: string;
  readonly has_more: boolean;
}

async function databaseUrl(): Promise<string> {
  const { rows } = await service.database.query({ text: 'SELECT current_database() AS name' });
  return urlOf(String(rows[0]?.['name']));
}

/** Runs transactions of several writes with pauses, a third of them rolled back. */
async function write(seed: number, transactions: number): Promise<void> {
  const random = new Random(seed);
  const writer = new pg.Client({ connectionString: await databaseUrl() });
  await writer.connect();
  for (let n = 0; n < transactions; n++) {
    await writer.query('BEGIN');
    for (let k = random.integer(4); k >= 0; k--) {
      await sleep(random.integer(8));
      const chosen = `(SELECT id FROM paints WHERE company_id = $1 ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`;
      const statement = [
        `INSERT INTO paints (company_id, id, name, updated_at) VALUES ($1, gen_random_uuid(), $2, now())`,
        `UPDATE paints SET name = $2 WHERE company_id = $1 AND id IN ${chosen}`,
        `DELETE FROM paints WHERE company_id = $1 AND $2::text <> '' AND id IN ${chosen}`,
      ][random.integer(5) % 3] as string;
      await writer.query(statement, [tenant.company.id, `${seed} ${n} ${k}`]);
    }
    await writer.query(random.integer(3) === 0 ? 'ROLLBACK' : 'COMMIT');
  }
  await writer.end();
}

onPostgresql('a copy from the feed equals the table, whatever eight writers commit and roll back', async () => {
  const copy = new Copy();
  let isWriting = true;
  const reading = (async () => {
    while (isWriting) await copy.readOn();
  })();
  await Promise.all(Array.from({ length: 8 }, (_, seed) => write(seed, 60))).finally(() => (isWriting = false));
  await reading;

  const text = `SELECT seq::text AS seq FROM changes WHERE company_id = $1 AND table_name = 'paints' ORDER BY changes.seq`;
  const logged = (await service.database.query({ text, values: [tenant.company.id] })).rows.map(({ seq }) =>
    String(seq),
  );
  expect(logged.length).toBeGreaterThan(300);
  // Other databases of the server may still run older transactions.
  for (const deadline = Date.now() + 60_000; copy.seen.length < logged.length && Date.now() < deadline; await sleep(50))
    await copy.readOn();
  const bySize = (one: string, other: string) => Number(BigInt(one) - BigInt(other));
  expect(copy.seen.toSorted(bySize)).toEqual(logged);

  const rows = (
    await service.database.query({
      text: 'SELECT id::text, name FROM paints WHERE company_id = $1 ORDER BY id',
      values: [tenant.company.id],
    })
  ).rows;
  const copied = [...copy.rows.values()].map(({ id, name }) => ({ id, name }));
  expect(copied.toSorted((one, other) => String(one.id).localeCompare(String(other.id)))).toEqual(rows);
});
