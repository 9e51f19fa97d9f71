import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import pg from 'pg';
import { allows, parseScopes } from '../auth/scopes.ts';
import { listRoles, refreshViews } from '../bi/refresh.ts';
import { biGroup, biSchema, biViews, grantsOf } from '../bi/views.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../database/index.ts';
import type { Api } from '../resource/index.ts';
import {
  asOptionParser,
  asOwner,
  companyOption,
  findCompany,
  parseCount,
  print,
  printSecret,
  withDatabase,
} from './common.ts';

/** How many connections a role has by default, and how many it may have. */
const defaultConnections = 3;
const maxConnections = 50;

/** How long (ms) a new role may take to arrive at the standby. */
const arrivalMs = 30_000;

/** The settings of a role. It can change them, which is harmless on a standby: the server cancels what holds it up. */
const settings = {
  search_path: biSchema,
  default_transaction_read_only: 'on',
  statement_timeout: '5min',
  idle_in_transaction_session_timeout: '1min',
};

interface CreateOptions {
  readonly company: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly connections: number;
}

type Client = Database['prisma'];

/** Adds the commands on roles of BI tools. */
export function addBiCommands(program: Command, api: Pick<Api, 'resources' | 'storage'>): void {
  const bi = program
    .command('bi')
    .description('roles of BI tools, which read views of one company on a PostgreSQL standby; see docs/bi.md');
  /** Runs a command as the role that owns the tables. */
  const onServer = (work: (prisma: Client, owner: Database) => Promise<void>) => {
    if (readConfig().databaseUrl === undefined)
      program.error(
        'error: BI tools need PostgreSQL with a standby: the embedded database has neither roles nor standbys; see docs/bi.md',
      );
    return withDatabase(program, (_prisma, { database }) => asOwner(database, (owner) => work(owner.prisma, owner)));
  };

  bi.command('create')
    .description(
      'create a role of a company, and all views anew; its password is printed as that of a token. BI_DATABASE_URL must ' +
        'lead to the standby',
    )
    .addOption(companyOption().makeOptionMandatory())
    .requiredOption('--name <name>', 'name of the role: lower-case letters, digits and _', parseName)
    .requiredOption('--scopes <list>', 'what it reads, for example leases:read, or *:read', asOptionParser(parseScopes))
    .option('--connections <number>', `connections at once (default: ${defaultConnections})`, parseCount)
    .action(({ connections = defaultConnections, ...options }: CreateOptions) =>
      onServer((prisma, owner) => createRole(prisma, owner, { ...options, connections }, api)),
    );

  bi.command('list')
    .description('list the roles: name, company, connections, scopes and time of creation')
    .action(() =>
      onServer(async (prisma) => {
        for (const { role, slug, limit, scopes, createdAt } of await listRoles(prisma))
          print([role, slug, limit, scopes.join(','), createdAt.toISOString()].join('\t'));
      }),
    );

  bi.command('revoke')
    .description('delete a role, which reads nothing from then on')
    .argument('<role>', 'its name, as printed by create and list')
    .action((role: string) => onServer((prisma, owner) => revokeRole(prisma, owner, role)));

  bi.command('refresh')
    .description('make all views anew, as after an upgrade of the service; the roles stay')
    .action(() =>
      onServer(async (prisma, owner) => {
        await owner.transaction(() => refreshViews(prisma, api));
        print(`Made ${biViews(api).length} views.`);
      }),
    );
}

const parseName = asOptionParser((text: string): string => {
  if (!/^[a-z][a-z0-9_]{0,19}$/.test(text))
    throw new Error('It must be 1 to 20 lower-case letters, digits and _, and begin with a letter.');
  return text;
});

