import { createToken } from '../../src/auth/tokens.ts';
import type { Database } from '../../src/database/index.ts';
import { uuidAt } from '../../src/formats.ts';
import { Client } from './client.ts';

const roles = { Ada: 'ADMIN', Ben: 'EXECUTIVE', Cleo: 'MEMBER' } as const;

/** A company with its members, and clients that act for it. */
export interface Tenant {
  readonly company: TenantCompany & { readonly sandbox: TenantCompany };
  /** The members: an admin, an executive and a member. The first one owns the tokens. */
  readonly users: readonly Member[];
  /** A client with a new token of these scopes. It only `expires` if asked to. */
  client(
    scopes?: readonly string[],
    token?: { live?: boolean; rateLimit?: number; expires?: boolean },
  ): Promise<Client>;
}

interface TenantCompany {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly timeZone: string;
}

interface Member {
  readonly id: string;
  readonly email: string;
  readonly fullName: string;
  readonly role: (typeof roles)[keyof typeof roles];
}

/**
 * Inserts a tenant with the rows of `createCompany` and `createUser`, in one statement: hundreds of tests have a tenant
 * of their own, and those functions take 30 statements for it.
 */
export async function insertTenant(origin: string, { query, prisma }: Database, slug: string): Promise<Tenant> {
  const newId = () => uuidAt(new Date());
  const timeZone = 'UTC';
  const sandbox = { id: newId(), slug: `${slug}-sandbox`, name: `Company ${slug} (sandbox)`, timeZone };
  const company = { id: newId(), slug, name: `Company ${slug}`, timeZone, sandbox };
  const users = Object.entries(roles).map(([name, role]) => ({
    id: newId(),
    email: `${name.toLowerCase()}@${slug}.example`,
    fullName: `${name} ${slug}`,
    role,
  }));
  await query({
    isPrepared: true,
    text: `WITH
      company AS (
        INSERT INTO companies (id, slug, name, sandbox_of_id) VALUES ($1, $2, $3, NULL), ($4, $5, $6, $1)
        RETURNING id),
      settings AS (
        INSERT INTO time_clock_settings (company_id, id)
        SELECT * FROM unnest(ARRAY[$1, $4]::uuid[], $7::uuid[])),
      person AS (
        INSERT INTO people (id, email, full_name)
        SELECT * FROM unnest($8::uuid[], $9::text[], $10::text[]))
      INSERT INTO users (company_id, id, email, full_name, role)
      SELECT company.id, member.*
      FROM company, unnest($8::uuid[], $9::text[], $10::text[], $11::user_role[]) AS member`,
    values: [
      ...[company, sandbox].flatMap(({ id, slug, name }) => [id, slug, name]),
      [newId(), newId()],
      ...(['id', 'email', 'fullName'] as const).map((key) => users.map((user) => user[key])),
      users.map(({ role }) => role.toLowerCase()),
    ],
  });
  return {
    company,
    users,
    async client(scopes = ['*'], { live = true, rateLimit, expires = false } = {}) {
      const owner = { companyId: company.id, userId: users[0]?.id ?? '', live };
      // Tests move the clock by years, and the embedded database follows it.
      const limits = { rateLimit, ...(!expires && { expiresAt: null }) };
      const { token } = await createToken(prisma, { ...owner, name: 'test', scopes, ...limits });
      return new Client(origin, token);
    },
  };
}
