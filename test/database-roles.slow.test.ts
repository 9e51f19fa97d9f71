import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createCompany, createUser } from '../src/auth/accounts.ts';
import { deleteCompany } from '../src/auth/company-deletion.ts';
import { deactivate, erase } from '../src/auth/members.ts';
import { commandLine, recordSecurityEvent } from '../src/auth/security-log.ts';
import { openDatabase } from '../src/database/index.ts';
import { tenantClient } from '../src/database/tenant.ts';
import { beginGeneration } from '../src/events/generation.ts';
import { logOccurrences } from '../src/events/occurrences.ts';
import { deleteOldChanges } from '../src/events/retention.ts';
import { occurrences } from '../src/schema/changes/occurrences.ts';
import type { Row } from './support/client.ts';
import { testDatabaseUrl, withoutTables } from './support/database.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { onServer } from './support/template.ts';

const onPostgresql = process.env.TEST_DATABASE_URL ? describe : describe.skip;

// The tests follow one database, in order.
onPostgresql('a service with two database roles', () => {
  const suffix = randomUUID().slice(0, 8);
  const [owner, serving] = [`owner_${suffix}`, `serving_${suffix}`];
  const password = randomUUID();
  let address: string;
  let drop: () => Promise<unknown>;
  let service: ServiceProcess;
  let env: Record<string, string>;

  const urlAs = (role: string) => {
    const url = new URL(address);
    [url.username, url.password] = [role, password];
    return url.href;
  };
  /** Runs SQL as a role. @returns the code of its error, or its rows */
  const runAs = (role: string, sql: string) =>
    onServer(sql, urlAs(role)).then(
      ({ rows }) => rows as Row[],
      ({ code }: { code?: string }) => code,
    );
  /** Applies the steps of docs/operations.md, and starts the service. */
  beforeAll(async () => {
    ({ url: address, drop } = await testDatabaseUrl(withoutTables));
    const database = new URL(address).pathname.slice(1);
    for (const role of [owner, serving]) await onServer(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    await onServer(`ALTER DATABASE "${database}" OWNER TO ${owner}`);
    await onServer(`REVOKE ALL ON DATABASE "${database}" FROM PUBLIC`);
    await onServer(`GRANT CONNECT ON DATABASE "${database}" TO ${serving}`);
    env = { DATABASE_URL: urlAs(serving), MIGRATION_DATABASE_URL: urlAs(owner) };
    service = await (await ServiceProcess.start(env)).ready({ greeting: true });
  });
  afterAll(async () => {
    await killAll();
    await drop();
    for (const role of [owner, serving]) await onServer(`DROP ROLE ${role}`);
  });

  test('runs as the role that owns no tables', async () => {
    const sessions = await onServer(
      `SELECT DISTINCT usename::text FROM pg_stat_activity WHERE application_name = 'premises' AND datname = current_database()`,
      address,
    );
    expect(sessions.rows).toEqual([{ usename: serving }]);
    const owned = await runAs(serving, `SELECT relname FROM pg_class WHERE pg_has_role(relowner, 'USAGE')`);
    expect(owned).toEqual([]);
    expect(
      await runAs(owner, 'SELECT count(*) > 50 AS many FROM pg_class WHERE relowner = current_user::regrole'),
    ).toEqual([{ many: true }]);
  });

  test('reads, writes, deletes and logs changes', async () => {
    const client = service.client();
    expect((await client.at('').get('/readyz')).status).toBe(200);
    const { id } = (await client.post('/paints', { name: 'Moss' })).row;
    const item = `/paints/${String(id)}`;
    expect((await client.patch(item, { name: 'Quillwort' })).row).toMatchObject({ name: 'Quillwort' });
    expect((await client.get('/paints', { search: 'Quillwort' })).rows).toHaveLength(1);
    expect((await client.delete(item)).status).toBe(204);
    const changes = (await runAs(
      serving,
      `SELECT action::text, actor ->> 'kind' AS kind FROM changes WHERE row_id = '${String(id)}' ORDER BY seq`,
    )) as Row[];
    expect(changes).toEqual(['create', 'update', 'delete'].map((action) => ({ action, kind: 'token' })));
  });

  test.each([
    'CREATE TABLE intruder (id int)',
    'CREATE TEMPORARY TABLE intruder (id int)',
    'CREATE FUNCTION intruder() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE OR REPLACE FUNCTION log_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'CREATE SCHEMA intruder',
    'ALTER TABLE paints ADD COLUMN intruder int',
    'ALTER TABLE paints DISABLE TRIGGER ALL',
    'DROP TABLE paints',
    'DROP TRIGGER log_inserts ON paints',
    'TRUNCATE paints',
    'CREATE INDEX intruder ON paints (name)',
    "INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', '1', '1')",
    'DELETE FROM _prisma_migrations',
    `SET ROLE ${owner}`,
    "SET session_replication_role = 'replica'",
  ])('%s is refused', async (sql) => {
    // Insufficient privilege.
    expect(await runAs(serving, sql)).toBe('42501');
  });

  const logs = ['changes', 'change_horizons', 'change_logs', 'company_deletions', 'security_events'];

  test.each(logs)('%s is only read', async (table) => {
    expect(await runAs(serving, `SELECT count(*) >= 0 AS reads FROM ${table}`)).toEqual([{ reads: true }]);
    const columns = (await runAs(
      owner,
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0`,
    )) as { name: string }[];
    for (const sql of [
      `INSERT INTO ${table} DEFAULT VALUES`,
      `INSERT INTO ${table} SELECT * FROM ${table}`,
      ...columns.map(({ name }) => `UPDATE ${table} SET ${name} = NULL`),
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
      `TRUNCATE ${table} CASCADE`,
      `COPY ${table} FROM STDIN`,
      `MERGE INTO ${table} USING (SELECT 1) AS one ON false WHEN NOT MATCHED THEN INSERT DEFAULT VALUES`,
      `SELECT * FROM ${table} FOR UPDATE`,
      `BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`,
      `ALTER TABLE ${table} ADD COLUMN intruder int`,
      `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
      `ALTER TABLE ${table} OWNER TO ${serving}`,
      `CREATE TRIGGER intruder AFTER INSERT ON ${table} EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
      `CREATE RULE intruder AS ON INSERT TO ${table} DO INSTEAD NOTHING`,
      `DROP TABLE ${table}`,
    ])
      expect([sql, await runAs(serving, sql)]).toEqual([sql, '42501']);
  });

  test('functions run as their owner with a fixed search path, for the role that serves alone', async () => {
    const functions = (await runAs(
      serving,
      `SELECT proname AS name, proconfig[1] AS path, prorettype = 'trigger'::regtype AS "isTrigger",
              has_function_privilege(oid, 'EXECUTE') AS "isGranted",
              (SELECT count(*) FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0) AS public
       FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef ORDER BY proname`,
    )) as Row[];
    expect(functions.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['log_changes', 'erase_user', 'record_security_event', 'delete_old_changes']),
    );
    for (const called of functions)
      expect(called).toMatchObject({
        path: 'search_path=public, pg_temp',
        isGranted: !called['isTrigger'],
        public: '0',
      });
    // No other function writes to a log, but for that of the embedded database.
    const written = (await runAs(
      owner,
      `SELECT proname AS name FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND NOT prosecdef AND oid <> 'begin_change_log(text)'::regprocedure
        AND prosrc ~ '(INSERT INTO|UPDATE|DELETE FROM) (${logs.join('|')})\\M'`,
    )) as Row[];
    expect(written).toEqual([]);
  });

  const ofDemo = "(SELECT id FROM companies WHERE slug = 'demo')";
  const rename = "UPDATE paints SET name = 'Renamed'";
  test.each([
    ['a setting that switched the log off', `SET premises.changes = 'off'; ${rename}`],
    ['other settings', `SET premises.own_periods = 'on'; SET premises.erasing = 'on'; ${rename}`],
    ['a search path', `SET search_path = pg_temp, public; ${rename}`],
    ['a deletion of its company that begins', `BEGIN; SELECT begin_company_deletion(${ofDemo}); ${rename}`],
  ])('a change is logged in spite of %s', async (_what, sql) => {
    const client = new pg.Client({ connectionString: urlAs(serving) });
    await client.connect();
    const id = randomUUID();
    await client.query(`INSERT INTO paints (company_id, id, name) VALUES (${ofDemo}, '${id}', 'New')`);
    await client.query(`${sql} WHERE name = 'New'`);
    const { rows } =
      await client.query(`SELECT 1 FROM public.changes WHERE table_name = 'paints' AND after ->> 'name' = 'Renamed'
      AND xid = (SELECT max(xid) FROM public.changes)`);
    expect(rows).toHaveLength(1);
    await client.query('ROLLBACK');
    await client.query(`DELETE FROM public.paints WHERE name = 'Renamed'`);
    await client.end();
  });

  test.each([
    "UPDATE paints SET name = 'Moved', id = gen_random_uuid()",
    "UPDATE paints SET name = 'Moved', company_id = (SELECT id FROM companies WHERE slug = 'demo-sandbox')",
    'UPDATE companies SET id = gen_random_uuid()',
  ])('a row cannot be hidden from the log by another key: %s', async (sql) => {
    await expect(onServer(sql, urlAs(serving))).rejects.toThrow(/the key of a row of \w+ cannot change/);
  });

  test('functions that write to the logs refuse what they are not for', async () => {
    const user = `(SELECT id FROM users WHERE company_id = ${ofDemo} AND deactivated_at IS NULL LIMIT 1)`;
    for (const [call, message] of [
      [`delete_old_changes(${ofDemo}, 0, 1000)`, /at least a day/],
      [`delete_old_changes(${ofDemo}, -1, 1000)`, /at least a day/],
      [`delete_old_changes(${ofDemo}, NULL, 1000)`, /at least a day/],
      [`erase_user(${ofDemo}, ${user}, NULL, NULL, NULL)`, /deactivated/],
      [`erase_user(gen_random_uuid(), ${user}, NULL, NULL, NULL)`, /deactivated/],
      [`end_company_deletion(${ofDemo}, '{}', NULL, NULL, NULL)`, /has not begun/],
      ["begin_company_deletion((SELECT id FROM companies WHERE slug = 'demo-sandbox'))", /no such company/],
      [`begin_company_deletion(${ofDemo})`, /must be deleted by the transaction/],
      [`log_occurrences('paints', 'update', '{}', '{}')`, /triggers log/],
      [`log_occurrences('api_tokens', 'due', '{}', '{}')`, /no occurrences/],
      [`log_occurrences('expected_packages', 'due', '{}', '{}')`, /no occurrences/],
    ] as const)
      await expect(onServer(`SELECT ${call}`, urlAs(serving))).rejects.toThrow(message);
    expect(await runAs(serving, `SELECT delete_company_changes(${ofDemo}, 1000) AS count`)).toEqual([{ count: 0 }]);
    await expect(
      onServer(`BEGIN; SELECT begin_company_deletion(${ofDemo}); DELETE FROM paints; COMMIT`, urlAs(serving)),
    ).rejects.toThrow(/must be deleted by the transaction/);
    expect(await runAs(serving, 'DELETE FROM companies')).toBe('42501');
  });

  test('what writes to the logs works', async () => {
    const database = await openDatabase({ databaseUrl: urlAs(serving), dataDir: '' });
    const { prisma } = database;
    const { id } = await createCompany(prisma, { slug: 'gone', name: 'Gone' });
    const user = { companyId: id, email: 'zoe@gone.test', fullName: 'Zoe', role: 'MEMBER' } as const;
    const member = { companyId: id, userId: (await createUser(prisma, user)).id };
    await recordSecurityEvent(prisma, { action: 'company_created', actor: commandLine, companyId: id });
    const tenant = tenantClient({ prisma, writer: database.writerOf() }, id);
    await tenant.reminder.create({ data: { title: 'Due', dueDate: new Date(0) } });
    expect(await logOccurrences(prisma, occurrences)).toBeGreaterThan(0);
    expect(await beginGeneration(database)).toBe(false);
    await runAs(owner, "UPDATE change_logs SET identity = 'another server'");
    expect(await beginGeneration(database)).toBe(true);
    await deactivate(prisma, member, commandLine);
    await erase(prisma, member, commandLine);
    const images = (await runAs(
      serving,
      `SELECT after ->> 'full_name' AS name FROM changes WHERE row_id = '${member.userId}'`,
    )) as Row[];
    expect(new Set(images.map(({ name }) => name))).toEqual(new Set(['Erased user']));
    await runAs(owner, `UPDATE changes SET at = now() - interval '3 days' WHERE company_id = '${id}'`);
    expect(await deleteOldChanges(prisma, id, 1)).toBe(false);
    expect(await prisma.change.count({ where: { companyId: id } })).toBe(0);
    expect(await prisma.changeHorizon.count({ where: { companyId: id } })).toBe(1);
    expect(await prisma.securityEvent.count({ where: { companyId: id } })).toBe(3);
    await deleteCompany(database, id, commandLine);
    expect(await prisma.securityEvent.count({ where: { companyId: id } })).toBe(0);
    expect(await prisma.securityEvent.count({ where: { action: 'company_deleted' } })).toBe(1);
    await database.close();
  });

  test('a start grants what the role lacks, as after a restore', async () => {
    await service.stop();
    await onServer(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${serving}`, address);
    expect(await runAs(serving, 'SELECT 1 FROM paints')).toBe('42501');
    service = await (await ServiceProcess.start(env)).ready();
    expect(await runAs(serving, 'SELECT count(*) >= 0 AS reads FROM paints')).toEqual([{ reads: true }]);
    // Tables that are created later, too.
    await onServer(`CREATE TABLE later (id bigserial)`, urlAs(owner));
    expect(await runAs(serving, 'INSERT INTO later DEFAULT VALUES RETURNING id')).toEqual([{ id: '1' }]);
    await onServer('DROP TABLE later', urlAs(owner));
  });

  test.each([
    `GRANT ALL ON ALL TABLES IN SCHEMA public TO serving`,
    `GRANT UPDATE (details) ON security_events TO serving`,
    `GRANT INSERT ON changes TO PUBLIC`,
    `GRANT TRIGGER ON paints TO serving`,
    `GRANT EXECUTE ON FUNCTION log_changes() TO PUBLIC`,
    `REVOKE EXECUTE ON FUNCTION erase_user FROM serving`,
    `GRANT CREATE ON SCHEMA public TO PUBLIC`,
  ])('a start revokes what it has too much, as before the logs were protected: %s', async (sql) => {
    await service.stop();
    const rights = async () =>
      (await runAs(
        serving,
        `SELECT relname, array_agg(privilege ORDER BY privilege) FROM pg_class, unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS privilege
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND has_table_privilege(oid, privilege) GROUP BY 1
         UNION ALL SELECT relname, array_agg(attname::text ORDER BY attnum) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND has_column_privilege(pg_class.oid, attnum, 'UPDATE') GROUP BY 1
         UNION ALL SELECT proname, NULL FROM pg_proc
         WHERE pronamespace = 'public'::regnamespace AND prosecdef AND has_function_privilege(oid, 'EXECUTE')
         UNION ALL SELECT 'schema', NULL WHERE has_schema_privilege('public', 'CREATE') ORDER BY 1, 2`,
      )) as Row[];
    const before = await rights();
    await onServer(sql.replace('serving', serving), address);
    expect(await rights()).not.toEqual(before);
    service = await (await ServiceProcess.start(env)).ready();
    expect(await rights()).toEqual(before);
  });

  test('URLs of two different databases are refused', async () => {
    const other = await testDatabaseUrl(withoutTables);
    const refused = await ServiceProcess.start({
      ...env,
      MIGRATION_DATABASE_URL: other.url,
      DATABASE_URL: urlAs(serving),
    });
    // Migrated already, it does not look at the other database.
    await refused.ready();
    await refused.stop();
    await onServer(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${serving}`, address);
    const failed = await ServiceProcess.start({ ...env, MIGRATION_DATABASE_URL: other.url });
    expect(await failed.ended).toBe(1);
    expect(failed.stderr).toContain('must lead to the same database and schema');
    expect(await onServer('SELECT relname FROM pg_class WHERE relname = $$paints$$', other.url)).toMatchObject({
      rows: [],
    });
    await other.drop();
  });
});
