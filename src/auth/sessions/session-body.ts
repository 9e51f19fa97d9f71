import type { PrismaClient, UserRole } from '../../database/generated/client/client.ts';
import type { ActiveCompanyBody, Role, SessionBody } from './bodies.ts';
import { hasPassword } from './passwords.ts';
import { findPerson, listMemberships, type Membership } from './people.ts';
import type { Session } from './sessions.ts';

/** The session as the pages receive it. */
export async function toSessionBody(
  prisma: PrismaClient,
  { personId, companyId, role, expiresAt }: Session,
): Promise<SessionBody> {
  const [person, memberships, has_password] = await Promise.all([
    findPerson(prisma, personId),
    listMemberships(prisma, personId),
    hasPassword(prisma, personId),
  ]);
  const companies = memberships.map(({ id, name, slug, isSandbox, role }) => ({
    ...{ id, name, slug, is_sandbox: isSandbox },
    role: toRoleBody(role),
  }));
  const active = memberships.find(({ id }) => id === companyId);
  return {
    person: {
      ...{ id: personId, full_name: person.fullName, email: person.email, has_password },
      two_factor_enabled: person.twoFactorEnabled,
      language: person.language,
      time_zone: person.timeZone,
    },
    role: role ? toRoleBody(role) : null,
    company: active ? toCompanyBody(active) : null,
    companies,
    expires_at: expiresAt.toISOString(),
  };
}

/** The active company as the pages receive it. */
const toCompanyBody = ({ id, name, slug, isSandbox, currency, timeZone }: Membership): ActiveCompanyBody => ({
  ...{ id, name, slug, is_sandbox: isSandbox },
  currency,
  time_zone: timeZone,
});

/** A role as the pages receive it. */
export const toRoleBody = (role: UserRole): Role => role.toLowerCase() as Lowercase<UserRole>;
