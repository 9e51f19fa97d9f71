// Roles of BI tools, on a standby, by psql, pg and ODBC. It starts servers of its own, by their programs.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { biViews } from '../src/bi/views.ts';
import { openDatabase } from '../src/database/index.ts';
import { api } from '../src/schema/index.ts';
import type { Client, Row } from './support/client.ts';
import { CommandLine } from './support/command-line.ts';
import { PostgresServer, programs } from './support/postgresql.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

const run = promisify(execFile);
const hasOdbc = () => {
  try {
    return execFileSync('odbcinst', ['-q', '-d'], { encoding: 'utf8' }).includes('[PostgreSQL Unicode]');
  } catch {
    return false;
  }
};

// It runs once: with the tests of PostgreSQL.
const onServers = process.env.TEST_DATABASE_URL && programs ? describe : describe.skip;

test('views have those columns and rows alone that every member may read', () => {
  const views = new Map(biViews(api).map((view) => [view.name, view]));
  expect(views.size).toBe(api.resources.length);
  const columnsOf = (name: string) => views.get(name)?.columns.map((column) => column.name);
  expect(columnsOf('training_questions')).not.toContain('correct_answer');
  expect(columnsOf('training_questions')).toContain('question_text');
  expect(columnsOf('expected_packages')).not.toContain('token_hash');
  expect(views.get('leases')).toMatchObject({
    scope: 'leases',
    columns: expect.arrayContaining([
      expect.objectContaining({ name: 'id', type: 'uuid' }),
      expect.objectContaining({ name: 'monthly_payment', type: 'numeric' }),
      expect.objectContaining({ name: 'lease_type', type: 'text' }),
      expect.objectContaining({ name: 'start_date', type: 'date' }),
      expect.objectContaining({ name: 'created_at', type: 'timestamptz' }),
    ]),
  });
  const lastOf = (name: string) => views.get(name)?.statements[0]?.split(' AND ').at(-1);
  expect(lastOf('service_request_comments')).toContain('"service_request_id" IS NOT NULL');
  expect(lastOf('move_request_comments')).toContain('"move_request_id" IS NOT NULL');
  // Nobody has the first id.
  expect(lastOf('notes')).toMatch(
    /"user_id" = '00000000-0000-0000-0000-000000000000'\)* OR \(*source\."is_shared" = true/,
  );
});

