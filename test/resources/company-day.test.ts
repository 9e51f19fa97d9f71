import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { analytics } from '../support/analytics.ts';
import { type Browser, openSession } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { at } from './days.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Company {
  readonly tenant: Tenant;
  readonly client: Client;
  readonly admin: Browser;
}

/** A company in a time zone, which its admin has set. */
async function companyIn(timeZone: string): Promise<Company> {
  const tenant = await service.tenant();
  const admin = (await openSession(service, tenant.users[0]?.id ?? '')).at('/api/v1');
  const { data } = await update(admin, { timeZone });
  expect(data['updateCompanySettings']).toMatchObject({ timeZone });
  return { tenant, admin, client: await tenant.client() };
}

const update = (admin: Client, input: Row) =>
  admin.graphql(
    `mutation ($input: UpdateCompanySettingsInput!) {
      updateCompanySettings(input: $input) { currency timeZone emailSenderName emailReplyTo }
    }`,
    { input },
  );

/** The names of the rows that a list has with these parameters. */
const names = async (client: Client, path: string, query: Record<string, string>, column = 'name') =>
  (await client.get(path, query)).rows.map((row) => row[column]).sort();

describe('the settings', () => {
  let admin: Browser;
  beforeAll(async () => {
    admin = (await companyIn('Europe/Berlin')).admin;
  });

  test.each([
    [{ timeZone: 'Europe/Atlantis' }, ['timeZone']],
    [{ timeZone: 'europe/berlin' }, ['timeZone']],
    [{ timeZone: '+02:00' }, ['timeZone']],
    [{ timeZone: 'posix/Europe/Berlin' }, ['timeZone']],
    [{ timeZone: "UTC'; DROP TABLE companies; --" }, ['timeZone']],
    [{ timeZone: '' }, ['timeZone']],
    [{ currency: 'eur' }, ['currency']],
    [{ currency: 'XYZ' }, ['currency']],
    [{ emailReplyTo: 'nobody' }, ['emailReplyTo']],
    [{ emailSenderName: 'Acme\r\nBcc: x@evil.example' }, ['emailSenderName']],
    [{ currency: '€', timeZone: 'Mars', emailReplyTo: '@' }, ['currency', 'emailReplyTo', 'timeZone']],
  ])('%j is refused by field', async (input, fields) => {
    const { errors } = await update(admin, input);
    expect(errors?.[0]?.extensions['code']).toBe('VALIDATION_ERROR');
    expect(Object.keys(errors?.[0]?.extensions['details'] as Row).sort()).toEqual(fields);
  });

  test('are changed one by one, and given back by null', async () => {
    const sender = { emailSenderName: 'Acme Facilities', emailReplyTo: 'Desk@Acme.Example' };
    const first = await update(admin, { currency: 'JPY', ...sender });
    expect(first.data['updateCompanySettings']).toEqual({
      currency: 'JPY',
      timeZone: 'Europe/Berlin',
      emailSenderName: 'Acme Facilities',
      emailReplyTo: 'desk@acme.example',
    });
    const second = await update(admin, { emailSenderName: null, emailReplyTo: '', timeZone: 'America/New_York' });
    expect(second.data['updateCompanySettings']).toEqual({
      currency: 'JPY',
      timeZone: 'America/New_York',
      emailSenderName: null,
      emailReplyTo: null,
    });
    const session = (await admin.at('').get('/auth/session')).row;
    expect(session['company']).toMatchObject({ currency: 'JPY', time_zone: 'America/New_York' });
  });
});

test('days of groups are those of any time zone that the settings accept', async () => {
  const { admin, client } = await companyIn('EST5EDT');
  await at('2026-03-16T03:30:00Z', () => client.post('/paints', { name: 'Chalk' }));
  const { data, errors } = await admin.graphql('{ paints { aggregates { key { createdAt { day } } count } } }');
  expect({ data, errors }).toEqual({
    data: { paints: { aggregates: [{ key: { createdAt: { day: '2026-03-15' } }, count: 1 }] } },
    errors: [],
  });
});

