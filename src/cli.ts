import { text } from 'node:stream/consumers';
import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { createCompany, createUser } from './auth/companies.ts';
import { parseScopes } from './auth/scopes.ts';
import { hasPassword, makePassword, passwordFault, setPassword } from './auth/sessions/passwords.ts';
import { createToken, listTokens, revokeToken } from './auth/tokens.ts';
import { ConfigError, readConfig } from './config.ts';
import type { PrismaClient, User } from './database/generated/client/client.ts';
import { UserRole } from './database/generated/client/client.ts';
import { openMigrated } from './database/prepare.ts';
import { createDemo } from './seed/index.ts';

/** What `token create` is given. */
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
    'Manages companies, users and API tokens, in the database that DATABASE_URL names or else in the embedded one in ' +
      'DATA_DIR. Every command first brings the database up to date. The embedded database belongs to one process at a ' +
      'time: stop the service before you manage it.',
  );

program
  .command('migrate')
  .description('bring the database up to date, and do nothing else')
  .action(() =>
    withDatabase(async (_prisma, applied) => {
      say(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.');
    }),
  );

const company = program.command('company').description('companies');
company
  .command('create')
  .description('make a company, and the sandbox its test tokens work on')
  .requiredOption('--slug <slug>', 'its short name, for example acme')
  .requiredOption('--name <name>', 'its name')
  .action((given: { slug: string; name: string }) =>
    withDatabase(async (prisma) => {
      const { id, slug, name, sandbox } = await createCompany(prisma, given);
      say(`Made the company ${name} (${slug}, ${id}) and its sandbox ${sandbox.slug} (${sandbox.id}).`);
    }),
  );

const user = program.command('user').description('members of companies');
user
  .command('create')
  .description('make somebody a member of a company')
  .requiredOption('--company <slug>', 'the company')
  .requiredOption('--email <address>', 'their e-mail address')
  .requiredOption('--name <name>', 'their full name')
  .addOption(new Option('--role <role>', 'their role').choices(Object.values(UserRole).map(word)).default('member'))
  .option('--password-stdin', 'read from the standard input what they sign in with')
  .action(async (given: { company: string; email: string; name: string; role: string; passwordStdin?: true }) => {
    const password = given.passwordStdin && (await readPassword());
    await withDatabase(async (prisma) => {
      const { id: companyId } = await findCompany(prisma, given.company);
      const role = Object.values(UserRole).find((each) => word(each) === given.role) ?? UserRole.MEMBER;
      const { id, email } = await createUser(prisma, { companyId, email: given.email, fullName: given.name, role });
      // Whoever is somebody elsewhere keeps the password that is theirs.
      const known = password !== undefined && (await hasPassword(prisma, id));
      if (password !== undefined && !known) await setPassword(prisma, id, password);
      say(
        `Made ${email} (${id}) a member of ${given.company}, as ${given.role}.${known ? ' They keep the password they have.' : ''}`,
      );
    });
  });
user
  .command('password')
  .description(
    'give a member another password, and end their sessions; without --password-stdin one is made up and printed, alone, on the last line',
  )
  .requiredOption('--company <slug>', 'a company they belong to')
  .requiredOption('--email <address>', 'their e-mail address')
  .option('--password-stdin', 'read it from the standard input')
  .action(async (given: { company: string; email: string; passwordStdin?: true }) => {
    const password = given.passwordStdin ? await readPassword() : makePassword();
    await withDatabase(async (prisma) => {
      const { id, email } = await findMember(prisma, given.company, given.email);
      await setPassword(prisma, id, password);
      say(
        `Gave ${email} a new password and ended their sessions.${given.passwordStdin ? '' : ' This is the only time it is shown:'}`,
      );
      if (!given.passwordStdin) say(password);
    });
  });

const token = program.command('token').description('API tokens');
token
  .command('create')
  .description('make a token and print it, alone, on the last line; it cannot be shown again')
  .requiredOption('--company <slug>', 'the company it works on')
  .requiredOption('--user <address>', 'the e-mail address of the member it acts as')
  .requiredOption('--name <name>', 'what it is for')
  .requiredOption(
    '--scopes <list>',
    'what it may do, for example inventory:read,notes:write, or *',
    explained(parseScopes),
  )
  .option('--test', "make a test token, which works on the company's sandbox")
  .option('--rate-limit <number>', "requests an hour (default: the service's)", readCount)
  .option('--expires <date>', 'refuse it from this date or time on, for example 2027-01-01', readFuture)
  .action((given: TokenOptions) =>
    withDatabase(async (prisma) => {
      const { id: userId, companyId } = await findMember(prisma, given.company, given.user);
      const { name, scopes, rateLimit, expires: expiresAt, test } = given;
      const made = await createToken(prisma, { companyId, userId, name, scopes, live: !test, rateLimit, expiresAt });
      say(`Made the token ${made.id}. This is the only time it is shown:`);
      say(made.token);
    }),
  );
token
  .command('list')
  .description("show a company's tokens, live and test")
  .requiredOption('--company <slug>', 'the company')
  .action((given: { company: string }) =>
    withDatabase(async (prisma) => {
      const { id } = await findCompany(prisma, given.company);
      for (const each of (await listTokens(prisma, { companyId: id })).reverse()) {
        const kind = each.live ? 'live' : 'test';
        const use = `used ${each.lastUsedAt?.toISOString() ?? 'never'}`;
        say(
          [each.id, each.state.toLowerCase(), kind, each.name, each.owner.email, each.scopes.join(','), use].join('\t'),
        );
      }
    }),
  );
token
  .command('revoke')
  .description('refuse a token from now on')
  .argument('<id>', "the token's id, as list and create show it")
  .action((id: string) =>
    withDatabase(async (prisma) => {
      if (!(await revokeToken(prisma, id))) throw new Error(`there is no token ${id}, or it is revoked already`);
      say(`Revoked the token ${id}.`);
    }),
  );

program
  .command('demo')
  .description('make the company "demo" with something in it, and print a token for it on the last line')
  .option('--service-requests <number>', 'top its service requests up to this many', readCount)
  .action(({ serviceRequests }: { serviceRequests?: number }) =>
    withDatabase(async (prisma) => {
      const demo = await createDemo(prisma, { serviceRequests, onProgress: showProgress });
      const state = demo.created ? 'Made the demo company' : 'The demo company exists already';
      say(`${state}: ${demo.companySlug}, with ${demo.serviceRequests} service requests.`);
      const { email, password } = demo.signIn;
      if (password) say(`Sign in as ${email} with the password ${password}`);
      say('A new token for it:');
      say(demo.token);
    }),
  );

await program.parseAsync();

/** Opens the configured database, brings it up to date, works with it, and ends in one line should anything fail. */
async function withDatabase(work: (prisma: PrismaClient, applied: string[]) => Promise<void>): Promise<void> {
  try {
    const { database, applied } = await openMigrated(readConfig());
    try {
      await work(database.prisma, applied);
    } finally {
      await database.close();
    }
  } catch (error) {
    program.error(`error: ${inOneLine(error)}`);
  }
}

async function findCompany(prisma: PrismaClient, slug: string): Promise<{ id: string }> {
  const found = await prisma.company.findFirst({ where: { slug, sandboxOfId: null }, select: { id: true } });
  if (!found) throw new Error(`there is no company ${slug}`);
  return found;
}

async function findMember(prisma: PrismaClient, slug: string, address: string): Promise<User> {
  const { id: companyId } = await findCompany(prisma, slug);
  const email = address.trim().toLowerCase();
  const member = await prisma.user.findUnique({ where: { companyId_email: { companyId, email } } });
  if (!member) throw new Error(`${email} is no member of ${slug}`);
  return member;
}

/** Reads a password from the standard input, without the end of its line. */
async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  const fault = passwordFault(password);
  return fault ? program.error(`error: the password ${fault}`) : password;
}

/** A configuration lists its faults by line, and Prisma says what happened in the last one. */
function inOneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return error instanceof ConfigError ? lines.join(' ') : (lines.at(-1) ?? 'unknown');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function word(role: UserRole): string {
  return role.toLowerCase();
}

function readCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 1_000_000_000) return count;
  throw new InvalidArgumentError('It must be a whole number from 1 to 1000000000.');
}

function readFuture(text: string): Date {
  const isTime = z.iso
    .date()
    .or(z.iso.datetime({ offset: true }))
    .safeParse(text).success;
  if (!isTime) throw new InvalidArgumentError('It must be a date, or a time like 2027-01-01T08:00:00Z.');
  const date = new Date(text);
  if (date <= new Date()) throw new InvalidArgumentError('It must be in the future.');
  return date;
}

/** Lets commander name the option that a parser refused. */
function explained<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
}

/** Rewrites one line on stderr. */
function showProgress(done: number, total: number): void {
  process.stderr.write(`\r${done} of ${total} service requests${done === total ? '\n' : ''}`);
}
