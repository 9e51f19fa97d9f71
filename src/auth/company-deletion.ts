import { Prisma } from '../database/generated/client/client.ts';
import { type Database, logTables } from '../database/index.ts';
import { type CompanyTable, identifier, inOrderOfReferences, listCompanyTables } from './company-tables.ts';
import { type Actor, actorArguments } from './security-log.ts';

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
      const [{ people } = { people: [] }] = await prisma.$queryRaw<{ people: string[] }[]>`
        SELECT begin_company_deletion(${companyId}::uuid)::text[] AS people`;
      // The logs are deleted with their company.
      const tables = (await listCompanyTables(prisma)).filter(({ name }) => !logTables.includes(name));
      // The periods of statuses come first: otherwise each row that is deleted would end its last one.
      const isPeriods = ({ name }: CompanyTable) => name === 'status_periods';
      const others = inOrderOfReferences(tables.filter((table) => !isPeriods(table)));
      for (const table of [...tables.filter(isPeriods), ...others.toReversed()])
        await repeat(() => deleteRows(prisma, table, companyId));
      await repeat(() => deleteChanges(prisma, companyId));
      await prisma.$queryRaw`
        SELECT end_company_deletion(${companyId}::uuid, ${people}::uuid[], ${actorArguments(actor)})::text`;
    },
    { timeoutMs: deletionTimeoutMs },
  );

/** Repeats a statement until it deletes fewer rows than it could. */
async function repeat(deleteSome: () => Promise<number>): Promise<void> {
  while ((await deleteSome()) === rowsAtOnce);
}

/** Deletes rows of a company and its sandbox from a table. @returns how many */
function deleteRows(prisma: Prisma.TransactionClient, { name }: CompanyTable, companyId: string): Promise<number> {
  const table = identifier(name);
  const both = Prisma.sql`SELECT id FROM companies WHERE ${companyId}::uuid IN (id, sandbox_of_id)`;
  const some = Prisma.sql`SELECT ctid FROM ${table} WHERE company_id IN (${both}) LIMIT ${rowsAtOnce}`;
  return prisma.$executeRaw`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${some}))`;
}

/** Deletes changes of a company and its sandbox. @returns how many */
async function deleteChanges(prisma: Prisma.TransactionClient, companyId: string): Promise<number> {
  const [{ count = 0 } = {}] = await prisma.$queryRaw<{ count: number }[]>`
    SELECT delete_company_changes(${companyId}::uuid, ${rowsAtOnce}::int) AS count`;
  return count;
}
