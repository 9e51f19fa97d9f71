import { dayOf } from '../../resource/time.ts';
import type { Analyst, Analytics } from './analytics.ts';

/** Has one function of the database find the numbers. */
export const byFunction: Analyst = async ({ db, caller: { companyId } }, { start, finish, now }) => {
  const [row] = await db.$queryRaw<{ analytics: Analytics }[]>`
    SELECT dashboard_analytics(${companyId}::uuid, ${dayOf(start)}::date, ${dayOf(finish)}::date, ${now}::timestamptz) AS analytics`;
  if (!row) throw new Error('dashboard_analytics answered nothing');
  return row.analytics;
};
