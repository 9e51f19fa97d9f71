import type { PrismaClient, UserRole } from '../../database/generated/client/client.ts';

/** A company as somebody who belongs to it sees it. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  /** Whether it is the twin that test tokens work on. */
  readonly isSandbox: boolean;
  /** The person's role there. */
  readonly role: UserRole;
}

/** The companies a person belongs to, by name, each followed by its sandbox. */
export async function membershipsOf(prisma: PrismaClient, personId: string): Promise<Membership[]> {
  const rows = await prisma.user.findMany({
    where: { id: personId },
    select: { role: true, company: { select: { id: true, name: true, slug: true, sandboxOfId: true } } },
  });
  // A sandbox sorts with the company it is the twin of, after it.
  const keyOf = ({ company }: (typeof rows)[number]) => {
    const of = rows.find(({ company: { id } }) => id === (company.sandboxOfId ?? company.id))?.company ?? company;
    return [of.name.toLowerCase(), of.slug, company.sandboxOfId ? '1' : '0'].join('\n');
  };
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(
      ({
        row: {
          role,
          company: { sandboxOfId, ...company },
        },
      }) => ({ ...company, isSandbox: sandboxOfId !== null, role }),
    );
}

/** A person by what they sign in with. */
export const findPerson = (
  prisma: PrismaClient,
  id: string,
): Promise<{ id: string; fullName: string; email: string }> =>
  prisma.person.findUniqueOrThrow({ where: { id }, select: { id: true, fullName: true, email: true } });

/** The company itself, of a company or of its sandbox. */
export async function mainCompany(prisma: PrismaClient, companyId: string): Promise<string> {
  const { sandboxOfId } = await prisma.company.findUniqueOrThrow({
    where: { id: companyId },
    select: { sandboxOfId: true },
  });
  return sandboxOfId ?? companyId;
}

/** What somebody may do in a company, or in its sandbox: nothing unless they belong there. */
export async function scopesIn(
  prisma: PrismaClient,
  companyId: string,
  personId: string,
  live: boolean,
): Promise<readonly string[]> {
  const company = live ? { id: companyId } : { sandboxOfId: companyId };
  const member = await prisma.user.findFirst({ where: { id: personId, company }, select: { role: true } });
  return member ? scopesOf(member.role) : [];
}

/** The company that a new session begins in: where the person worked last, or the first they belong to. */
export async function startingCompany(prisma: PrismaClient, personId: string): Promise<string | undefined> {
  const memberships = await membershipsOf(prisma, personId);
  if (memberships.length === 0) return undefined;
  const { lastCompanyId } = await prisma.person.findUniqueOrThrow({
    where: { id: personId },
    select: { lastCompanyId: true },
  });
  return (memberships.find(({ id }) => id === lastCompanyId) ?? memberships[0])?.id;
}

/** What somebody may do by their role: admins and executives everything, members all that scopes speak of. */
export const scopesOf = (role: UserRole): readonly string[] => (role === 'MEMBER' ? ['*:read', '*:write'] : ['*']);
