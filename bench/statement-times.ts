/** What PostgreSQL spends on statements, by its extension pg_stat_statements. */
import type pg from 'pg';

/** How often a statement ran, and for how long in all (ms). */
interface Times {
  calls: number;
  ms: number;
}

/** The statements of one server, by their text. */
export type StatementTimes = Map<string, Times>;

/** Creates the extension. @returns whether the server has loaded it (`shared_preload_libraries`) */
export async function canTimeStatements(client: pg.Client): Promise<boolean> {
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    await client.query('SELECT FROM pg_stat_statements LIMIT 1');
    return true;
  } catch {
    return false;
  }
}

/** Forgets all that was measured before. */
export const resetTimes = (client: pg.Client) => client.query('SELECT pg_stat_statements_reset()');

/** Adds what ran since the reset, in the service's requests and beside them. */
export async function addTimes(client: pg.Client, times: StatementTimes): Promise<void> {
  const { rows } = await client.query<{ query: string; calls: string; ms: number }>(
    `SELECT query, calls, total_exec_time AS ms FROM pg_stat_statements
     JOIN pg_database ON pg_database.oid = dbid
     WHERE datname = current_database() AND query NOT LIKE '%pg_stat_%'`,
  );
  for (const { query, calls, ms } of rows) {
    const known = times.get(query) ?? { calls: 0, ms: 0 };
    times.set(query, { calls: known.calls + Number(calls), ms: known.ms + ms });
  }
}

/**
 * Describes the statements that took longest, with calls and ms a request, and of those that ran for fewer than one in
 * twenty requests, which are the background's and the limits', the sum.
 */
export function describeTimes(times: StatementTimes, requests: number, most: number): string[] {
  const all = [...times].map(([query, { calls, ms }]) => ({ query, calls: calls / requests, ms: ms / requests }));
  const row = (query: string, calls: number, ms: number) =>
    `${calls.toFixed(3).padStart(12)} ${ms.toFixed(4).padStart(10)}  ${query.replaceAll(/\s+/g, ' ').slice(0, 110)}`;
  const sum = (part: typeof all, name: string) =>
    row(
      name,
      part.reduce((total, { calls }) => total + calls, 0),
      part.reduce((total, { ms }) => total + ms, 0),
    );
  const longest = all.toSorted((a, b) => b.ms - a.ms).slice(0, most);
  return [
    ...longest.map(({ query, calls, ms }) => row(query, calls, ms)),
    sum(
      all.filter(({ calls }) => calls < 0.05),
      'beside requests',
    ),
    sum(all, 'all'),
  ];
}
