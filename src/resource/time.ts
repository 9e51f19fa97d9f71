import { DateTime } from 'luxon';

/** Today's calendar day (UTC), as Prisma represents dates. */
export const today = (): Date => DateTime.utc().startOf('day').toJSDate();

/** Formats a calendar day from Prisma in ISO 8601. */
export const isoDay = (day: Date): string => day.toISOString().slice(0, 10);