onServers('a role of a BI tool', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let service: Service;
  let commands: CommandLine;
  let acme: Tenant;
  let other: Tenant;
  let clients: readonly [Client, Client];
  const passwords = new Map<string, string>();

  const sql = (statement: string) => primary.sql(statement, 'premises');
  const urlOf = (role: string, server = standby) => {
    const url = new URL(server.url('premises'));
    [url.username, url.password] = [role, passwords.get(role) ?? ''];
    return url.href;
  };
  /** Runs SQL as a role. @returns the rows, or the code of the error */
  const runAs = (role: string, statement: string, server = standby): Promise<unknown> =>
    PostgresServer.run(urlOf(role, server), statement).catch((error: { code?: string }) => error.code);
  const create = async (name: string, scopes: string, ...more: string[]) => {
    const printed = await commands.run(
      ...['bi', 'create', '--company', 'acme', '--name', name, '--scopes', scopes],
      ...more,
    );
    expect([printed.err, printed.code]).toEqual(['', 0]);
    const role = `bi_acme_${name}`;
    passwords.set(role, (await readFile(printed.last, 'utf8')).trim());
    await arrive();
    return { role, ...printed };
  };
  /** Waits until the standby has all that was written. */
  const arrive = async () => {
    const [{ lsn } = {}] = await primary.sql('SELECT pg_current_wal_lsn()::text AS lsn');
    for (;;) {
      const [row] = await standby.sql(`SELECT pg_last_wal_replay_lsn() >= '${String(lsn)}'::pg_lsn AS is_there`);
      if (row?.['is_there'] === true) return;
      await sleep(50);
    }
  };
  const prependRule = async (server: PostgresServer, rule: string) => {
    const file = join(server.folder, 'data', 'pg_hba.conf');
    await writeFile(file, `${rule}\n${await readFile(file, 'utf8')}`);
    await server.sql('SELECT pg_reload_conf()');
    await sleep(500);
  };

  beforeAll(async () => {
    primary = await PostgresServer.start();
    await primary.sql('CREATE DATABASE premises');
    const migration = join(import.meta.dirname, 'support', 'migrate.ts');
    await run(process.execPath, ['--import', 'tsx', migration, primary.url('premises')]);
    standby = await primary.startFollower();
    service = await startService({}, (options) =>
      openDatabase({ databaseUrl: primary.url('premises'), dataDir: '' }, { ...options, poolSize: 10 }),
    );
    [acme, other] = [await service.tenant('acme'), await service.tenant('other')];
    clients = [await acme.client(), await other.client()];
    for (const [n, client] of clients.entries()) {
      const lease = { name: `Lease ${n}`, lease_type: 'property', start_date: '2026-01-01', end_date: '2030-12-31' };
      expect((await client.post('/leases', { ...lease, monthly_payment: 1234.5 })).status).toBe(201);
      await client.post('/vendors', { company_name: `Vendor ${n}` });
      await client.post('/notes', { title: `Private ${n}` });
      await client.post('/notes', { title: `Shared ${n}`, is_shared: true });
      const { row } = await client.post('/service-requests', { title: `Request ${n}` });
      await client.post(`/service-requests/${String(row['id'])}/comments`, { comment: `Comment ${n}` });
    }
    commands = (await CommandLine.create()).with({
      DATABASE_URL: primary.url('premises'),
      BI_DATABASE_URL: standby.url('premises'),
    });
    // Of the standby alone: the primary trusts everybody on loopback.
    await prependRule(standby, 'host all +premises_bi all scram-sha-256');
  });
  afterAll(async () => {
    // The beginning of the tests may have failed.
    await commands?.remove();
    await service?.close();
    for (const server of [standby, primary]) await server?.remove();
  });

  test('needs PostgreSQL, and a standby', async () => {
    const args = ['bi', 'create', '--company', 'acme', '--name', 'x', '--scopes', '*:read'];
    const embedded = await commands.with({ DATA_DIR: 'memory://' }).run(...args);
    expect([embedded.code, embedded.err]).toEqual([1, expect.stringContaining('BI tools need PostgreSQL')]);
    const without = await commands.with({ DATABASE_URL: primary.url('premises') }).run(...args);
    expect([without.code, without.err]).toEqual([
      1,
      expect.stringContaining('BI_DATABASE_URL must lead to the standby'),
    ]);
    const writing = { DATABASE_URL: primary.url('premises'), BI_DATABASE_URL: primary.url('premises') };
    const refused = await commands.with(writing).run(...args);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('leads to a server that writes')]);
    expect(await sql(`SELECT FROM pg_roles WHERE rolname LIKE 'bi\\_%'`)).toEqual([]);
  });

  test('reads its company, by psql, pg and ODBC', async () => {
    const { role, out } = await create('reports', '*:read');
    // The primary of this test lets everybody in.
    expect(out).toContain(`Warning: the server that writes lets ${role} in too.`);
    const query = 'SELECT name, lease_type, start_date, monthly_payment FROM leases';
    const { stdout } = await run('psql', [urlOf(role), '-X', '-A', '-t', '-c', query]);
    expect(stdout).toBe('Lease 0|property|2026-01-01|1234.5000\n');
    expect(await runAs(role, 'SELECT company_name FROM vendors')).toEqual([{ company_name: 'Vendor 0' }]);
    expect(await runAs(role, 'SELECT title FROM notes')).toEqual([{ title: 'Shared 0' }]);
    expect(await runAs(role, 'SELECT comment FROM service_request_comments')).toEqual([{ comment: 'Comment 0' }]);
    expect(await runAs(role, 'SELECT comment FROM move_request_comments')).toEqual([]);
    expect(await runAs(role, 'SELECT slug FROM companies')).toEqual([{ slug: 'acme' }]);
    if (!hasOdbc()) return;
    const { hostname, port } = new URL(standby.url('premises'));
    const source = `DRIVER={PostgreSQL Unicode};Servername=${hostname};Port=${port};Database=premises`;
    const isql = spawn('isql', ['-k', `${source};UID=${role};PWD=${passwords.get(role)};`, '-b', '-d|']);
    isql.stdin.end(`${query}\n`);
    expect(await text(isql.stdout)).toContain('Lease 0|property|2026-01-01|1234.5000');
  });

  test('sees no row of another company in any view, nor another number than there is', async () => {
    const role = 'bi_acme_reports';
    for (const { name, columns } of biViews(api)) {
      const rows = await runAs(role, `SELECT * FROM ${name}`);
      if (!Array.isArray(rows)) throw new Error(`${name}: ${String(rows)}`);
      const { model } = api.resources.find((each) => biViews({ ...api, resources: [each] })[0]?.name === name) ?? {};
      if (model === undefined) continue;
      const { table } = api.storage.models(model);
      const key = table === 'companies' ? 'id' : 'company_id';
      const [row] = await sql(`SELECT count(*)::int AS all FROM ${table} WHERE ${key} = '${acme.company.id}'`);
      if (name !== 'notes') expect([name, rows.length]).toEqual([name, row?.['all']]);
      for (const each of rows as Row[]) expect(Object.keys(each)).toEqual(columns.map((column) => column.name));
    }
    const all = JSON.stringify(await runAs(role, 'SELECT * FROM users'));
    for (const { id } of other.users) expect(all).not.toContain(id);
  });

  test('reads no more than its scopes, and writes nothing', async () => {
    const { role } = await create('leases', 'leases:read', '--connections', '1');
    expect(await runAs(role, 'SELECT name FROM leases')).toEqual([{ name: 'Lease 0' }]);
    const [denied, readOnly, notOnStandby] = ['42501', '25006', '0A000'];
    for (const statement of [
      'SELECT FROM bi.vendors',
      'SELECT FROM bi.users',
      'SELECT FROM bi.roles',
      'SELECT FROM public.leases',
      'SELECT FROM public.people',
      'SELECT FROM public.api_tokens',
      'SET SESSION AUTHORIZATION premises; SELECT FROM public.leases',
      'SET SESSION AUTHORIZATION bi_acme_reports; SELECT FROM vendors',
      'SET ROLE bi_acme_reports; SELECT FROM vendors',
    ])
      expect([statement, await runAs(role, statement)]).toEqual([statement, denied]);
    for (const statement of [
      "UPDATE bi.leases SET name = 'x'",
      'SET default_transaction_read_only = off; CREATE TEMP TABLE x ()',
      'SET default_transaction_read_only = off; DELETE FROM bi.leases',
      'BEGIN READ WRITE',
    ])
      expect([denied, readOnly, notOnStandby]).toContain(await runAs(role, statement));
    expect(await runAs(role, "SELECT bi.company_of('vendors') AS id")).toEqual([{ id: null }]);

    const client = new pg.Client({ connectionString: urlOf(role) });
    await client.connect();
    expect(await runAs(role, 'SELECT')).toBe('53300');
    await client.end();
    expect(
      await PostgresServer.run(urlOf(role).replace(/:[^:@]+@/, ':wrong@'), 'SELECT').catch(
        (error: { code?: string }) => error.code,
      ),
    ).toBe('28P01');
  });

  test('reads nothing on the server that writes, which can refuse it', async () => {
    expect(await runAs('bi_acme_reports', 'SELECT FROM leases', primary)).toEqual([]);
    await prependRule(primary, 'host all +premises_bi all reject');
    expect(await runAs('bi_acme_reports', 'SELECT', primary)).toBe('28000');
    const { out } = await create('later', 'leases:read');
    expect(out).not.toContain('Warning');
  });

  test('keeps its views through an upgrade, also one whose migration fails', async () => {
    const last = `migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`;
    await sql(`UPDATE _prisma_migrations SET finished_at = NULL WHERE ${last}`);
    // As a migration could not, where the views were still there.
    await sql('DROP VIEW bi.leases');
    expect((await commands.run('migrate')).code).toBe(1);
    await sql(`UPDATE _prisma_migrations SET finished_at = now() WHERE ${last}`);
    await arrive();
    expect(await runAs('bi_acme_leases', 'SELECT name FROM leases')).toEqual([{ name: 'Lease 0' }]);
    expect(await runAs('bi_acme_leases', 'SELECT company_name FROM vendors')).toBe('42501');
  });

  test('keeps its views when they are made anew, is listed, and reads nothing once it is revoked', async () => {
    expect((await commands.run('bi', 'refresh')).out).toBe(`Made ${api.resources.length} views.\n`);
    await arrive();
    expect(await runAs('bi_acme_leases', 'SELECT name FROM leases')).toEqual([{ name: 'Lease 0' }]);
    const { out } = await commands.run('bi', 'list');
    expect(out.split('\n').map((line) => line.split('\t').slice(0, 4))).toEqual([
      ['bi_acme_later', 'acme', '3', 'leases'],
      ['bi_acme_leases', 'acme', '1', 'leases'],
      ['bi_acme_reports', 'acme', '3', expect.stringContaining('vendors')],
      [''],
    ]);
    const client = new pg.Client({ connectionString: urlOf('bi_acme_reports') });
    client.on('error', () => {});
    await client.connect();
    expect((await client.query('SELECT FROM leases')).rowCount).toBe(1);
    expect((await commands.run('bi', 'revoke', 'bi_acme_reports')).out).toBe('Revoked role bi_acme_reports.\n');
    await arrive();
    const after = await client.query('SELECT FROM bi.leases').catch((error: { code?: string }) => error.code);
    expect(typeof after === 'object' ? after.rowCount : after).not.toBe(1);
    await client.end();
    // There is no such role.
    expect(await runAs('bi_acme_reports', 'SELECT')).toBe('28000');
    expect((await commands.run('bi', 'revoke', 'premises')).err).toContain('there is no BI role premises');
  });

  test('reads nothing of a company that was deleted, and can still be revoked', async () => {
    await sql(`DELETE FROM bi.roles WHERE role = 'bi_acme_later'`);
    await arrive();
    expect(await runAs('bi_acme_later', 'SELECT FROM leases')).toEqual([]);
    expect((await commands.run('bi', 'revoke', 'bi_acme_later')).code).toBe(0);
  });
});
