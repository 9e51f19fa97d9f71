// Serves calendars to calendar programs, which know nothing but an address: its secret stands for its owner.
import type { FastifyInstance } from 'fastify';
import { calendarPath, findFeed, type OpenFeed } from '../auth/calendar-feeds.ts';
import type { Limiter } from '../auth/limits.ts';
import { networkOf } from '../auth/network.ts';
import { scopesOfRole } from '../auth/sessions/people.ts';
import { createContext } from '../context.ts';
import { type Database, runFor } from '../database/index.ts';
import { notFound, ServiceError } from '../errors.ts';
import { allowOnlyReads } from '../http/errors.ts';
import { isKnown } from '../http/headers.ts';
import { type Api, etagOfText } from '../resource/index.ts';
import { type LeaseDay, readLeaseDays } from '../schema/lease/calendar.ts';

interface CalendarDependencies {
  readonly api: Pick<Api, 'storage'>;
  readonly database: Database;
  readonly limiter: Limiter;
  readonly publicUrl: string;
}

/** How many requests an hour are answered for one address, and for a network that has found none. */
const requestsOfFeed = 60;
const requestsOfNetwork = 600;

/** How often (s) calendar programs should look again. */
const refreshSeconds = 3600;

/** Serves the calendars of leases. Whoever has an address reads as its owner, with the role that they have now. */
export function serveCalendars(
  app: FastifyInstance,
  { api, database, limiter, publicUrl }: CalendarDependencies,
): void {
  const url = `${calendarPath}/:secret`;
  app.get<{ Params: { secret: string } }>(url, async (request, reply) => {
    const count = async (key: string, limit: number) => {
      const { allowed, retryAfter } = await limiter.consume(key, limit);
      if (allowed) return;
      reply.header('retry-after', retryAfter);
      throw new ServiceError('RATE_LIMITED', `Too many requests; try again in ${retryAfter} seconds.`);
    };
    reply.header('cache-control', 'private, no-cache');
    await count(`calendars:${networkOf(request.ip)}`, requestsOfNetwork);
    const feed = await findFeed(database.prisma, /^(.*)\.ics$/.exec(request.params.secret)?.[1] ?? '');
    if (!feed) throw notFound('calendar');
    await count(`calendar:${feed.id}`, requestsOfFeed);
    const requester = { company: feed.companyId, caller: `calendar:${feed.id}`, signal: request.deadline };
    const days = await runFor(requester, () => readLeaseDays(contextOf(feed, request.id, { api, database })));
    const text = await toCalendar(days, feed, publicUrl);
    const etag = etagOfText(text);
    reply.header('etag', `"${etag}"`);
    if (isKnown(request, etag)) return reply.status(304).send();
    return reply.header('content-type', 'text/calendar; charset=utf-8').send(text);
  });
  allowOnlyReads(app, url);
}

const contextOf = (
  { id, companyId, timeZone, userId, role }: OpenFeed,
  requestId: string,
  { api, database }: Pick<CalendarDependencies, 'api' | 'database'>,
) =>
  createContext(database, {
    caller: { kind: 'token', id, companyId, timeZone, userId, role, scopes: scopesOfRole(role), rateLimit: 0 },
    storage: api.storage,
    requestId,
  });

/** Writes a calendar: the same text as long as nothing has changed. */
async function toCalendar(days: readonly LeaseDay[], feed: OpenFeed, publicUrl: string): Promise<string> {
  // Few requests need it.
  const { default: ical, ICalEventTransparency } = await import('ical-generator');
  const { companyName, companySlug } = feed;
  const calendar = ical({
    name: `Leases of ${companyName}`,
    prodId: { company: 'Premises', product: 'Leases', language: 'EN' },
    ttl: refreshSeconds,
  });
  for (const { id, leaseId, day, summary, description, updatedAt } of days)
    calendar.createEvent({
      // The host makes it unique in the world, as calendars of several installations may be shown together.
      id: `${id}@${new URL(publicUrl).host}`,
      start: day,
      allDay: true,
      summary,
      ...(description && { description }),
      url: `${publicUrl}/c/${companySlug}/leases/${leaseId}`,
      stamp: updatedAt,
      transparency: ICalEventTransparency.TRANSPARENT,
    });
  return calendar.toString();
}
