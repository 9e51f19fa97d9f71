import { createCompany, createUser } from '../auth/accounts.ts';
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

/** The result of `createDemo`. */
export interface Demo {
  /** A new token with all scopes and a high rate limit. */
  token: string;
  /** The coordinator's sign-in, with a new password unless they already have one. */
  signIn: { email: string; password?: string };
  companySlug: string;
  /** False when the company already existed. */
  created: boolean;
  /** The company's number of service requests. */
  serviceRequests: number;
}

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
  const { prisma } = database;
  const existing = await prisma.company.findUnique({ where: { slug }, include: { sandbox: true } });
  const company = existing ?? (await createCompany(prisma, { slug, name: 'Larkfield Instruments' }));
  const companyId = company.id;
  const idOf = await seedUsers(prisma, companyId);
  await runAs({ kind: 'command_line', is_sample: true }, async () => {
    await seedCompany(database, companyId, idOf, companyParts);
    if (company.sandbox) await seedCompany(database, company.sandbox.id, idOf, sandboxParts);
  });
  const present = await prisma.serviceRequest.count({ where: { companyId } });
  const wanted = Math.max(present, options.serviceRequests ?? 0);
  await copyRequests(
    prisma,
    companyId,
    serviceScripts.map(({ title }) => title),
    wanted - present,
    options.onProgress,
  );
  // PostgreSQL would do so within a minute; until then it plans nested conditions badly.
  await prisma.$executeRaw`ANALYZE`;
  const password = (await hasPassword(prisma, idOf(coordinator))) ? undefined : generatePassword();
  if (password) await setPassword(prisma, idOf(coordinator), password);
  const access = { name: 'demo', scopes: ['*'], live: true, rateLimit: 5000 };
  const { token } = await createToken(prisma, { companyId, userId: idOf(coordinator), ...access });
  return {
    token,
    signIn: { email: coordinator.email, password },
    companySlug: slug,
    created: !existing,
    serviceRequests: wanted,
  };
}

/** Creates the demo's people who are not yet users of the company. */
async function seedUsers(prisma: PrismaClient, companyId: string): Promise<Ids> {
  const members = await prisma.user.findMany({ where: { companyId }, select: { id: true, email: true } });
  const ids = new Map(members.map(({ email, id }) => [email, id]));
  for (const person of people) {
    if (!ids.has(person.email)) ids.set(person.email, (await createUser(prisma, { companyId, ...person })).id);
  }
  return ({ email }) => {
    const id = ids.get(email);
    if (id === undefined) throw new Error(`the demo does not employ ${email}`);
    return id;
  };
}
