import { randomBytes } from 'node:crypto';
import { DateTime } from 'luxon';

/** Today's calendar day (UTC), as Prisma represents dates. */
export const today = (): Date => DateTime.utc().startOf('day').toJSDate();

/** Formats a calendar day from Prisma in ISO 8601. */
export const isoDay = (day: Date): string => day.toISOString().slice(0, 10);

/** A version 7 UUID (RFC 9562) as it would have been issued at a given time. */
export function uuidAt(at: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}
