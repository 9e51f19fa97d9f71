import type { Context } from '../../context.ts';
import type { TimeClockRecord } from '../../database/generated/client/client.ts';
import { conflict } from '../../errors.ts';
import { lockRows } from '../../resource/index.ts';
import { hasRule } from '../company-rules.ts';

/** What decides whether two records overlap. */
type Shift = Pick<TimeClockRecord, 'userId' | 'type' | 'clockInTime'> &
  Partial<Pick<TimeClockRecord, 'id' | 'clockOutTime'>>;

/** Whether a change of a record can make it overlap another. */
export const isMoved = (previous: Shift, next: Shift): boolean =>
  (['userId', 'type', 'clockInTime', 'clockOutTime'] as const).some(
    (column) => previous[column]?.valueOf() !== next[column]?.valueOf(),
  );

/**
 * Rejects a record that would overlap another one of its user and type, where the company does not allow that. The user
 * is locked, so that of two at the same time one is rejected. An open record does not end.
 *
 * @throws ServiceError CONFLICT
 */
export async function assertSeparateTimes(shift: Shift, context: Context): Promise<void> {
  if (!(await hasRule('separateTimes', context))) return;
  const { id, userId, type, clockInTime, clockOutTime = null } = shift;
  await lockRows('User', [userId], context);
  const other = await context.db.timeClockRecord.findFirst({
    where: {
      id: { not: id },
      userId,
      type,
      clockInTime: clockOutTime ? { lt: clockOutTime } : undefined,
      OR: [{ clockOutTime: null }, { clockOutTime: { gt: clockInTime } }],
    },
    orderBy: { clockInTime: 'asc' },
  });
  if (!other) return;
  const period = [other.clockInTime, other.clockOutTime].map((time) => time?.toISOString() ?? 'now').join(' to ');
  throw conflict(`The time record ${other.id} of this user, from ${period}, is at the same time.`, {
    clockInTime: `overlaps the time record ${other.id}`,
  });
}