// 23:30 on 15 March 2026 in UTC: in Kiritimati (UTC+14) it is 13:30 on the 16th, in Honolulu (UTC-10) 13:30 on the
// 15th.
describe.each([
  ['Pacific/Kiritimati', '2026-03-15T23:30:00Z', '2026-03-16'],
  ['Pacific/Honolulu', '2026-03-15T23:30:00Z', '2026-03-15'],
  ['Pacific/Honolulu', '2026-03-15T09:59:00Z', '2026-03-14'],
  ['UTC', '2026-03-15T23:30:00Z', '2026-03-15'],
])('in %s at %s', (timeZone, now, today) => {
  const dayAfter = (n: number) => new Date(Date.parse(today) + n * 86_400_000).toISOString().slice(0, 10);
  let company: Company;
  beforeAll(async () => {
    company = await companyIn(timeZone);
  });

  test('a lease expires and maintenance is overdue on the day after', async () => {
    const { client } = company;
    await at('2026-01-01T12:00:00Z', async () => {
      const asset = (await client.post('/assets', { asset_name: 'Lift' })).row;
      for (const [name, n] of [
        ['yesterday', -1],
        ['today', 0],
      ] as const) {
        await client.post('/leases', { name, end_date: dayAfter(n) });
        const maintenance = { maintenance_type: 'preventive', scheduled_date: dayAfter(n), description: name };
        expect((await client.post(`/assets/${String(asset['id'])}/maintenance`, maintenance)).status).toBe(201);
      }
    });
    await at(now, async () => {
      expect(await names(client, '/leases', { status: 'expired' })).toEqual(['yesterday']);
      expect(await names(client, '/leases', { status: 'active' })).toEqual(['today']);
      expect(await names(client, '/assets/maintenance', { status: 'overdue' }, 'description')).toEqual(['yesterday']);
      const written = await client.post('/leases', { name: 'written', end_date: dayAfter(-1) });
      expect(written.row['status']).toBe('expired');
    });
  });

  test('a desk is free again on the day after', async () => {
    const { client, tenant } = company;
    const deskOf = async (name: string) => String((await client.post('/butts-in-seats/desks', { name })).row['id']);
    const [ending, lasting] = [await deskOf('ending'), await deskOf('lasting')];
    await at('2026-01-01T12:00:00Z', async () => {
      for (const [n, desk_id, end] of [
        [0, ending, -1],
        [1, lasting, 0],
      ] as const) {
        const record = { desk_id, user_id: tenant.users[n]?.id, start_date: '2025-12-01', end_date: dayAfter(end) };
        expect((await client.post('/butts-in-seats/employees', record)).status).toBe(201);
      }
    });
    await at(now, async () => {
      expect(await names(client, '/butts-in-seats/desks', { is_assigned: 'true' })).toEqual(['lasting']);
    });
  });

  test('words of filters name its days', async () => {
    const { client } = company;
    for (const n of [-1, 0, 1]) await client.post('/leases', { name: `word ${n}`, start_date: dayAfter(n) });
    await at(now, async () => {
      expect(await names(client, '/leases', { start_date: 'today' })).toEqual(['word 0']);
      expect(await names(client, '/leases', { 'start_date[lt]': 'today', search: 'word' })).toEqual(['word -1']);
      expect(await names(client, '/leases', { 'start_date[gte]': 'startOfMonth+16', search: 'word' })).toEqual(
        // The 17th of March and later.
        [-1, 0, 1].filter((n) => dayAfter(n) >= '2026-03-17').map((n) => `word ${n}`),
      );
    });
  });
});

