import { Prisma, type TimeClockRecord } from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import type { FieldErrors } from '../../errors.ts';
import { RelativeTime } from '../../fields/index.ts';

type Span = Pick<TimeClockRecord, 'clockInTime'> & Partial<Pick<TimeClockRecord, 'clockOutTime'>>;

/** The columns that the settings restrict. */
type Claim = Partial<Pick<TimeClockRecord, 'type' | 'locationId'>>;

/**
 * The minutes of a span, rounded to the nearest multiple of `roundingMinutes`, halves up; 0 and 1 mean whole minutes.
 */
export function roundMinutes({ clockInTime, clockOutTime }: Span, roundingMinutes: number): number | null {
  if (!clockOutTime) return null;
  const step = Math.max(roundingMinutes, 1);
  const minutes = (clockOutTime.getTime() - clockInTime.getTime()) / 60_000;
  return Math.round(minutes / step) * step;
}

/** The worked minutes of a record, rounded by the current settings; null while it is open. */
export async function computeWorkedMinutes(span: Span, db: TenantClient): Promise<Prisma.Decimal | null> {
  if (!span.clockOutTime) return null;
  const { roundingMinutes } = await db.timeClockSettings.findFirstOrThrow({ select: { roundingMinutes: true } });
  const minutes = roundMinutes(span, roundingMinutes);
  return minutes === null ? null : new Prisma.Decimal(minutes);
}

/**
 * Validates a record against the company's settings. Unchanged values stay valid when the settings change. The settings
 * are read only if they could forbid something.
 */
export async function validateAgainstSettings(
  { type, locationId }: Claim,
  previous: Claim | null,
  db: TenantClient,
): Promise<FieldErrors> {
  const isOvertime = type === 'OVERTIME' && previous?.type !== 'OVERTIME';
  const lacksLocation = previous ? locationId === null && previous.locationId !== null : locationId == null;
  if (!isOvertime && !lacksLocation) return {};
  const select = { allowOvertime: true, requireLocation: true } as const;
  const { allowOvertime, requireLocation } = await db.timeClockSettings.findFirstOrThrow({ select });
  return {
    ...(isOvertime && !allowOvertime && { type: "overtime is not allowed by your company's time clock settings" }),
    ...(lacksLocation && requireLocation && { locationId: "is required by your company's time clock settings" }),
  };
}

/** The condition on a time for a day of the company. @param day such as `2026-01-31` */
export const inDay = (day: string) => ({ gte: new RelativeTime(day, {}), lt: new RelativeTime(day, { day: 1 }) });
