import { text } from 'node:stream/consumers';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { createCompany, createUser } from './auth/accounts.ts';
import { parseScopes } from './auth/scopes.ts';
import { generatePassword, hasPassword, setPassword, validatePassword } from './auth/sessions/passwords.ts';
import { createToken, listTokens, revokeToken } from './auth/tokens.ts';
import { ConfigError, readConfig } from './config.ts';
import type { PrismaClient, User } from './database/generated/client/client.ts';
import { UserRole } from './database/generated/client/client.ts';
import { openMigrated } from './database/prepare.ts';
import { InputError } from './errors.ts';
import { findOverlaps } from './schema/desk/overlaps.ts';
import { createDemo } from './seed/index.ts';

/** The options of `token create`. */
interface TokenOptions {
  company: string;
  user: string;
  name: string;
  scopes: string[];
  test?: true;
  rateLimit?: number;
  expires?: Date;
}

const program = new Command('admin')
  .usage('<command> [options]     (npm run --silent admin -- <command> [options])')
  .description(
    'Manage companies, users and API tokens in the database at DATABASE_URL or, without one, in the embedded database ' +
      'in DATA_DIR. Every command first applies pending migrations. Only one process at a time can open the embedded ' +
      'database: stop the service first.',
  );

program
  .command('migrate')
  .description('apply pending database migrations')
  .action(() =>
    withDatabase(async (_prisma, applied) => {
      print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.');
    }),
  );

program
  .command('check')
  .description(
    'list the workspace records of one desk whose periods overlap, which were stored before such records conflicted: ' +
      'company, desk and the two records; exit with 1 if there are any',
  )
  .action(() =>
    withDatabase(async (prisma) => {
      const overlaps = await findOverlaps(prisma);
      for (const { company, deskId, recordId, otherId } of overlaps)
        print([company, deskId, recordId, otherId].join('\t'));
      if (overlaps.length > 0) process.exitCode = 1;
      else print('No workspace records overlap.');
    }),
  );

const company = program.command('company').description('companies');
company
  .command('create')
  .description('create a company, and a sandbox for its test tokens')
  .requiredOption('--slug <slug>', 'short name, for example acme')
  .requiredOption('--name <name>', 'name')
  .action((options: { slug: string; name: string }) =>
    withDatabase(async (prisma) => {
      const { id, slug, name, sandbox } = await createCompany(prisma, options);
      print(`Created company ${name} (${slug}, ${id}) with the sandbox ${sandbox.slug} (${sandbox.id}).`);
    }),
  );

const user = program.command('user').description('users of companies');
user
  .command('create')
  .description('add a user to a company')
  .requiredOption('--company <slug>', 'short name of the company')
  .requiredOption('--email <address>', 'email address')
  .requiredOption('--name <name>', 'full name')
  .addOption(
    new Option('--role <role>', 'role')
      .choices(Object.values(UserRole).map((role) => role.toLowerCase()))
      .default('member'),
  )
  .option('--password-stdin', 'read their password from stdin')
  .action(async (options: { company: string; email: string; name: string; role: string; passwordStdin?: true }) => {
    const password = options.passwordStdin && (await readPassword());
    await withDatabase(async (prisma) => {
      const { id: companyId } = await findCompany(prisma, options.company);
      const role = Object.values(UserRole).find((each) => each.toLowerCase() === options.role) ?? UserRole.MEMBER;
      const { id, email } = await createUser(prisma, { companyId, email: options.email, fullName: options.name, role });
      // A user of another company already has a password, which stays.
      const keepsPassword = password !== undefined && (await hasPassword(prisma, id));
      if (password !== undefined && !keepsPassword) await setPassword(prisma, id, password);
      print(
        `Added ${email} (${id}) to ${options.company} as ${options.role}.${keepsPassword ? ' Their password is unchanged.' : ''}`,
      );
    });
  });
user
  .command('password')
  .description(
    'reset the password of a user and end their sessions; without --password-stdin, generate one and print it on the last line',
  )
  .requiredOption('--company <slug>', 'short name of a company they belong to')
  .requiredOption('--email <address>', 'email address')
  .option('--password-stdin', 'read the password from stdin')
  .action(async (options: { company: string; email: string; passwordStdin?: true }) => {
    const password = options.passwordStdin ? await readPassword() : generatePassword();
    await withDatabase(async (prisma) => {
      const { id, email } = await findMember(prisma, options.company, options.email);
      await setPassword(prisma, id, password);
      print(
        `Reset password for ${email} and ended their sessions.${options.passwordStdin ? '' : ' The new password is shown only once:'}`,
      );
      if (!options.passwordStdin) print(password);
    });
  });