describe('where the clocks change on 29 March 2026 in Berlin', () => {
  let company: Company;
  beforeAll(async () => {
    company = await companyIn('Europe/Berlin');
    const { client } = company;
    // The day begins at 23:00 UTC in winter, and ends at 22:00 UTC in summer.
    const times = ['2026-03-28T22:59:59Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z'];
    for (const [n, time] of times.entries()) {
      const shift = { clock_in_time: time, clock_out_time: new Date(Date.parse(time) + 500).toISOString() };
      expect((await client.post('/time-clock/records', { ...shift, notes: String(n) })).status).toBe(201);
      await at(time, async () => {
        expect((await client.post('/service-requests', { title: `request ${n}` })).status).toBe(201);
      });
    }
  });

  test('the day has 23 hours', async () => {
    const { client } = company;
    const ofDay = (date: string) => names(client, '/time-clock/records', { date }, 'notes');
    expect(await ofDay('2026-03-28')).toEqual(['0']);
    expect(await ofDay('2026-03-29')).toEqual(['1', '2']);
    expect(await ofDay('2026-03-30')).toEqual(['3']);
    await at('2026-03-29T12:00:00Z', async () => {
      const after = { 'clock_in_time[gte]': 'today', 'clock_in_time[lt]': 'today+1' };
      expect(await names(client, '/time-clock/records', after, 'notes')).toEqual(['1', '2']);
    });
    expect((await client.get('/time-clock/records', { date: '9999-12-31' })).status).toBe(200);
    expect((await client.get('/time-clock/records', { date: '0001-01-01' })).status).toBe(200);
  });

  test.each(['rpc', 'batch'])('the dashboard counts by its days (%s)', async (mode) => {
    const { admin } = company;
    await at('2026-03-30T12:00:00Z', async () => {
      const figures = await analytics(admin, { startDate: '2026-03-28', endDate: '2026-03-29', mode });
      expect(figures['service_requests']).toMatchObject({
        total: 3,
        created_per_day: [
          { date: '2026-03-28', count: 1 },
          { date: '2026-03-29', count: 2 },
        ],
      });
      const range = (await analytics(admin, { mode }))['range'];
      expect(range).toEqual({ start_date: '2026-03-01', end_date: '2026-03-30' });
      for (const [first, last] of [
        ['0001-01-01', '0001-01-02'],
        ['9999-12-31', '9999-12-31'],
      ] as const) {
        const figures = await analytics(admin, { startDate: first, endDate: last, mode });
        expect(figures['range']).toEqual({ start_date: first, end_date: last });
      }
    });
  });

  test('a daily reminder keeps its hour', async () => {
    const { client } = company;
    // Nine in the morning: 8:00 UTC in winter, 7:00 UTC in summer.
    const daily = { title: 'Open the gate', recurrence: 'daily', due_date: '2026-03-28T08:00:00Z' };
    const { row } = await client.post('/reminders', daily);
    await at('2026-03-28T09:00:00Z', () => client.patch(`/reminders/${String(row['id'])}`, { status: 'completed' }));
    const next = await client.get('/reminders', { status: 'pending' });
    expect(next.rows.map(({ due_date }) => due_date)).toEqual(['2026-03-29T07:00:00.000Z']);
  });

  test('AI usage is counted in its month', async () => {
    const { admin } = company;
    const record = `mutation ($input: RecordAiUsageInput!) { recordAiUsage(input: $input) { id } }`;
    for (const occurredAt of ['2026-02-28T22:59:00Z', '2026-02-28T23:00:00Z', '2026-03-31T21:59:00Z'])
      await admin.graphql(record, { input: { feature: 'search', costUsd: 1, occurredAt } });
    await at('2026-03-31T21:30:00Z', async () => {
      const { row } = await admin.get('/ai-usage');
      expect(row).toMatchObject({ range: { start: '2026-03-01', end: '2026-04-01' }, total: { requests: 2 } });
    });
    await admin.post('/ai-usage', { action: 'aggregate', month: '2026-02-10' });
    const { row } = await admin.get('/ai-usage', { start: '2026-02-01', end: '2026-03-01' });
    expect(row).toMatchObject({ total: { requests: 1 }, months: [{ month: '2026-02-01', requests: 1 }] });
  });
});

