import { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { type CompanyTable, identifier, listCompanyTables } from './company-tables.ts';
import { type Actor, recordSecurityEvent } from './security-log.ts';

/** How long (ms) deleting a company may take. */
export const deletionTimeoutMs = 10 * 60_000;

/** How many rows one statement deletes. */
const rowsAtOnce = 10_000;

/**
 * Deletes a company with its sandbox, everything that belongs to either, and the people who belong to no other company.
 * One transaction does all of it, so that a company never exists in part. Each of its statements deletes a limited
 * number of rows. The security log records the deletion in a row that belongs to no company.
 *
 * @param companyId the company itself, never a sandbox
 */
export const deleteCompany = (database: Database, companyId: string, actor: Actor): Promise<void> =>
  database.transaction(
    async () => {
      const { prisma } = database;
      const both = Prisma.sql`SELECT id FROM companies WHERE ${companyId}::uuid IN (id, sandbox_of_id)`;
      // Waits for writes in flight, and makes further ones wait.
      await prisma.$queryRaw`${both} FOR UPDATE`;
      const { slug } = await prisma.company.findUniqueOrThrow({ where: { id: companyId }, select: { slug: true } });
      // The log of changes is deleted too, so these deletions need no entries.
      await prisma.$queryRaw`SELECT set_config('premises.changes', 'off', true), set_config('premises.erasing', 'on', true)`;
      const people = await prisma.$queryRaw<{ id: string }[]>`
        SELECT DISTINCT id::text FROM users AS member WHERE company_id IN (${both})
          AND NOT EXISTS (SELECT FROM users WHERE id = member.id AND company_id NOT IN (${both}))`;
      for (const table of inOrderOfDeletion(await listCompanyTables(prisma))) await empty(prisma, table, both);
      // Events of the security log are deleted with their company only.
      await prisma.$executeRaw`DELETE FROM companies WHERE sandbox_of_id = ${companyId}::uuid`;
      await prisma.$executeRaw`DELETE FROM companies WHERE id = ${companyId}::uuid`;
      const ids = Prisma.sql`${people.map(({ id }) => id)}::uuid[]`;
      await prisma.$executeRaw`
        UPDATE security_events SET ip_address = NULL, user_agent = NULL, details = '{}'
        WHERE company_id IS NULL AND (actor_id = ANY(${ids}) OR person_id = ANY(${ids}))`;
      await prisma.$executeRaw`DELETE FROM people WHERE id = ANY(${ids})`;
      await recordSecurityEvent(prisma, {
        action: 'company_deleted',
        actor,
        details: { company: slug, id: companyId },
      });
    },
    { timeoutMs: deletionTimeoutMs },
  );

/** Deletes the rows of a company from a table. */
async function empty(prisma: Prisma.TransactionClient, { name }: CompanyTable, both: Prisma.Sql): Promise<void> {
  const table = identifier(name);
  const some = Prisma.sql`SELECT ctid FROM ${table} WHERE company_id IN (${both}) LIMIT ${rowsAtOnce}`;
  let count: number;
  do count = await prisma.$executeRaw`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${some}))`;
  while (count === rowsAtOnce);
}

/**
 * Sorts tables so that each comes before those that it refers to. Cycles, which only cascading references can form, are
 * broken anywhere.
 */
function inOrderOfDeletion(tables: readonly CompanyTable[]): CompanyTable[] {
  const sorted = new Set<CompanyTable>();
  const visit = (table: CompanyTable, path: readonly CompanyTable[]) => {
    if (sorted.has(table) || path.includes(table)) return;
    for (const other of tables) if (other.references.includes(table.name)) visit(other, [...path, table]);
    sorted.add(table);
  };
  // Users are referred to by nearly everything, and security events cannot be deleted before their company.
  for (const table of tables) if (table.name !== 'security_events') visit(table, []);
  return [...sorted];
}
