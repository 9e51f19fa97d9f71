import pg from 'pg';
import type { Database } from './database.ts';
import { migrationLock } from './migrate.ts';

/** What the role that serves may do with tables: their rows, and nothing else. */
const tablePrivileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/**
 * Whether the current role lacks a right to read or write one of the tables, as after an upgrade made by another role.
 */
export async function lacksAccess(database: Database): Promise<boolean> {
  const hasAll = tablePrivileges.map((privilege) => `has_table_privilege(oid, '${privilege}')`).join(' AND ');
  const { rows } = await database.query({
    text: `
      SELECT EXISTS (
        SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
          AND relowner = (SELECT relowner FROM pg_class WHERE oid = to_regclass('_prisma_migrations'))
          AND NOT (${hasAll} OR (relname = '_prisma_migrations' AND has_table_privilege(oid, 'SELECT')))
      ) AS lacks`,
  });
  return rows[0]?.['lacks'] === true;
}

/** The role that serves, and the schema that it reads and writes. */
interface Grantee {
  readonly role: string;
  readonly schema: string;
}

/**
 * Finds whom to grant access to the tables that the migrating role creates.
 *
 * @param owner the database, opened as the role that migrates
 * @param serving the same database, opened as the role that serves
 * @returns undefined where both are the same role
 * @throws Error when the two are different databases or schemas
 */
export async function findGrantee(owner: Database, serving: Database): Promise<Grantee | undefined> {
  const [from, to] = [await identify(owner), await identify(serving)];
  // A role that may not use the schema yet does not see it.
  if (from.database !== to.database || from.schema === null || (to.schema ?? from.schema) !== from.schema)
    throw new Error('DATABASE_URL and MIGRATION_DATABASE_URL must lead to the same database and schema.');
  return from.role === to.role ? undefined : { role: to.role, schema: from.schema };
}

/**
 * Lets the role that serves read and write the rows of all tables, also of those that are created later. It gets no
 * right to create, alter, empty or drop tables.
 */
export async function grantAccess(owner: Database, grantee: Grantee): Promise<void> {
  const [schema, role] = [pg.escapeIdentifier(grantee.schema), pg.escapeIdentifier(grantee.role)];
  const rows = tablePrivileges.join(', ');
  await owner.inOneTransaction(({ execute }) =>
    // Under a lock, as two processes that grant at once would fail.
    execute(`
      SELECT pg_advisory_xact_lock(${migrationLock});
      GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT ${rows} ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
      REVOKE INSERT, UPDATE, DELETE ON ${schema}._prisma_migrations FROM ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${rows} ON TABLES TO ${role};
      ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE, SELECT ON SEQUENCES TO ${role}`),
  );
}

interface Identity {
  readonly role: string;
  readonly database: string;
  /** Null where the role may not use the schema. */
  readonly schema: string | null;
}

async function identify(database: Database): Promise<Identity> {
  const { rows } = await database.query({
    text: 'SELECT current_user::text AS role, current_database()::text AS database, current_schema()::text AS schema',
  });
  // Its columns are those of the statement.
  return rows[0] as unknown as Identity;
}