// The clocks go from 01:00 back to 00:00: the day starts twice, at 04:00 and at 05:00 UTC, and ends at 05:00 UTC.
describe('where 1 November 2026 starts twice, in Havana', () => {
  const times = ['2026-11-01T03:59:59Z', '2026-11-01T04:30:00Z', '2026-11-01T05:30:00Z', '2026-11-02T05:00:00Z'];
  let company: Company;
  beforeAll(async () => {
    company = await companyIn('America/Havana');
    const { client, admin } = company;
    for (const [n, time] of times.entries()) {
      const shift = { clock_in_time: time, clock_out_time: new Date(Date.parse(time) + 500).toISOString() };
      expect((await client.post('/time-clock/records', { ...shift, notes: String(n) })).status).toBe(201);
      await at(time, async () => {
        expect((await client.post('/service-requests', { title: `request ${n}` })).status).toBe(201);
      });
      const use = { feature: 'search', costUsd: 1, occurredAt: time };
      await admin.graphql(`mutation ($input: RecordAiUsageInput!) { recordAiUsage(input: $input) { id } }`, {
        input: use,
      });
    }
  });

  test('a record is on one day', async () => {
    const { client } = company;
    const ofDay = (date: string) => names(client, '/time-clock/records', { date }, 'notes');
    expect([await ofDay('2026-10-31'), await ofDay('2026-11-01'), await ofDay('2026-11-02')]).toEqual([
      ['0'],
      ['1', '2'],
      ['3'],
    ]);
  });

  test('groups and words of filters have its days', async () => {
    const { client } = company;
    const { data } = await client.graphql(
      '{ timeClockRecords { aggregates { key { clockInTime { day month weekday } } count } } }',
    );
    expect(data).toEqual({
      timeClockRecords: {
        aggregates: [
          { key: { clockInTime: { day: '2026-10-31', month: '2026-10-01', weekday: 6 } }, count: 1 },
          { key: { clockInTime: { day: '2026-11-01', month: '2026-11-01', weekday: 7 } }, count: 2 },
          { key: { clockInTime: { day: '2026-11-02', month: '2026-11-01', weekday: 1 } }, count: 1 },
        ],
      },
    });
    for (const now of [times[1], times[2], '2026-11-02T04:59:59Z'])
      await at(String(now), async () => {
        const found = (query: Record<string, string>) => names(client, '/time-clock/records', query, 'notes');
        const day = { 'clock_in_time[gte]': 'today', 'clock_in_time[lt]': 'today+1' };
        expect(await found(day)).toEqual(['1', '2']);
        expect(await found({ 'clock_in_time[lt]': 'startOfMonth' })).toEqual(['0']);
      });
  });

  test('the dashboard counts by its days', async () => {
    const figures = await analytics(company.admin, { startDate: '2026-10-31', endDate: '2026-11-01' });
    expect(figures['service_requests']).toMatchObject({
      total: 3,
      created_per_day: [
        { date: '2026-10-31', count: 1 },
        { date: '2026-11-01', count: 2 },
      ],
    });
  });

  test('AI usage is counted in one month', async () => {
    const { admin } = company;
    for (const [start, end, requests] of [
      ['2026-10-01', '2026-11-01', 1],
      ['2026-11-01', '2026-12-01', 3],
    ] as const) {
      await admin.post('/ai-usage', { action: 'aggregate', month: start });
      const { row } = await admin.get('/ai-usage', { start, end });
      expect(row).toMatchObject({
        total: { requests },
        feature_months: [{ month: start, requests }],
        months: [{ month: start, requests }],
      });
    }
  });
});

test('another time zone takes effect on tokens in use within a second', async () => {
  const { client, admin } = await companyIn('UTC');
  await client.post('/leases', { name: 'due', start_date: '2026-03-16' });
  await at('2026-03-15T23:30:00Z', async () => {
    expect(await names(client, '/leases', { start_date: 'today' })).toEqual([]);
    await update(admin, { timeZone: 'Asia/Tokyo' });
    const deadline = performance.now() + 1000;
    let found: unknown[] = [];
    while (found.length === 0 && performance.now() < deadline)
      found = await names(client, '/leases', { start_date: 'today' });
    expect(found).toEqual(['due']);
  });
});
