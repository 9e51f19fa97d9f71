import { DateTime } from 'luxon';

/** The calendar day it is (UTC), as Prisma has dates. */
export const today = (): Date => DateTime.utc().startOf('day').toJSDate();

/** A calendar day in ISO 8601, from how Prisma has it. */
export const isoDay = (day: Date): string => day.toISOString().slice(0, 10);
