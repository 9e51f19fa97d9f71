import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createCompany } from '../src/auth/accounts.ts';
import { deleteCompany } from '../src/auth/company-deletion.ts';
import { commandLine, recordSecurityEvent } from '../src/auth/security-log.ts';
import { openDatabase } from '../src/database/index.ts';
import type { Row } from './support/client.ts';
import { testDatabaseUrl } from './support/database.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { onServer } from './support/template.ts';

jest.setTimeout(180_000);

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
    ({ url: address, drop } = await testDatabaseUrl());
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

  test('security events cannot be changed or deleted', async () => {
    // Raised by their trigger.
    expect(await runAs(serving, "INSERT INTO security_events (id, action) VALUES (gen_random_uuid(), 'x')")).toEqual(
      [],
    );
    expect(await runAs(serving, 'DELETE FROM security_events')).toBe('P0001');
  });

  test('a company can be deleted', async () => {
    const database = await openDatabase({ databaseUrl: urlAs(serving), dataDir: '' });
    const { id } = await createCompany(database.prisma, { slug: 'gone', name: 'Gone' });
    await recordSecurityEvent(database.prisma, { action: 'company_created', actor: commandLine, companyId: id });
    await deleteCompany(database, id, commandLine);
    expect(await database.prisma.securityEvent.count({ where: { companyId: id } })).toBe(0);
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

  test('URLs of two different databases are refused', async () => {
    const other = await testDatabaseUrl();
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