async function createRole(
  prisma: Client,
  owner: Database,
  { company: slug, name, scopes, connections }: CreateOptions,
  api: Pick<Api, 'resources' | 'storage'>,
): Promise<void> {
  const { biDatabaseUrl, databaseUrl } = readConfig();
  if (biDatabaseUrl === undefined) throw new Error('BI_DATABASE_URL must lead to the standby that BI tools read.');
  if (connections > maxConnections) throw new Error(`a role has at most ${maxConnections} connections`);
  const groups = [...new Set(api.resources.map(({ scope }) => scope))];
  const readable = groups.filter((group) => allows(scopes, `${group}:read`));
  if (readable.length === 0) throw new Error('the scopes must let it read something, for example leases:read');
  const { id: companyId } = await findCompany(prisma, slug);
  await assertStandby(biDatabaseUrl);
  const role = `bi_${slug.replaceAll('-', '_')}_${name}`.slice(0, 63);
  const password = randomBytes(24).toString('base64url');
  await owner.transaction(async () => {
    await refreshViews(prisma, api);
    // A verifier and not the password, which the server's log could have.
    await prisma.$executeRawUnsafe(
      `CREATE ROLE "${role}" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION INHERIT
       CONNECTION LIMIT ${connections} PASSWORD '${scramVerifier(password)}' IN ROLE ${biGroup}`,
    );
    for (const [setting, value] of Object.entries(settings))
      await prisma.$executeRawUnsafe(`ALTER ROLE "${role}" SET ${setting} = '${value}'`);
    await prisma.$executeRaw`
      INSERT INTO bi.roles (role, company_id, scopes) VALUES (${role}::name, ${companyId}::uuid, ${readable}::text[])`;
    for (const statement of grantsOf(role, readable, biViews(api))) await prisma.$executeRawUnsafe(statement);
    const [{ database } = { database: '' }] = await prisma.$queryRaw<{ database: string }[]>`
      SELECT quote_ident(current_database()) AS database`;
    await prisma.$executeRawUnsafe(`GRANT CONNECT ON DATABASE ${database} TO "${role}"`);
  });
  await untilArrived(biDatabaseUrl, role);
  if (databaseUrl !== undefined && (await admits(databaseUrl, role, password)))
    print(
      `Warning: the server that writes lets ${role} in too. It reads nothing there, but can hold up others: add ` +
        `"host all +${biGroup} all reject" as the first line of its pg_hba.conf.`,
    );
  const { hostname, port, pathname } = new URL(biDatabaseUrl);
  printSecret(`Created role ${role}, for database ${pathname.slice(1)} on ${hostname}:${port || 5432}.`, password);
}

async function revokeRole(prisma: Client, owner: Database, role: string): Promise<void> {
  // Those of deleted companies have no row of their own any more.
  const found = await prisma.$queryRaw<unknown[]>`
    SELECT FROM pg_auth_members JOIN pg_roles AS member ON member.oid = pg_auth_members.member
    JOIN pg_roles AS parent ON parent.oid = roleid WHERE member.rolname = ${role} AND parent.rolname = ${biGroup}`;
  if (found.length === 0) throw new Error(`there is no BI role ${role}`);
  const quoted = `"${role.replaceAll('"', '""')}"`;
  await owner.transaction(async () => {
    await prisma.$executeRaw`DELETE FROM bi.roles WHERE role = ${role}::name`;
    // What the role was granted in this database.
    await prisma.$executeRawUnsafe(`DROP OWNED BY ${quoted}`);
    await prisma.$executeRawUnsafe(`DROP ROLE ${quoted}`);
  });
  print(`Revoked role ${role}.`);
}

/** Runs work on a connection of its own. */
async function connected<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

async function assertStandby(url: string): Promise<void> {
  const isStandby = await connected(url, async (client) => {
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    return rows[0]?.standby === true;
  }).catch((error: unknown) => {
    throw new Error(`BI_DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!isStandby)
    throw new Error(
      'BI_DATABASE_URL leads to a server that writes. It must be a standby: on a server that writes, even a role that ' +
        'only reads can hold up the log of changes, lift its limits of time, and keep locks.',
    );
}

/** Waits until a role is on the standby, by which it is one of this server. */
async function untilArrived(url: string, role: string): Promise<void> {
  const deadline = Date.now() + arrivalMs;
  await connected(url, async (client) => {
    for (;;) {
      const { rows } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
      if (rows.length > 0) return;
      if (Date.now() > deadline)
        throw new Error(
          `${role} was created, but has not arrived at BI_DATABASE_URL: is it a standby of DATABASE_URL?`,
        );
      await sleep(200);
    }
  });
}

/** Whether a server lets a role in. */
async function admits(serverUrl: string, role: string, password: string): Promise<boolean> {
  if (!URL.canParse(serverUrl)) return false;
  const url = new URL(serverUrl);
  [url.username, url.password] = [role, password];
  return connected(url.href, async () => true).catch(() => false);
}

/** What PostgreSQL keeps of a password (RFC 5802, with SHA-256). */
function scramVerifier(password: string): string {
  const [salt, iterations] = [randomBytes(16), 4096];
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyOf = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
