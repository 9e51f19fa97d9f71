// Moves everything of one database into another one that is empty.
import pg from 'pg';
import type { Connection, Database } from './database.ts';
import { migrationLock } from './migrate.ts';

/** How many bytes of rows, as text, are in memory at once, unless one row alone has more. */
const pageBytes = 4_000_000;
const maxPageRows = 1000;

/** The tables that are about each database itself, and are not moved. */
const ownTables: readonly string[] = ['_prisma_migrations', 'write_marks'];

/** The table that is moved, although migrations have left a row in it: the generations of the log. */
const logTable = 'change_logs';

/** A table, and what to say about it in SQL. */
interface Table {
  readonly name: string;
  /** Its columns without those that the database computes, with their types. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** What a table contains: the number of its rows and a checksum over all of them, in any order. */
interface Content {
  readonly rows: number;
  readonly checksum: string;
  /** The bytes of its longest row, as text. */
  readonly longest: number;
}

/** How much was moved. */
export interface Moved {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Copies all rows of a database into another one, with ids, times and logs as they are: nothing is logged anew, and
 * the log of changes goes on in a generation of the new server. One transaction of the target does all of it, and is
 * committed only when both databases have the same rows. The source stays as it is.
 *
 * @param source migrated, and used by nothing else meanwhile
 * @param target migrated, opened as the role that owns its tables
 * @param onProgress called after each page of rows
 * @throws Error when the target has rows
 */
export const moveRows = (
  source: Database,
  target: Database,
  onProgress: (table: string, done: number, total: number) => void = () => {},
): Promise<Moved> =>
  target.inOneTransaction((to) =>
    source.inOneTransaction(async (from) => {
      // It is idle while the source is read.
      await to.execute(
        `SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock(${migrationLock})`,
      );
      const tables = await listTables(to);
      await to.execute(`LOCK TABLE ${tables.map(({ name }) => identifier(name)).join(', ')}`);
      await assertEmpty(
        to,
        tables.filter(({ name }) => name !== logTable),
      );
      const restore = await suspendRules(to, tables);
      await to.execute(`DELETE FROM ${logTable}`);
      let moved = 0;
      for (const table of tables) {
        const content = await examine(from, table);
        await copy(from, to, table, content, onProgress);
        const { rows, checksum } = await examine(to, table);
        if (rows !== content.rows || checksum !== content.checksum)
          throw new Error(`${table.name} has other rows in the target than in the embedded database`);
        moved += rows;
      }
      await moveSequences(from, to);
      await restore();
      // At once, as writes alone do not tell servers apart.
      await to.execute('SELECT begin_change_log(); ANALYZE');
      return { tables: tables.length, rows: moved };
    }),
  );

const identifier = (name: string): string => pg.escapeIdentifier(name);

/** Lists the tables whose rows are moved; the target has the same ones, as both are migrated. */
async function listTables(connection: Connection): Promise<Table[]> {
  const rows = await connection.read(`
    SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    ORDER BY relname`);
  const names = rows.flatMap(([name]) => (name && !ownTables.includes(name) ? [name] : []));
  return Promise.all(names.map((name) => tableOf(connection, name)));
}

async function tableOf(connection: Connection, name: string): Promise<Table> {
  const rows = await connection.read(
    `SELECT attname::text, format_type(atttypid, -1) FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attname`,
    [identifier(name)],
  );
  return { name, columns: rows.map(([column, type]) => ({ name: column ?? '', type: type ?? '' })) };
}

/** @throws Error when one of the tables has rows */
async function assertEmpty(connection: Connection, tables: readonly Table[]): Promise<void> {
  const found = tables.map(
    ({ name }) => `SELECT ${pg.escapeLiteral(name)} WHERE EXISTS (SELECT FROM ${identifier(name)})`,
  );
  const [full] = await connection.read(found.join(' UNION ALL '));
  if (full) throw new Error(`the database at DATABASE_URL has rows already, in ${full[0]}: it must be empty`);
}

/**
 * Suspends the triggers of tables, which would log the rows anew, and the references between them, so that their order
 * does not matter. To disable references takes a superuser, to drop and add them the owner.
 *
 * @returns what restores both, which checks all references
 */
async function suspendRules(connection: Connection, tables: readonly Table[]): Promise<() => Promise<void>> {
  const names = tables.map(({ name }) => name);
  const references = await connection.read(
    `SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
     WHERE contype = 'f' AND conrelid = ANY (SELECT quote_ident(name)::regclass FROM unnest($1::text[]) AS name)`,
    [names],
  );
  const triggersOf = (state: string) => names.map((name) => `ALTER TABLE ${identifier(name)} ${state} TRIGGER USER`);
  const dropped = references.map(([table, name]) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  await connection.execute([...triggersOf('DISABLE'), ...dropped].join('; '));
  const added = references.map(([table, name, rule]) => `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${rule}`);
  return async () => {
    await connection.execute([...added, ...triggersOf('ENABLE')].join('; '));
  };
}

async function examine(connection: Connection, { name, columns }: Table): Promise<Content> {
  const row = `ROW(${columns.map((column) => `${identifier(column.name)}::text`).join(', ')})::text`;
  const [found] = await connection.read(`
    SELECT count(*)::text, coalesce(sum(('x' || "left"(md5(line), 16))::bit(64)::bigint), 0)::text,
      coalesce(max(octet_length(line)), 0)::text
    FROM (SELECT ${row} AS line FROM ${identifier(name)}) AS lines`);
  const [rows, checksum, longest] = found ?? [];
  return { rows: Number(rows), checksum: checksum ?? '', longest: Number(longest) };
}

/** Copies the rows of a table: each value as its text, which every type reads as it has written it. */
async function copy(
  from: Connection,
  to: Connection,
  { name, columns }: Table,
  { rows: total, longest }: Content,
  onProgress: (table: string, done: number, total: number) => void,
): Promise<void> {
  const size = Math.max(1, Math.min(maxPageRows, Math.floor(pageBytes / Math.max(longest, 1))));
  const texts = columns.map((column) => `${identifier(column.name)}::text`);
  const names = columns.map((column) => identifier(column.name));
  const values = columns.map(({ type }, n) => `c${n}::${type}`);
  const arrays = columns.map((_, n) => `$${n + 1}::text[]`);
  const insert = `INSERT INTO ${identifier(name)} (${names.join(', ')}) SELECT ${values.join(', ')}
    FROM unnest(${arrays.join(', ')}) AS page (${columns.map((_, n) => `c${n}`).join(', ')})`;
  await from.execute(`DECLARE moved NO SCROLL CURSOR FOR SELECT ${texts.join(', ')} FROM ${identifier(name)}`);
  for (let done = 0; done < total; ) {
    const page = await from.read(`FETCH ${size} FROM moved`);
    if (page.length === 0) break; // Then the checksums differ.
    await to.read(
      insert,
      columns.map((_, n) => page.map((row) => row[n])),
    );
    done += page.length;
    onProgress(name, done, total);
  }
  await from.execute('CLOSE moved');
}

/** Lets the numbers of the target continue after those of the source. */
async function moveSequences(from: Connection, to: Connection): Promise<void> {
  const names = await to.read(`
    SELECT relname::text FROM pg_class WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace`);
  for (const [name = ''] of names) {
    const sequence = identifier(name ?? '');
    const [state] = await from.read(`SELECT last_value::text, is_called::text FROM ${sequence}`);
    await to.read('SELECT setval($1::regclass, $2::bigint, $3::boolean)::text', [sequence, ...(state ?? [])]);
  }
}
