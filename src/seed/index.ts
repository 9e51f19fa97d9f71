import { createCompany, createUser } from '../auth/accounts.ts';
import { generatePassword, hasPassword, setPassword } from '../auth/sessions/passwords.ts';
import { createToken } from '../auth/tokens.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import { copyRequests } from './copies.ts';
import type { Ids } from './people.ts';
import { coordinator, people } from './people.ts';
import { buildings } from './places.ts';
import { seedRequests } from './requests.ts';
import { moveScripts, serviceScripts } from './scripts.ts';
import { companySeeds, sandboxSeeds, seedCompany } from './seeds.ts';

const slug = 'demo';
const wholeDemo = {
  buildings: buildings.length,
  serviceRequests: serviceScripts.length,
  moveRequests: moveScripts.length,
};
const sandboxDemo = { buildings: 1, serviceRequests: 6, moveRequests: 2 };

/** What `createDemo` leaves behind. */
export interface Demo {
  /** A new token for everything, with a limit high enough to play with. */
  token: string;
  /** With what its coordinator signs in: a new password, unless they have one. */
  signIn: { email: string; password?: string };
  companySlug: string;
  /** False when the company was there already. */
  created: boolean;
  /** How many service requests the company has now. */
  serviceRequests: number;
}

/**
 * Creates the demo company and a small part of it in its sandbox, unless they exist; adds what is missing of the buildings
 * with their requests, and of everything else; then copies service requests up to the number asked for. The wording is the
 * same every time, and the dates spread over the months before now and a little after.
 *
 * @param options.serviceRequests how many service requests the company is to have at least
 * @param options.onProgress receives how many of the missing ones are created
 */
export async function createDemo(
  prisma: PrismaClient,
  options: { serviceRequests?: number; onProgress?: (done: number, total: number) => void } = {},
): Promise<Demo> {
  const company =
    (await prisma.company.findUnique({ where: { slug }, include: { sandbox: true } })) ??
    (await createCompany(prisma, { slug, name: 'Larkfield Instruments' }));
  const companyId = company.id;
  const idOf = await seedUsers(prisma, companyId);
  const created = await seedRequests(prisma, companyId, idOf, wholeDemo);
  await seedCompany(prisma, companyId, idOf, companySeeds);
  if (company.sandbox) {
    await seedRequests(prisma, company.sandbox.id, idOf, sandboxDemo);
    await seedCompany(prisma, company.sandbox.id, idOf, sandboxSeeds);
  }
  const present = await prisma.serviceRequest.count({ where: { companyId } });
  const wanted = Math.max(present, options.serviceRequests ?? 0);
  await copyRequests(
    prisma,
    companyId,
    serviceScripts.map(({ title }) => title),
    wanted - present,
    options.onProgress,
  );
  const password = (await hasPassword(prisma, idOf(coordinator))) ? undefined : generatePassword();
  if (password) await setPassword(prisma, idOf(coordinator), password);
  const access = { name: 'demo', scopes: ['*'], live: true, rateLimit: 5000 };
  const { token } = await createToken(prisma, { companyId, userId: idOf(coordinator), ...access });
  return { token, signIn: { email: coordinator.email, password }, companySlug: slug, created, serviceRequests: wanted };
}

/** Creates those of the demo's people who are no users of the company. */
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
