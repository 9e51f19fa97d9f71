import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { type Browser, signInAll } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let admin: Browser;
let member: Browser;
let leaseId: string;
const year = DateTime.utc().year + 1;
/** The day on which clocks go forward in Berlin next year: the last Sunday of March. */
const forward = DateTime.utc(year, 3, 31).minus({ days: DateTime.utc(year, 3, 31).weekday % 7 });
const dateOf = (day: DateTime) => day.toISODate() ?? '';
const inCalendar = (day: DateTime) => dateOf(day).replaceAll('-', '');

beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant('acme');
  client = await tenant.client();
  ({ admin, member } = await signInAll(service, tenant));
  await service.database.prisma.company.update({
    where: { id: tenant.company.id },
    data: { timeZone: 'Europe/Berlin' },
  });
  const { row } = await client.post('/leases', { name: 'Level 4; south, east', end_date: dateOf(forward) });
  leaseId = String(row['id']);
  await client.post(`/leases/${leaseId}/dates`, { date: dateOf(forward.plus({ days: 1 })), type: 'renewal_option' });
  await client.post(`/leases/${leaseId}/payments`, { due_date: dateOf(forward.minus({ days: 1 })), amount: 10 });
});
afterAll(() => service.close());

const make = async (browser: Browser) => {
  const { data, errors } = await browser.graphql<{ createCalendarFeed: { id: string; path: string } }>(
    'mutation { createCalendarFeed { id path } }',
  );
  expect(errors).toEqual([]);
  return data.createCalendarFeed;
};
const read = (path: string, headers: Record<string, string> = {}) => fetch(service.origin + path, { headers });
/** The events of a calendar: lines that were folded are one. */
const eventsOf = (text: string): Row[] =>
  text
    .replaceAll('\r\n ', '')
    .split('BEGIN:VEVENT')
    .slice(1)
    .map((event) =>
      Object.fromEntries(event.split('\r\n').map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1)])),
    );

test('a calendar has the ends, dates and dues of leases on their days, also where clocks change', async () => {
  const { path } = await make(member);
  expect(path).toMatch(/^\/calendars\/[\w-]{32}\.ics$/);
  const response = await read(path);
  expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
    200,
    'text/calendar; charset=utf-8',
    'private, no-cache',
  ]);
  const text = await response.text();
  expect(text).not.toContain('TZID');
  const events = eventsOf(text).map((event) => [event['DTSTART;VALUE=DATE'], event['SUMMARY'], event['DTEND']]);
  expect(events.toSorted()).toEqual([
    [inCalendar(forward.minus({ days: 1 })), 'Payment due: Level 4\\; south\\, east', undefined],
    [inCalendar(forward), 'Lease ends: Level 4\\; south\\, east', undefined],
    [inCalendar(forward.plus({ days: 1 })), 'Renewal option: Level 4\\; south\\, east', undefined],
  ]);
  expect(eventsOf(text)[0]?.['URL;VALUE=URI']).toBe(`http://localhost:4000/c/acme/leases/${leaseId}`);
});

test('an answer that is known is 304 until something changes', async () => {
  const { path } = await make(member);
  const etag = (await read(path)).headers.get('etag') ?? '';
  const known = { 'if-none-match': etag };
  expect((await read(path, known)).status).toBe(304);
  const { row } = await client.post(`/leases/${leaseId}/payments`, { due_date: dateOf(forward), amount: 5 });
  expect((await read(path, known)).status).toBe(200);
  // What is paid is due no more.
  await client.patch(`/leases/${leaseId}/payments/${String(row['id'])}`, { status: 'paid' });
  expect((await read(path, known)).status).toBe(304);
});

test('what lies outside of the calendar, is terminated or elsewhere is left out', async () => {
  const { path } = await make(member);
  const count = async () => eventsOf(await (await read(path)).text()).length;
  const before = await count();
  const today = DateTime.now().setZone('Europe/Berlin');
  const end = (days: number) => ({ name: 'Bound', end_date: dateOf(today.plus({ days })) });
  for (const days of [-91, 731]) await client.post('/leases', end(days));
  await client.post('/leases', { ...end(5), status: 'terminated' });
  await (await (await service.tenant()).client()).post('/leases', end(5));
  expect(await count()).toBe(before);
  for (const days of [-90, 730]) await client.post('/leases', end(days));
  expect(await count()).toBe(before + 2);
});

test('an address is its owner alone, and ends when it is deleted or they are deactivated', async () => {
  const { id, path } = await make(member);
  const listed = await member.graphql<{ calendarFeeds: Row[] }>('{ calendarFeeds { id path } }');
  expect(listed.data.calendarFeeds[0]).toEqual({ id, path: null });
  expect((await admin.graphql('{ calendarFeeds { id } }')).data).toEqual({ calendarFeeds: [] });
  const remove = `mutation { deleteCalendarFeed(id: "${id}") { id } }`;
  expect((await admin.graphql(remove)).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  expect((await read(path)).status).toBe(200);
  expect((await member.graphql(remove)).errors).toEqual([]);
  expect((await read(path)).status).toBe(404);

  const { path: later } = await make(member);
  const deactivated = (deactivatedAt: Date | null) =>
    service.database.prisma.user.updateMany({ where: { id: tenant.users[2]?.id }, data: { deactivatedAt } });
  await deactivated(new Date());
  expect((await read(later)).status).toBe(404);
  await deactivated(null);
  expect((await read(later)).status).toBe(200);
  const { prisma } = service.database;
  expect(await prisma.securityEvent.count({ where: { action: 'calendar_feed_deleted' } })).toBe(1);
  // Only the hash of the secret is stored.
  const stored = JSON.stringify(await prisma.calendarFeed.findMany());
  expect(stored).not.toContain(later.slice(11, 43));
});

test('other addresses are 404, and what is no reading 405', async () => {
  for (const path of ['/calendars/x.ics', `/calendars/${'A'.repeat(32)}.ics`, `/calendars/${'A'.repeat(32)}`])
    expect((await read(path)).status).toBe(404);
  const { path } = await make(member);
  expect((await fetch(service.origin + path, { method: 'POST' })).status).toBe(405);
  expect((await fetch(service.origin + path, { method: 'HEAD' })).status).toBe(200);
});

test('an address is answered 60 times an hour, and a person has ten', async () => {
  const { path } = await make(admin);
  const statuses: number[] = [];
  for (let n = 0; n < 62; n++) statuses.push((await read(path)).status);
  expect(statuses.slice(0, 60)).toEqual(Array(60).fill(200));
  expect(statuses.slice(60)).toEqual([429, 429]);
  for (let n = 1; n < 10; n++) await make(admin);
  const { errors } = await admin.graphql('mutation { createCalendarFeed { id } }');
  expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
});

test('to make one takes a recent sign-in, and a session', async () => {
  const query = 'mutation { createCalendarFeed { id } }';
  const { errors } = await client.at('').graphql(query);
  expect(errors).toMatchObject([{ path: ['createCalendarFeed'] }]);
  await service.database.prisma.session.updateMany({ data: { createdAt: new Date(Date.now() - 3_601_000) } });
  expect((await member.graphql(query)).errors).toMatchObject([{ extensions: { code: 'REAUTHENTICATION_REQUIRED' } }]);
});
