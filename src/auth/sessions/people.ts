import type { Prisma, UserRole } from '../../database/generated/client/client.ts';
import { compareTexts } from '../../formats.ts';

/** A company, or its sandbox, that a person is a member of. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  /** Whether it is a sandbox, which test tokens work on. */
  readonly isSandbox: boolean;
  readonly currency: string;
  readonly timeZone: string;
  /** The person's role there. */
  readonly role: UserRole;
}

/** Lists the companies that a person is an active member of, sorted by name, each followed by its sandbox. */
export async function listMemberships(prisma: Prisma.TransactionClient, personId: string): Promise<Membership[]> {
  const rows = await prisma.user.findMany({
    where: { id: personId, deactivatedAt: null },
    select: {
      role: true,
      company: { select: { id: true, name: true, slug: true, currency: true, timeZone: true, sandboxOfId: true } },
    },
  });
  // A sandbox sorts by its company's name, after the company.
  const sortKey = ({ company }: (typeof rows)[number]) => {
    const main = rows.find(({ company: { id } }) => id === (company.sandboxOfId ?? company.id))?.company ?? company;
    return [main.name, main.slug, company.sandboxOfId ? '1' : '0'].join('\n');
  };
  return rows
    .map((row) => ({ row, key: sortKey(row) }))
    .sort((one, other) => compareTexts(one.key, other.key))
    .map(
      ({
        row: {
          role,
          company: { sandboxOfId, ...company },
        },
      }) => ({ ...company, isSandbox: sandboxOfId !== null, role }),
    );
}

/** Finds a person by id. @throws Prisma's P2025 when there is none */
export const findPerson = (prisma: Prisma.TransactionClient, id: string): Promise<Person> =>
  prisma.person.findUniqueOrThrow({ where: { id }, select: ofPerson });

const ofPerson = {
  id: true,
  fullName: true,
  email: true,
  twoFactorEnabled: true,
  language: true,
  timeZone: true,
} as const satisfies Prisma.PersonSelect;

type Person = Prisma.PersonGetPayload<{ select: typeof ofPerson }>;

/** Finds the id of a sandbox's company; a company's own id stays the same. */
export async function findMainCompanyId(prisma: Prisma.TransactionClient, companyId: string): Promise<string> {
  const { sandboxOfId } = await prisma.company.findUniqueOrThrow({
    where: { id: companyId },
    select: { sandboxOfId: true },
  });
  return sandboxOfId ?? companyId;
}

/**
 * Finds a person's scopes in a company.
 *
 * @param live whether in the company itself, or in its sandbox
 * @returns none when the person is not an active member
 */
export async function findScopes(
  prisma: Prisma.TransactionClient,
  companyId: string,
  personId: string,
  live: boolean,
): Promise<readonly string[]> {
  const company = live ? { id: companyId } : { sandboxOfId: companyId };
  const member = await prisma.user.findFirst({
    where: { id: personId, company, deactivatedAt: null },
    select: { role: true },
  });
  return member ? scopesOfRole(member.role) : [];
}

/** Finds the company that a new session starts in: the one used last, or else the first. */
export async function findStartingCompanyId(
  prisma: Prisma.TransactionClient,
  personId: string,
): Promise<string | undefined> {
  const memberships = await listMemberships(prisma, personId);
  if (memberships.length === 0) return undefined;
  const { lastCompanyId } = await prisma.person.findUniqueOrThrow({
    where: { id: personId },
    select: { lastCompanyId: true },
  });
  return (memberships.find(({ id }) => id === lastCompanyId) ?? memberships[0])?.id;
}

/** The scopes of a role: every permission for admins and executives, every scope group for members. */
export const scopesOfRole = (role: UserRole): readonly string[] => (role === 'MEMBER' ? ['*:read', '*:write'] : ['*']);

/**
 * Whether a person may start a session: somebody without a company only to accept an invitation, as there is nothing
 * else to sign in to.
 */
export async function maySignIn(prisma: Prisma.TransactionClient, personId: string): Promise<boolean> {
  if ((await prisma.user.count({ where: { id: personId, deactivatedAt: null }, take: 1 })) > 0) return true;
  const { email } = await prisma.person.findUniqueOrThrow({ where: { id: personId }, select: { email: true } });
  return (await prisma.invitation.count({ where: { email, expiresAt: { gt: new Date() } }, take: 1 })) > 0;
}

/** Whether a person is a user, also a deactivated one, of another company than this one and its sandbox. */
export async function isMemberElsewhere(
  prisma: Prisma.TransactionClient,
  { companyId, userId: id }: { readonly companyId: string; readonly userId: string },
): Promise<boolean> {
  const others = { OR: [{ sandboxOfId: null }, { sandboxOfId: { not: companyId } }] };
  return (await prisma.user.count({ where: { id, companyId: { not: companyId }, company: others }, take: 1 })) > 0;
}

/**
 * Locks a person until the transaction ends: what they create at the same time is created in turn, so that each counts
 * the others. New sessions and sign-in methods, whose rows refer to the person, wait too.
 */
export async function lockPerson(prisma: Prisma.TransactionClient, id: string): Promise<void> {
  await prisma.$queryRaw`SELECT 1 FROM people WHERE id = ${id}::uuid FOR UPDATE`;
}
