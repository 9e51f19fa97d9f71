import { Prisma, type WorkspaceRecord } from '../../database/generated/client/client.ts';

/** Two workspace records of one desk, or of one user with desks, whose periods overlap. */
interface Overlap {
  /** The slug of the company. */
  readonly company: string;
  readonly deskId: string;
  readonly recordId: string;
  readonly otherId: string;
}

/**
 * The period of a workspace record, as a range of days. Without a start date it begins on the day of its creation in
 * the company's time zone, without an end date it does not end.
 *
 * @param record the alias of its table in the statement
 */
export function periodOf(record: string): Prisma.Sql {
  const [start, created, end, company] = ['start_date', 'created_at', 'end_date', 'company_id'].map((column) =>
    Prisma.raw(`${record}.${column}`),
  );
  const timeZone = Prisma.sql`(SELECT time_zone FROM companies WHERE id = ${company})`;
  // A record can be created after its end.
  return Prisma.sql`daterange(LEAST(COALESCE(${start}, day_in(${timeZone}, ${created})), ${end}), ${end}, '[]')`;
}

/**
 * Finds workspace records of one desk, or of one user with desks, whose periods overlap. Prisma has no ranges of days,
 * so it is SQL, and filters by company itself where it is for one record; the command line checks all companies.
 *
 * @param one finds only the overlaps of this record; otherwise all of them, each pair once
 */
export const findOverlaps = (
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  one?: Pick<WorkspaceRecord, 'companyId' | 'id'>,
  of: 'desk' | 'user' = 'desk',
): Promise<Overlap[]> =>
  client.$queryRaw<Overlap[]>`
    SELECT slug AS company, record.desk_id AS "deskId", record.id AS "recordId", other.id AS "otherId"
    FROM workspace_records record
    JOIN workspace_records other ON other.company_id = record.company_id AND ${sharing[of]}
      AND ${periodOf('other')} && ${periodOf('record')}
    JOIN companies ON companies.id = record.company_id
    WHERE ${one ? overlapsOf(one) : Prisma.sql`other.id > record.id`}
    ORDER BY slug, record.desk_id, record.id, other.id`;

/** The conditions for two records to exclude each other. */
const sharing = {
  desk: Prisma.sql`other.desk_id = record.desk_id`,
  user: Prisma.sql`other.user_id = record.user_id AND other.desk_id IS NOT NULL AND record.desk_id IS NOT NULL`,
};

const overlapsOf = ({ companyId, id }: Pick<WorkspaceRecord, 'companyId' | 'id'>) =>
  Prisma.sql`record.company_id = ${companyId}::uuid AND other.company_id = ${companyId}::uuid AND record.id = ${id}::uuid AND other.id <> record.id`;
