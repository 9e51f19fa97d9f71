import { createCompany, createUser } from '../auth/accounts.ts';
import { commandLine } from '../auth/security-log.ts';
import { generatePassword, hasPassword, setPassword } from '../auth/sessions/passwords.ts';
import { createToken } from '../auth/tokens.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import { type Database, runAs } from '../database/index.ts';
import { copyRequests } from './copies.ts';
import type { Ids } from './people.ts';
import { coordinator, people } from './people.ts';
import { serviceScripts } from './scripts/index.ts';
import { companyParts, sandboxParts, seedCompany } from './seeds.ts';

const slug = 'demo';

/** How to sign in to the demo, and call the API. */
export interface DemoAccess {
  /** A new token with all scopes and a high rate limit. */
  token: string;
  /** The coordinator's sign-in; with a new password, if they got one. */
  signIn: { email: string; password?: string };
}

/** The result of `createDemo`. */
export interface Demo extends DemoAccess {
  companySlug: string;
  /** False when the company already existed. */
  created: boolean;
  /** The company's number of service requests. */
  serviceRequests: number;
}

/** The transaction that creates the demo, or nothing of it: its timeout is long enough for a slow and busy machine. */
export const demoCreation = { timeoutMs: 300_000, hasSavepoints: false };

/**
 * Creates the demo company and a small part of it in its sandbox, unless they exist; adds missing buildings with their
 * requests, and missing other data; then copies service requests up to the requested number. The texts are always the
 * same, and the dates spread over the months before and shortly after now.
 *
 * @param options.serviceRequests minimum number of the company's service requests
 * @param options.onProgress called with the number of missing requests created so far
 */
export async function createDemo(
  database: Database,
  options: { serviceRequests?: number; onProgress?: (done: number, total: number) => void } = {},
): Promise<Demo> {
  const { prisma, transaction } = database;
  const { companyId, created } = await transaction(() => createDemoRows(database), demoCreation);
  const present = await prisma.serviceRequest.count({ where: { companyId } });
  const wanted = Math.max(present, options.serviceRequests ?? 0);
  await copyRequests(
    prisma,
    companyId,
    serviceScripts.map(({ title }) => title),
    wanted - present,
    options.onProgress,
  );
  await analyzeDemo(database);
  const access = await createDemoAccess(database);
  if (!access) throw new Error('the demo company was deleted meanwhile');
  return { ...access, companySlug: slug, created, serviceRequests: wanted };
}

/**
 * Creates what is missing of the demo company, its people and its rows. Runs in a transaction.
 *
 * @throws the signal's reason when it is aborted meanwhile
 */
export async function createDemoRows(
  database: Database,
  signal?: AbortSignal,
): Promise<{ companyId: string; created: boolean }> {
  const { prisma } = database;
  const existing = await prisma.company.findUnique({ where: { slug }, include: { sandbox: true } });
  const company = existing ?? (await createCompany(prisma, { slug, name: 'Larkfield Instruments' }));
  const idOf = await seedUsers(prisma, company.id);
  await runAs({ kind: 'command_line', is_sample: true }, async () => {
    await seedCompany(database, company.id, idOf, { parts: companyParts, signal });
    if (company.sandbox) await seedCompany(database, company.sandbox.id, idOf, { parts: sandboxParts, signal });
  });
  // Nothing happened to the sample rows before that is not there.
  await prisma.$executeRaw`
    UPDATE companies SET statuses_since = least(statuses_since, (
      SELECT min(entered_at) FROM status_periods WHERE company_id = companies.id
    )) WHERE ${company.id}::uuid IN (id, sandbox_of_id)`;
  return { companyId: company.id, created: !existing };
}

/** PostgreSQL would do so within a minute of the creation; until then it plans nested conditions badly. */
export const analyzeDemo = ({ prisma }: Database): Promise<unknown> => prisma.$executeRaw`ANALYZE`;

/**
 * Creates a token of the demo's coordinator, and a password unless they have one.
 *
 * @param options.newPassword replaces one that they have
 * @returns undefined when there is no such person
 */
export async function createDemoAccess(
  { prisma }: Database,
  { newPassword = false } = {},
): Promise<DemoAccess | undefined> {
  const { email } = coordinator;
  const user = await prisma.user.findFirst({
    where: { email, company: { slug } },
    select: { companyId: true, id: true },
  });
  if (!user) return undefined;
  const { companyId, id: userId } = user;
  const password = newPassword || !(await hasPassword(prisma, userId)) ? generatePassword() : undefined;
  if (password) await setPassword(prisma, userId, password);
  const access = { name: 'demo', scopes: ['*'], live: true, rateLimit: 5000 };
  const { token } = await createToken(prisma, { companyId, userId, ...access });
  return { token, signIn: { email, password } };
}

/** Creates the demo's people who are not yet users of the company. */
async function seedUsers(prisma: PrismaClient, companyId: string): Promise<Ids> {
  const members = await prisma.user.findMany({ where: { companyId }, select: { id: true, email: true } });
  const ids = new Map(members.map(({ email, id }) => [email, id]));
  for (const person of people) {
    if (!ids.has(person.email))
      ids.set(person.email, (await createUser(prisma, { companyId, ...person }, commandLine)).id);
  }
  return ({ email }) => {
    const id = ids.get(email);
    if (id === undefined) throw new Error(`the demo does not employ ${email}`);
    return id;
  };
}
