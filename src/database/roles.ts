import pg from 'pg';
import type { Database } from './database.ts';
import { migrationLock } from './migrate.ts';

/** The tables of the log of changes and the security log, to which only the database's own functions write. */
export const logTables: readonly string[] = [
  'changes',
  'change_horizons',
  'change_logs',
  'company_deletions',
  'security_events',
];

/** What the role that serves may do with the rows of most tables. It may do nothing else with tables. */
const rowPrivileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** Where it may do less. A company is deleted by a function, as its logs are deleted with it. */
const lesserPrivileges: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['_prisma_migrations', ...logTables].map((table) => [table, ['SELECT']])),
  companies: ['SELECT', 'INSERT', 'UPDATE'],
};

/** Everything that may be granted on a table, in all versions of PostgreSQL that the service runs on. */
const tablePrivileges = [...rowPrivileges, 'TRUNCATE', 'REFERENCES', 'TRIGGER'];

/**
 * Whether the current role has other rights than it should, as after an upgrade made by another role, or a restore. The
 * role that migrates, and one that may act as it, are not asked.
 */
export async function hasOtherRights(database: Database): Promise<boolean> {
  const { rows } = await database.query({
    text: `
      WITH migrating AS (SELECT relowner AS owner FROM pg_class WHERE oid = to_regclass('_prisma_migrations')),
      granted AS (SELECT key AS name, value AS privileges FROM jsonb_each($1))
      SELECT NOT pg_has_role(owner, 'USAGE') AND (
        EXISTS (
          SELECT FROM pg_class LEFT JOIN granted ON name = relname, unnest($2::text[]) AS privilege
          WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relowner = owner
            AND coalesce(privileges, to_jsonb($3::text[])) ? privilege <> CASE
              -- Also of some of its columns.
              WHEN name IS NOT NULL AND privilege IN ('INSERT', 'UPDATE', 'REFERENCES')
                THEN has_any_column_privilege(pg_class.oid, privilege)
              ELSE has_table_privilege(pg_class.oid, privilege) END
        ) OR EXISTS (
          SELECT FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proowner = owner AND prosecdef
            AND has_function_privilege(oid, 'EXECUTE') <> (prorettype <> 'trigger'::regtype)
        ) OR has_schema_privilege(current_schema(), 'CREATE')
      ) AS differs
      FROM migrating`,
    values: [JSON.stringify(lesserPrivileges), tablePrivileges, rowPrivileges],
  });
  return rows[0]?.['differs'] === true;
}

/** @throws Error when the role that serves has rights that the role that migrates cannot revoke */
export async function assertNoOtherRights(serving: Database, { role }: Grantee): Promise<void> {
  if (await hasOtherRights(serving))
    throw new Error(
      `The role ${role} of DATABASE_URL has other rights than it should, through another role, PUBLIC or the schema: as an administrator, take the steps of "Two database roles" in docs/operations.md.`,
    );
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
 * Lets the role that serves read and write the rows of all tables, also of those that are created later, but only read
 * the logs. It may call the functions that write to them, and gets no right to create, alter, empty or drop anything.
 * Other rights that it had are revoked.
 */
export async function grantAccess(owner: Database, grantee: Grantee): Promise<void> {
  const [schema, role] = [pg.escapeIdentifier(grantee.schema), pg.escapeIdentifier(grantee.role)];
  const rows = rowPrivileges.join(', ');
  const lesser = Object.entries(lesserPrivileges).map(
    ([table, privileges]) =>
      `REVOKE ALL ON ${schema}.${table} FROM ${role}, PUBLIC;
       GRANT ${privileges.join(', ')} ON ${schema}.${table} TO ${role};`,
  );
  await owner.inOneTransaction(({ execute }) =>
    // Under a lock, as two processes that grant at once would fail.
    execute(`
      SELECT pg_advisory_xact_lock(${migrationLock});
      REVOKE CREATE ON SCHEMA ${schema} FROM ${role}, PUBLIC;
      GRANT USAGE ON SCHEMA ${schema} TO ${role};
      REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${role};
      GRANT ${rows} ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      ${lesser.join('\n')}
      REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${schema} FROM ${role};
      GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
      REVOKE ALL ON SEQUENCE ${schema}.changes_seq_seq FROM ${role}, PUBLIC;
      DO $$ DECLARE
        called regprocedure;
        is_trigger boolean;
      BEGIN
        FOR called, is_trigger IN SELECT oid, prorettype = 'trigger'::regtype FROM pg_proc
          WHERE pronamespace = ${pg.escapeLiteral(grantee.schema)}::regnamespace AND proowner = current_user::regrole
            AND prosecdef
        LOOP
          EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %I, PUBLIC', called, ${pg.escapeLiteral(grantee.role)});
          -- Triggers run without it, and with it could be added to other tables.
          CONTINUE WHEN is_trigger;
          EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', called, ${pg.escapeLiteral(grantee.role)});
        END LOOP;
      END $$;
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
