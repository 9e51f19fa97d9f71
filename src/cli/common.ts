import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { validatePassword } from '../auth/sessions/passwords.ts';
import { maxRateLimit } from '../auth/tokens.ts';
import { ConfigError, readConfig } from '../config.ts';
import { type PrismaClient, type User, UserRole } from '../database/generated/client/client.ts';
import { type Database, openDatabase, runAs } from '../database/index.ts';
import { examineConnections } from '../database/pooler.ts';
import { openMigrated } from '../database/prepare.ts';
import { ServiceError } from '../errors.ts';
import { isUuid, normalizeSlug } from '../formats.ts';
import { messages } from '../input/index.ts';
import { spaced } from '../names.ts';

/**
 * Opens and migrates the configured database, and runs a command on it. Prints any error in one line and exits with 1.
 */
export async function withDatabase(
  program: Command,
  run: (prisma: PrismaClient, opened: { database: Database; applied: string[] }) => Promise<void>,
): Promise<void> {
  try {
    const { database, applied } = await openMigrated(readConfig());
    try {
      await runAs({ kind: 'command_line' }, () => run(database.prisma, { database, applied }));
    } finally {
      await database.close();
    }
  } catch (error) {
    program.error(`error: ${toOneLine(error)}`);
  }
}

/** Runs work on the database of a command as the role that owns its tables, where that is another one. */
export async function asOwner<T>(database: Database, work: (owner: Database) => Promise<T>): Promise<T> {
  const { migrationDatabaseUrl, ...config } = readConfig();
  if (migrationDatabaseUrl === undefined || config.databaseUrl === undefined) return work(database);
  const settings = { ...config, databaseUrl: migrationDatabaseUrl };
  const owner = await openDatabase(settings, await examineConnections(settings));
  return work(owner).finally(() => owner.close());
}

/** Creates an option that takes the slug of a company, in any letter case. */
export const companyOption = (description = 'slug of the company'): Option =>
  new Option('--company <slug>', description).argParser(normalizeSlug);

/** @throws Error when there is no such company */
export async function findCompany(prisma: PrismaClient, slug: string): Promise<{ id: string; timeZone: string }> {
  const found = await prisma.company.findFirst({
    where: { slug, sandboxOfId: null },
    select: { id: true, timeZone: true },
  });
  if (!found) throw new Error(`there is no company ${slug}`);
  return found;
}

/** Finds a company by its slug, or a company or sandbox by its id. @throws Error when there is none */
export async function findCompanyOrSandbox(prisma: PrismaClient, company: string): Promise<{ id: string }> {
  const found = await prisma.company.findFirst({
    where: isUuid(company) ? { id: company } : { slug: normalizeSlug(company) },
    select: { id: true },
  });
  if (!found) throw new Error(`there is no company ${company}`);
  return found;
}

/** @throws Error when there is no such company, or no such member of it */
export async function findMember(prisma: PrismaClient, slug: string, address: string): Promise<User> {
  const { id: companyId } = await findCompany(prisma, slug);
  const email = address.trim().toLowerCase();
  const member = await prisma.user.findUnique({ where: { companyId_email: { companyId, email } } });
  if (!member) throw new Error(`${email} is not a member of ${slug}`);
  return member;
}

/** Reads a password from stdin, without the line break at its end. Exits with 1 when it is not a valid one. */
export async function readPassword(program: Command): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  const problem = validatePassword(password);
  return problem ? program.error(`error: password: ${problem}`) : password;
}

/** Creates an option that takes a role. */
export const roleOption = (): Option =>
  new Option('--role <role>', 'role').choices(Object.values(UserRole).map((role) => role.toLowerCase()));

/** The role of an option that `roleOption` created. */
export const parseRole = (role: string): UserRole =>
  Object.values(UserRole).find((each) => each.toLowerCase() === role) ?? UserRole.MEMBER;

/** The message of an error; of one about invalid fields, what is wrong with each. */
function messageOf(error: unknown): string {
  if (error instanceof ServiceError && error.fieldErrors)
    return Object.entries(error.fieldErrors)
      .map(([field, message]) => `${spaced(field)}: ${message}`)
      .join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** A ConfigError has a line per variable; of Prisma's errors the last line says what happened. */
function toOneLine(error: unknown): string {
  const lines = messageOf(error)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return error instanceof ConfigError ? lines.join(' ') : (lines.at(-1) ?? 'unknown');
}

/** Prints a line to stdout. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Prints a secret of a company on the last line, if stdout is a terminal. Anywhere else it could stay, as in the log of
 * a job: there the last line is the path of a new file with the secret, which its owner alone can read.
 *
 * @param what happened, as a sentence
 */
export function printSecret(what: string, secret: string): void {
  if (process.stdout.isTTY) {
    print(`${what} This is shown only once:`);
    print(secret);
    return;
  }
  // A new folder, so that no other user can have created a file of this name.
  const path = join(mkdtempSync(join(tmpdir(), 'premises-')), 'secret');
  writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  print(`${what} It is in this file, which only you can read; delete it afterwards:`);
  print(path);
}

/** Parses an option that is a count. @throws InvalidArgumentError */
export function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= maxRateLimit) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxRateLimit}.`);
}

/** Parses an option that is a date or time to come, or `never`. @throws InvalidArgumentError */
export function parseExpiry(text: string): Date | 'never' {
  // Commander makes an empty text of null.
  if (text === 'never') return text;
  const isTime = z.iso
    .date()
    .or(z.iso.datetime({ offset: true }))
    .safeParse(text).success;
  if (!isTime) throw new InvalidArgumentError('It must be a date, a time like 2027-01-01T08:00:00Z, or never.');
  const date = new Date(text);
  if (date <= new Date()) throw new InvalidArgumentError(`It ${messages.inFuture}.`);
  return date;
}

/** Converts a function that throws into an option parser, so that commander names the option in its error. */
export function asOptionParser<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };
}
