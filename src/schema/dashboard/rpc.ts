import { isoDay } from '../../fields/index.ts';
import { parseJson } from '../../json.ts';
import type { Analytics, ComputeAnalytics } from './analytics.ts';

/**
 * Computes the figures for `mode=rpc` with one SQL function, which Prisma can only call in SQL. It filters by company.
 */
export const computeByRpc: ComputeAnalytics = async (
  { unscopedDb: db, caller: { companyId, timeZone } },
  { start, finish, now },
) => {
  const [row] = await db.$queryRaw<{ analytics: string }[]>`
    SELECT dashboard_analytics(${companyId}::uuid, ${isoDay(start)}::date, ${isoDay(finish)}::date, ${now}::timestamptz, ${timeZone}::text)::text AS analytics`;
  if (!row) throw new Error('dashboard_analytics returned no row');
  // Prisma would parse amounts as doubles. The function returns this shape.
  return parseJson(row.analytics) as Analytics;
};