const token = program.command('token').description('API tokens');
token
  .command('create')
  .description('create a token and print it on the last line; it is shown only once')
  .requiredOption('--company <slug>', 'short name of the company it works on')
  .requiredOption('--user <address>', 'email address of the user it acts as')
  .requiredOption('--name <name>', 'what it is for')
  .requiredOption(
    '--scopes <list>',
    'its scopes, for example inventory:read,notes:write, or * for all',
    asOptionParser(parseScopes),
  )
  .option('--test', "create a test token, which works on the company's sandbox")
  .option('--rate-limit <number>', "requests per hour (default: the service's)", parseCount)
  .option('--expires <date>', 'date or time when it expires, for example 2027-01-01', parseFutureDate)
  .action((options: TokenOptions) =>
    withDatabase(async (prisma) => {
      const { id: userId, companyId } = await findMember(prisma, options.company, options.user);
      const { name, scopes, rateLimit, expires: expiresAt, test } = options;
      const created = await createToken(prisma, { companyId, userId, name, scopes, live: !test, rateLimit, expiresAt });
      print(`Created token ${created.id}. It is shown only once:`);
      print(created.token);
    }),
  );
token
  .command('list')
  .description("list a company's tokens, live and test")
  .requiredOption('--company <slug>', 'short name of the company')
  .action((options: { company: string }) =>
    withDatabase(async (prisma) => {
      const { id } = await findCompany(prisma, options.company);
      for (const token of (await listTokens(prisma, { companyId: id })).reverse()) {
        const kind = token.live ? 'live' : 'test';
        const use = `used ${token.lastUsedAt?.toISOString() ?? 'never'}`;
        print(
          [token.id, token.state.toLowerCase(), kind, token.name, token.owner.email, token.scopes.join(','), use].join(
            '\t',
          ),
        );
      }
    }),
  );
token
  .command('revoke')
  .description('revoke a token')
  .argument('<id>', "the token's id, as printed by create and list")
  .action((id: string) =>
    withDatabase(async (prisma) => {
      if (!(await revokeToken(prisma, id)))
        throw new InputError('id', 'unknown', `there is no token ${id}, or it is already revoked`);
      print(`Revoked token ${id}.`);
    }),
  );

program
  .command('demo')
  .description('create the company "demo" with sample data, and print a new token for it on the last line')
  .option('--service-requests <number>', 'add service requests until there are this many', parseCount)
  .action(({ serviceRequests }: { serviceRequests?: number }) =>
    withDatabase(async (prisma) => {
      const demo = await createDemo(prisma, { serviceRequests, onProgress: showProgress });
      const state = demo.created ? 'Created the demo company' : 'The demo company already exists';
      print(`${state}: ${demo.companySlug}, with ${demo.serviceRequests} service requests.`);
      const { email, password } = demo.signIn;
      if (password) print(`Sign in as ${email} with the password ${password}`);
      print('New API token:');
      print(demo.token);
    }),
  );

await program.parseAsync();

/** Opens and migrates the configured database, and runs a command on it. Prints any error in one line and exits with 1. */
async function withDatabase(run: (prisma: PrismaClient, applied: string[]) => Promise<void>): Promise<void> {
  try {
    const { database, applied } = await openMigrated(readConfig());
    try {
      await run(database.prisma, applied);
    } finally {
      await database.close();
    }
  } catch (error) {
    program.error(`error: ${toOneLine(error)}`);
  }
}

/** @throws {InputError} when there is no such company */
async function findCompany(prisma: PrismaClient, slug: string): Promise<{ id: string }> {
  const found = await prisma.company.findFirst({ where: { slug, sandboxOfId: null }, select: { id: true } });
  if (!found) throw new InputError('company', 'unknown', `there is no company ${slug}`);
  return found;
}

/** @throws {InputError} when there is no such company, or no such member of it */
async function findMember(prisma: PrismaClient, slug: string, address: string): Promise<User> {
  const { id: companyId } = await findCompany(prisma, slug);
  const email = address.trim().toLowerCase();
  const member = await prisma.user.findUnique({ where: { companyId_email: { companyId, email } } });
  if (!member) throw new InputError('email', 'unknown', `${email} is not a member of ${slug}`);
  return member;
}

/** Reads a password from stdin, without the line break at its end. Exits with 1 when it is too short or too long. */
async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  const problem = validatePassword(password);
  return problem ? program.error(`error: the password ${problem}`) : password;
}

/** A ConfigError has a line per variable; of Prisma's errors the last line says what happened. */
function toOneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return error instanceof ConfigError ? lines.join(' ') : (lines.at(-1) ?? 'unknown');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 1_000_000_000) return count;
  throw new InvalidArgumentError('It must be a whole number from 1 to 1000000000.');
}

function parseFutureDate(text: string): Date {
  const isTime = z.iso
    .date()
    .or(z.iso.datetime({ offset: true }))
    .safeParse(text).success;
  if (!isTime) throw new InvalidArgumentError('It must be a date, or a time like 2027-01-01T08:00:00Z.');
  const date = new Date(text);
  if (date <= new Date()) throw new InvalidArgumentError('It must be in the future.');
  return date;
}

/** Converts a function that throws into an option parser, so that commander names the option in its error. */
function asOptionParser<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
}

/** Prints progress to stderr, in one line that it overwrites. */
function showProgress(done: number, total: number): void {
  process.stderr.write(`\r${done} of ${total} service requests${done === total ? '\n' : ''}`);
}
