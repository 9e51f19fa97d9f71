import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Config } from '../config.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { withWriter } from './hosts.ts';
import { OpenError } from './open-error.ts';
import { connectionTimeoutMs } from './pool.ts';

/** How the connections of a URL behave. */
interface Sharing {
  /** Whether statements of one connection run in several sessions of the server, as a pooler of transactions has it. */
  readonly isShared: boolean;
  /** Whether a statement that was prepared runs in each of them. */
  readonly carriesNames: boolean;
}

/** How long (ms) each statement of the examination may take. A pooler whose sessions are all held lets it wait. */
const statementTimeoutMs = 3000;

/** How many sessions are held at most to hold a given one. */
const maxHeld = 8;

/** PostgreSQL's code for a statement that was not prepared in the session. */
const isUnprepared = '26000';

/**
 * Examines whether a URL leads to a pooler that shares sessions: it prepares a statement on one connection, holds the
 * session in which that happened by a transaction on another, and runs the statement again.
 *
 * @throws the driver's error
 */
async function examineSharing(connectionString: string): Promise<Sharing> {
  const clients: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: connectionTimeoutMs,
      query_timeout: statementTimeoutMs,
      application_name: 'premises',
    });
    client.on('error', () => {}); // Its statement fails.
    await client.connect();
    clients.push(client);
    return client;
  };
  const text = 'SELECT pg_backend_pid() AS pid';
  const prepared = { name: `premises_${randomUUID()}`, text };
  const sessionOf = async (client: pg.Client, statement: string | pg.QueryConfig) =>
    Number((await client.query<{ pid: number }>(statement)).rows[0]?.pid);
  try {
    const one = await connect();
    const session = await sessionOf(one, prepared);
    // A pooler tells an identifier of its own. Then the session may be any of those that are free.
    const isServer = (one as { readonly processID?: number }).processID === session;
    try {
      for (let held = 0, isHeld = false; !isHeld && held < (isServer ? 1 : maxHeld); held++) {
        const other = await connect();
        await other.query('BEGIN');
        isHeld = (await sessionOf(other, text)) === session;
      }
      return { isShared: (await sessionOf(one, prepared)) !== session, carriesNames: true };
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      if (isServer || (code !== isUnprepared && message !== 'Query read timeout')) throw error;
      return { isShared: true, carriesNames: false };
    }
  } finally {
    // Not awaited: a pooler may let it wait.
    for (const client of clients) void client.end().catch(() => {});
  }
}

/**
 * Finds out how the database of a configuration has to be opened.
 *
 * @throws OpenError if statements are to be prepared, but may run where they are not; or the driver's error
 */
export async function examineConnections({
  databaseUrl,
  preparesStatements,
}: Pick<Config, 'databaseUrl' | 'preparesStatements'>): Promise<Pick<DatabaseOptions, 'isShared'>> {
  if (databaseUrl === undefined) return {};
  const { isShared, carriesNames } = await withWriter(databaseUrl, examineSharing);
  if (!isShared || carriesNames || !preparesStatements) return { isShared };
  throw new OpenError(
    'DATABASE_URL leads to a pooler that shares connections and does not carry prepared statements. Set ' +
      'DATABASE_PREPARE=false, or let the pooler carry them (PgBouncer 1.21 or newer with max_prepared_statements), or ' +
      'connect to PostgreSQL directly. See docs/postgresql.md, "A pooler".',
  );
}

/**
 * The settings that each session needs, and whether a value does, in the unit of `pg_settings`. Where sessions are
 * shared, setting them would change those of others.
 */
const settings: readonly (readonly [name: string, value: string, isEnough: (value: string) => boolean])[] = [
  ['statement_timeout', '30s', (ms) => isUpTo(ms, 30_000)],
  ['lock_timeout', '5s', (ms) => isUpTo(ms, 10_000)],
  ['idle_in_transaction_session_timeout', '60s', (ms) => isUpTo(ms, 60_000)],
  ['work_mem', '16MB', (kilobytes) => Number(kilobytes) >= 16 * 1024],
  ['jit', 'off', (value) => value === 'off'],
  ['TimeZone', 'UTC', (value) => ['UTC', 'Etc/UTC'].includes(value)],
  ['DateStyle', 'ISO', (value) => value.startsWith('ISO')],
];

const isUpTo = (value: string, max: number) => Number(value) > 0 && Number(value) <= max;

/** @throws OpenError naming the settings that the role of a pooler lacks */
export async function assertRoleSettings({ query }: Pick<Database, 'query'>): Promise<void> {
  const names = settings.map(([name]) => name);
  const { rows } = await query({
    // Those that a session begins with, whatever somebody has set in it.
    text: `SELECT name, reset_val AS value, quote_ident(current_user) AS role FROM pg_settings WHERE name = ANY($1)`,
    values: [names],
  });
  const lacking = settings.filter(
    ([name, , isEnough]) => !isEnough(String(rows.find((row) => row['name'] === name)?.['value'])),
  );
  if (lacking.length === 0) return;
  const role = String(rows[0]?.['role']);
  throw new OpenError(
    [
      'DATABASE_URL leads to a pooler that shares connections, so that its role must have the settings of a session:',
      ...lacking.map(([name, value]) => `  ALTER ROLE ${role} SET ${name} = '${value}';`),
      'Run this as an administrator, and let the pooler connect again (RECONNECT). See docs/postgresql.md, "A pooler".',
    ].join('\n'),
  );
}
