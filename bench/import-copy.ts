/** What `import.ts` compares an import with: COPY of the same rows, by psql. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { actorSetting } from '../src/database/actor.ts';
import { cpuIn } from './load.ts';

/** The tables whose rows an import writes itself; the others are written by their triggers. */
const tables = ['service_requests', 'activity_entries'] as const;

/** Rows that were imported, as scripts of psql that write them again. */
export interface Copies {
  /** By how many rows of the file a transaction has. */
  readonly scripts: Readonly<Record<'whole' | 'paged', string>>;
}

const psql = (url: string, args: readonly string[]) =>
  execFileSync('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', ...args, url], { maxBuffer: 2 ** 30 });

/** Reads the rows of a company that an import has written. @param title what the titles of all of them begin with */
export async function readCopies(
  client: pg.Client,
  url: string,
  { companyId, title, pageRows, folder }: { companyId: string; title: string; pageRows: number; folder: string },
): Promise<Copies> {
  const imported = `SELECT id FROM service_requests WHERE company_id = '${companyId}' AND title LIKE '${title}%'`;
  const queries = {
    service_requests: `SELECT * FROM service_requests WHERE id IN (${imported}) ORDER BY id`,
    activity_entries: `SELECT * FROM activity_entries WHERE service_request_id IN (${imported}) ORDER BY service_request_id`,
  };
  const lines = tables.map((table) => {
    const text = psql(url, ['--command', `COPY (${queries[table]}) TO STDOUT`]).toString();
    return text.split('\n').filter((line) => line !== '');
  });
  const { rows } = await client.query<{ table: string; columns: string }>(
    `SELECT table_name AS table, string_agg(format('%I', column_name), ', ' ORDER BY ordinal_position) AS columns
     FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ANY($1) GROUP BY table_name`,
    [tables],
  );
  const { name, value } = actorSetting({ kind: 'session', user_id: companyId });
  const script = (size: number) => {
    const parts: string[] = [];
    for (let from = 0; from < lines[0]!.length; from += size) {
      parts.push('BEGIN;', `SELECT set_config('${name}', '${value}', true) \\g /dev/null`);
      for (const [n, table] of tables.entries()) {
        const { columns } = rows.find((row) => row.table === table)!;
        parts.push(`COPY ${table} (${columns}) FROM STDIN;`, ...lines[n]!.slice(from, from + size), '\\.');
      }
      parts.push('COMMIT;');
    }
    // Both are still there: the connection's process, and psql itself.
    parts.push(
      'SELECT pg_backend_pid() AS pid \\gset',
      '\\setenv PID :pid',
      '\\! cat /proc/$PID/stat /proc/$PPID/stat',
    );
    return parts.join('\n');
  };
  const scripts = { whole: join(folder, 'whole.sql'), paged: join(folder, 'paged.sql') };
  writeFileSync(scripts.whole, script(Number.MAX_SAFE_INTEGER));
  writeFileSync(scripts.paged, script(pageRows));
  return { scripts };
}

/** What it takes to write rows, in seconds. */
export interface Taken {
  readonly time: number;
  /** Of the processors: of client and database. */
  readonly cpu: number;
}

/** Writes the rows. */
export function copy(url: string, { scripts }: Copies, kind: keyof Copies['scripts']): Taken {
  // In the cache of the machine, as the file of an import is.
  readFileSync(scripts[kind]);
  const from = performance.now();
  const output = psql(url, ['--file', scripts[kind]]).toString();
  const time = (performance.now() - from) / 1000;
  const stats = output.split('\n').filter((line) => line !== '');
  return { time, cpu: stats.reduce((sum, stat) => sum + cpuIn(stat), 0) / 1000 };
}

/** Deletes the rows and what they have left, so that the next round finds what the first one did. */
export async function forget(client: pg.Client, companyId: string, title: string): Promise<void> {
  await client.query(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    CREATE TEMP TABLE gone ON COMMIT DROP AS
      SELECT id FROM service_requests WHERE company_id = '${companyId}' AND title LIKE '${title}%';
    DELETE FROM activity_entries WHERE service_request_id IN (SELECT id FROM gone);
    DELETE FROM service_requests WHERE id IN (SELECT id FROM gone);
    DELETE FROM status_periods WHERE company_id = '${companyId}' AND row_id NOT IN (SELECT id FROM service_requests);
    DELETE FROM changes WHERE company_id = '${companyId}';
    DELETE FROM notifications WHERE company_id = '${companyId}';
    COMMIT`);
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT').catch(() => {}); // only superusers may
}
