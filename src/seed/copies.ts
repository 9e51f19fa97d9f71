import { actorSetting } from '../database/actor.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import { Prisma } from '../database/generated/client/client.ts';

const minBatchSize = 100;
const maxBatchSize = 1000;

/** The tables of a request's sub-resources, and their columns to copy. */
const threads = {
  comments: 'comment, user_id',
  watchers: 'user_id',
  time_logs: 'hours, description, user_id',
  activity_entries: 'action, from_value, to_value, user_id',
};

/**
 * Multiplies a company's service requests: copies, inside the database, the newest of each of `titles` with its
 * sub-resources, moved weeks into the past.
 * @param wanted number of copies to create
 * @param onProgress called with the number of copies created so far
 */
export async function copyRequests(
  prisma: PrismaClient,
  companyId: string,
  titles: readonly string[],
  wanted: number,
  onProgress?: (done: number, total: number) => void,
): Promise<void> {
  if (wanted <= 0) return;
  const found = await prisma.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT ON (title) id FROM service_requests
    WHERE company_id = ${companyId}::uuid AND title = ANY (${titles}) ORDER BY title, created_at DESC`;
  if (found.length === 0)
    throw new Error('all original service requests of the demo were deleted, so there are none to copy');
  const ids = found.map(({ id }) => id);
  let begun = 0;
  let done = 0;
  let nextAnalysis = minBatchSize;
  // Two concurrent statements use two processor cores of the database, which is enough load.
  const work = async () => {
    while (begun < wanted) {
      const from = begun;
      begun = Math.min(begun + Math.min(Math.max(done, minBatchSize), maxBatchSize), wanted);
      const until = begun;
      await prisma.$executeRaw(copyStatement(companyId, ids, from, until, wanted));
      done += until - from;
      onProgress?.(done, wanted);
      // Without new statistics, plans for small tables, above all those of foreign key checks, would scan whole tables.
      if (done >= nextAnalysis || done === wanted) {
        nextAnalysis = done * 2;
        await prisma.$executeRaw`ANALYZE service_requests, ${Prisma.raw(Object.keys(threads).join(', '))}`;
      }
    }
  };
  await Promise.all([work(), work()]);
}

/** Nobody gets email about copies. */
const actor = actorSetting({ kind: 'command_line', is_sample: true });

/**
 * A statement that creates the copies numbered `from` to `until` (exclusive), oldest first, which keeps indexes
 * compact. The periods of their statuses are copied too.
 */
function copyStatement(
  companyId: string,
  ids: readonly string[],
  from: number,
  until: number,
  wanted: number,
): Prisma.Sql {
  const copiedThreads = Object.entries(threads).map(([table, columns]) => {
    const [name, copied] = [Prisma.raw(table), Prisma.raw(columns)];
    return Prisma.sql`copied_${name} AS (
      INSERT INTO ${name} (company_id, id, service_request_id, created_at, updated_at, ${copied})
      SELECT company_id, ${uuid7}, copy.copy_id, created_at - shift, updated_at - shift, ${copied}
      FROM copy JOIN ${name} ON company_id = ${companyId}::uuid AND service_request_id = original)`;
  });
  return Prisma.sql`
    WITH settings AS MATERIALIZED (
      SELECT set_config('premises.own_periods', 'on', true), set_config(${actor.name}, ${actor.value}, true)
    ),
    copy AS MATERIALIZED (
      SELECT ${uuid7} AS copy_id, id AS original, shift
      FROM (
        SELECT (${[...ids]}::uuid[])[1 + n % ${ids.length}] AS original,
          make_interval(weeks => 1 + 103 * (${wanted} - n) / ${wanted}, secs => random() * 7200) AS shift
        FROM generate_series(${from}::int, ${until - 1}::int) AS n, settings
      ) AS number
      JOIN service_requests ON company_id = ${companyId}::uuid AND id = original
    ), ${Prisma.join(copiedThreads)},
    copied_periods AS (
      INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at, left_at)
      SELECT company_id, copy_id, table_name, status, entered_at - shift, left_at - shift
      FROM copy JOIN status_periods ON company_id = ${companyId}::uuid AND table_name = 'service_requests' AND row_id = original
      ORDER BY copy_id, seq)
    INSERT INTO service_requests (company_id, id, title, description, status, priority, category, assigned_to, created_by,
      building_id, floor, room, completed_at, created_at, updated_at)
    SELECT company_id, copy_id, title, description, status, priority, category, assigned_to, created_by,
      building_id, floor, room, completed_at - shift, created_at - shift, updated_at - shift
    FROM copy JOIN service_requests ON company_id = ${companyId}::uuid AND id = original`;
}

/** A version 7 UUID for the time `created_at - shift`: a version 4 UUID with the time inserted. */
const uuid7 = Prisma.sql`encode(set_bit(set_bit(overlay(
  uuid_send(gen_random_uuid())
  PLACING substring(int8send((extract(epoch FROM created_at - shift) * 1000)::bigint) FROM 3) FROM 1 FOR 6
), 52, 1), 53, 1), 'hex')::uuid`;
