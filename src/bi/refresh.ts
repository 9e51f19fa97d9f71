// The views of BI tools in a database, and the roles that read them.
import type { Database } from '../database/index.ts';
import type { Api } from '../resource/index.ts';
import { biStatements, biViews, dropStatement, grantsOf } from './views.ts';

type Client = Database['prisma'];

/** A role of a BI tool. */
interface BiRole {
  readonly role: string;
  readonly slug: string;
  /** How many connections it has at once. */
  readonly limit: number;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
}

/** Whether a database has views of BI tools. */
export async function hasViews(prisma: Client): Promise<boolean> {
  const [found] = await prisma.$queryRaw<{ exists: boolean }[]>`SELECT to_regclass('bi.roles') IS NOT NULL AS exists`;
  return found?.exists === true;
}

/** Drops all views: a migration could not change the columns that they read. */
export async function dropViews(prisma: Client): Promise<void> {
  await prisma.$executeRawUnsafe(dropStatement);
}

/** Makes all views anew, and lets the roles read them again. */
export async function refreshViews(prisma: Client, api: Pick<Api, 'resources' | 'storage'>): Promise<void> {
  const views = biViews(api);
  for (const statement of biStatements(views)) await prisma.$executeRawUnsafe(statement);
  for (const { role, scopes } of await listRoles(prisma))
    for (const statement of grantsOf(role, scopes, views)) await prisma.$executeRawUnsafe(statement);
}

/** Lists the roles of all companies. */
export async function listRoles(prisma: Client): Promise<BiRole[]> {
  if (!(await hasViews(prisma))) return [];
  return prisma.$queryRaw<BiRole[]>`
    SELECT role::text, slug, rolconnlimit AS "limit", scopes, bi.roles.created_at AS "createdAt"
    FROM bi.roles JOIN companies ON companies.id = company_id JOIN pg_roles ON rolname = role ORDER BY role`;
}
