import { z } from 'zod';
import type { Prisma } from '../database/generated/client/client.ts';
import { printCsv } from '../http/csv.ts';
import { listSecurityEvents, type SecurityFilter, securityActions } from './security-log.ts';

/** The most events of a file, and how many are read at once. */
const maxEvents = 10_000;
const pageSize = 1000;

const time = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time' })
  .transform((value) => new Date(value));

/** Reads which events a file has. */
export const securityFilter = z.strictObject({
  actions: z.array(z.enum(securityActions, { error: 'must be actions of the security log' })).optional(),
  search: z.string({ error: 'must be a string' }).trim().optional(),
  since: time.optional(),
  until: time.optional(),
});

const columns = [
  'created_at',
  'action',
  'actor',
  'actor_email',
  'person',
  'person_email',
  'ip_address',
  'user_agent',
  'details',
  'id',
] as const;

/** Writes a company's events as CSV, newest first: at most 10,000. */
export async function securityLogCsv(
  prisma: Prisma.TransactionClient,
  companyId: string,
  { search, ...filter }: Omit<SecurityFilter, 'before' | 'personId'>,
): Promise<string> {
  const parts = [printCsv([columns])];
  let before: string | undefined;
  for (let count = 0; count < maxEvents; count += pageSize) {
    const events = await listSecurityEvents(prisma, companyId, {
      ...filter,
      ...{ first: pageSize, before, search: search || undefined },
    });
    const rows = events.map(({ id, action, actor, person, ipAddress, userAgent, details, createdAt }) => [
      ...[createdAt.toISOString(), action, actor?.fullName, actor?.email, person?.fullName, person?.email],
      ...[ipAddress, userAgent, details, id],
    ]);
    parts.push(printCsv(rows));
    before = events.at(-1)?.id;
    if (events.length < pageSize) break;
  }
  return parts.join('');
}
