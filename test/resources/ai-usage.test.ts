import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { at } from '../resources/days.ts';
import { signInAll } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

const path = '/ai-usage';
const fields = 'id feature model userId inputTokens outputTokens costUsd occurredAt createdAt';
const mutation = `mutation($input: RecordAiUsageInput!) { recordAiUsage(input: $input) { ${fields} } }`;

let service: Service;
let tenant: Tenant;
let people: Awaited<ReturnType<typeof signInAll>>;
let token: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  people = await signInAll(service, tenant);
  token = await tenant.client(['*:write']);
});
afterAll(async () => {
  await service.close();
});

const record = (client: Client, input: Row) => client.graphql<{ recordAiUsage: Row | null }>(mutation, { input });
/** A new company with events: feature, time, input and output tokens, cost. */
async function companyWith(...events: readonly [string, string, number, number, number][]) {
  const company = await service.tenant();
  const client = await company.client();
  for (const [feature, occurredAt, inputTokens, outputTokens, costUsd] of events) {
    expect((await record(client, { feature, occurredAt, inputTokens, outputTokens, costUsd })).errors).toEqual([]);
  }
  return { client, company, ...(await signInAll(service, company)) };
}
const usage = (requests: number, input_tokens: number, output_tokens: number, cost_usd: number) => ({
  requests,
  input_tokens,
  output_tokens,
  total_tokens: input_tokens + output_tokens,
  cost_usd,
});

describe('an event', () => {
  test('requires write access to everything', async () => {
    const input = {
      feature: 'request_triage',
      model: 'small-2',
      inputTokens: 1200,
      outputTokens: 80,
      costUsd: 0.0000000123,
      occurredAt: '2026-03-01T10:00:00.000Z',
    };
    for (const [client, user] of [
      [token, 0],
      [await tenant.client(['*']), 0],
      [people.admin, 0],
      [people.executive, 1],
      [people.member, 2],
    ] as const) {
      const { data, errors } = await record(client, input);
      expect(errors).toEqual([]);
      expect(data.recordAiUsage).toEqual({
        id: expect.any(String),
        userId: tenant.users[user]?.id,
        createdAt: expect.any(String),
        ...input,
      });
    }
    const others = ['leases:write', 'shipping:write', 'notes:read'];
    for (const scopes of [['*:read'], others]) {
      expect((await record(await tenant.client(scopes), input)).errors).toMatchObject([
        { message: 'This requires the scope *:write.', extensions: { code: 'INSUFFICIENT_SCOPE', status: 403 } },
      ]);
    }
    expect((await record(service.anonymous, input)).status).toBe(401);
  });

  test("requires only a feature, and can be another user's", async () => {
    const before = Date.now();
    const { data } = await record(token, { feature: 'search' });
    expect(data.recordAiUsage).toMatchObject({
      feature: 'search',
      model: null,
      userId: tenant.users[0]?.id,
      inputTokens: 0,
      outputTokens: 0,
      costUsd: 0,
    });
    const occurred = Date.parse(String(data.recordAiUsage?.['occurredAt']));
    expect(occurred).toBeGreaterThanOrEqual(before - 1000);
    expect(occurred).toBeLessThanOrEqual(Date.now() + 1000);
    expect((await record(token, { feature: 'search', userId: tenant.users[2]?.id })).data.recordAiUsage).toMatchObject({
      userId: tenant.users[2]?.id,
    });
  });

  test('reports all errors at once', async () => {
    const anonymous = (await service.tenant()).users[0]?.id;
    const { data, errors } = await record(token, { feature: ' ', inputTokens: -1, costUsd: 1e-11, userId: anonymous });
    expect(data.recordAiUsage).toBeNull();
    expect(errors).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION_ERROR',
          status: 422,
          details: {
            feature: expect.any(String),
            inputTokens: expect.any(String),
            costUsd: expect.any(String),
            userId: 'no such user in your company',
          },
        },
      },
    ]);
    expect((await record(token, { feature: 'x', userId: randomUUID() })).errors).toMatchObject([
      { extensions: { details: { userId: expect.any(String) } } },
    ]);
  });
});

describe('usage', () => {
  test('is summed exactly by feature, within a range of days', async () => {
    const { executive } = await companyWith(
      ['triage', '2026-02-28T23:59:59.999Z', 1000, 1000, 1000],
      ['triage', '2026-03-01T00:00:00Z', 100, 10, 0.1],
      ['triage', '2026-03-10T00:00:00Z', 200, 20, 0.2],
      ['search', '2026-03-31T23:59:59.999Z', 2_000_000_000, 2_000_000_000, 0.0000000001],
      ['search', '2026-03-02T00:00:00Z', 2_000_000_000, 1, 7],
      ['triage', '2026-04-01T00:00:00Z', 1000, 1000, 1000],
    );
    const reply = await executive.get(path, { start: '2026-03-01', end: '2026-04-01' });
    expect(reply.status).toBe(200);
    expect(reply.row).toEqual({
      range: { start: '2026-03-01', end: '2026-04-01' },
      features: [
        { feature: 'search', ...usage(2, 4_000_000_000, 2_000_000_001, 7.0000000001) },
        { feature: 'triage', ...usage(2, 300, 30, 0.3) },
      ],
      total: usage(4, 4_000_000_300, 2_000_000_031, 7.3000000001),
      feature_months: [
        { month: '2026-03-01', feature: 'search', ...usage(2, 4_000_000_000, 2_000_000_001, 7.0000000001) },
        { month: '2026-03-01', feature: 'triage', ...usage(2, 300, 30, 0.3) },
      ],
      months: [],
    });
    // By month without a summary, and only the days in the range.
    expect((await executive.get(path, { start: '2026-03-10', end: '2026-05-01' })).row).toMatchObject({
      total: usage(3, 2_000_001_200, 2_000_001_020, 1000.2000000001),
      feature_months: [
        { month: '2026-03-01', feature: 'triage', ...usage(1, 200, 20, 0.2) },
        { month: '2026-03-01', feature: 'search', ...usage(1, 2_000_000_000, 2_000_000_000, 0.0000000001) },
        { month: '2026-04-01', feature: 'triage', ...usage(1, 1000, 1000, 1000) },
      ],
    });
    expect((await executive.get(path, { start: '2026-03-01', end: '2026-03-01' })).row).toMatchObject({
      features: [],
      total: usage(0, 0, 0, 0),
    });
    expect((await executive.get(path, { start: '2026-03-10', end: '2026-03-11' })).row).toMatchObject({
      features: [{ feature: 'triage', ...usage(1, 200, 20, 0.2) }],
    });
  });

  test('is that of this month by default', async () => {
    // With a fixed clock, so that no month ends meanwhile.
    await at(new Date().toISOString(), async () => {
      const first = (months: number) => DateTime.utc().startOf('month').plus({ months }).toISODate() ?? '';
      const [before, now, next, after] = [first(-1), first(0), first(1), first(2)];
      const lastMoment = new Date(Date.parse(now) - 1).toISOString();
      const { admin } = await companyWith(
        ['a', lastMoment, 1, 1, 1],
        ['b', `${now}T00:00:00Z`, 2, 2, 2],
        ['c', `${next}T00:00:00Z`, 3, 3, 3],
      );
      expect((await admin.get(path)).row).toMatchObject({
        range: { start: now, end: next },
        features: [{ feature: 'b' }],
      });
      expect((await admin.get(path, { start: before })).row).toMatchObject({
        range: { start: before, end: next },
        features: [{ feature: 'b' }, { feature: 'a' }],
      });
      expect((await admin.get(path, { end: after })).row).toMatchObject({
        range: { start: now, end: after },
        total: usage(2, 5, 5, 5),
      });
    });
  });

  test('excludes other companies and the sandbox', async () => {
    const { company, admin } = await companyWith(['mine', '2026-03-01T00:00:00Z', 1, 1, 1]);
    await record(await company.client(['*'], { live: false }), {
      feature: 'sandbox',
      occurredAt: '2026-03-01T00:00:00Z',
    });
    await record(token, { feature: 'theirs', occurredAt: '2026-03-01T00:00:00Z' });
    expect((await admin.get(path, { start: '2026-03-01', end: '2026-04-01' })).row).toMatchObject({
      features: [{ feature: 'mine' }],
      total: usage(1, 1, 1, 1),
    });
  });

  test.each<[Row, string]>([
    [{ start: '2026-03-02', end: '2026-03-01' }, 'end'],
    [{ start: '2999-01-01' }, 'end'],
    [{ start: '2026-02-30' }, 'start'],
    [{ end: '' }, 'end'],
    [{ end: ['2026-03-01', '2026-03-02'] }, 'end'],
    [{ month: '2026-03-01' }, 'month'],
  ])('names the invalid parameter of %j: %s', async (query, parameter) => {
    const reply = await people.admin.get(path, query);
    expect(reply).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', message: expect.stringMatching(new RegExp(`^${parameter}: `)) },
    });
  });
});

describe('a month', () => {
  const aggregate = (client: Client, month: unknown = '2026-03-01') =>
    client.post(path, { action: 'aggregate', month });
  const march = { month: '2026-03-01', updated_at: expect.any(String) };

  test('is rolled up repeatedly with the same result', async () => {
    const { admin, executive } = await companyWith(
      ['triage', '2026-03-01T00:00:00Z', 100, 10, 0.1],
      ['triage', '2026-03-31T23:59:59.999Z', 200, 20, 0.2],
      ['search', '2026-03-15T00:00:00Z', 2_000_000_000, 0, 5],
      ['search', '2026-03-15T00:00:00Z', 2_000_000_000, 0, 5],
      ['search', '2026-02-28T23:59:59.999Z', 9, 9, 9],
      ['search', '2026-04-01T00:00:00Z', 9, 9, 9],
    );
    const first = await aggregate(admin);
    expect(first.status).toBe(201);
    expect(first.rows).toEqual([
      { ...march, feature: 'search', ...usage(2, 4_000_000_000, 0, 10) },
      { ...march, feature: 'triage', ...usage(2, 300, 30, 0.3) },
    ]);
    for (const day of ['2026-03-01', '2026-03-17', '2026-03-31'])
      expect((await aggregate(executive, day)).rows).toEqual(first.rows);
    expect((await admin.get(path, { start: '2026-03-31', end: '2026-04-01' })).row['months']).toEqual(first.rows);
    expect((await admin.get(path, { start: '2026-01-01', end: '2026-03-01' })).row['months']).toEqual([]);
    expect((await admin.get(path, { start: '2026-04-01', end: '2026-05-01' })).row['months']).toEqual([]);
    expect((await admin.get(path, { start: '2026-03-15', end: '2026-03-15' })).row['months']).toEqual([]);
    expect((await aggregate(admin, '2025-01-01')).rows).toEqual([]);
  });

  test('loses a feature whose only use a change of the time zone moves to another month', async () => {
    const { admin } = await companyWith(['triage', '2026-03-31T20:00:00Z', 1, 1, 5]);
    expect((await aggregate(admin)).rows).toMatchObject([{ feature: 'triage', cost_usd: 5 }]);
    const input = { timeZone: 'Asia/Tokyo' };
    const settings =
      'mutation ($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { timeZone } }';
    expect((await admin.graphql(settings, { input })).errors).toEqual([]);
    expect((await aggregate(admin)).rows).toEqual([]);
    expect((await aggregate(admin, '2026-04-01')).rows).toMatchObject([{ feature: 'triage', cost_usd: 5 }]);
    const { row } = await admin.get(path, { start: '2026-03-01', end: '2026-05-01' });
    expect(row['months']).toMatchObject([{ month: '2026-04-01', cost_usd: 5 }]);
  });

  test('includes newer events when rolled up again', async () => {
    const { client, admin } = await companyWith(
      ['triage', '2026-03-01T00:00:00Z', 100, 10, 0.1],
      ['search', '2026-03-01T00:00:00Z', 1, 1, 0.5],
    );
    const [search] = (await aggregate(admin)).rows;
    await record(client, {
      feature: 'triage',
      occurredAt: '2026-03-02T00:00:00Z',
      inputTokens: 1,
      outputTokens: 2,
      costUsd: 0.2,
    });
    await record(client, {
      feature: 'drafts',
      occurredAt: '2026-03-02T00:00:00Z',
      inputTokens: 5,
      outputTokens: 5,
      costUsd: 0.05,
    });
    // Unchanged rows keep their update time.
    expect((await aggregate(admin)).rows).toEqual([
      search,
      { ...march, feature: 'triage', ...usage(2, 101, 12, 0.3) },
      { ...march, feature: 'drafts', ...usage(1, 5, 5, 0.05) },
    ]);
  });

  test('is exact with 20 concurrent roll-ups while events are recorded', async () => {
    const { client, admin, executive, company } = await companyWith(['triage', '2026-03-01T00:00:00Z', 1, 1, 0.01]);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 2 === 0
          ? aggregate(n % 4 === 0 ? admin : executive)
          : record(client, {
              feature: 'triage',
              occurredAt: '2026-03-02T00:00:00Z',
              inputTokens: 1,
              outputTokens: 1,
              costUsd: 0.01,
            }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map((_, n) => (n % 2 === 0 ? 201 : 200)));
    const last = await aggregate(admin);
    expect(last.rows).toEqual([{ ...march, feature: 'triage', ...usage(21, 21, 21, 0.21) }]);
    const again = await Promise.all(Array.from({ length: 20 }, () => aggregate(admin)));
    for (const { rows } of again) expect(rows).toEqual(last.rows);
    expect(await service.database.prisma.aiUsageMonth.count({ where: { companyId: company.company.id } })).toBe(1);
  });

  test.each<[string, Row, string[]]>([
    ['nothing', {}, ['action', 'month']],
    ['another action', { action: 'delete', month: '2026-03-01' }, ['action']],
    ['an action in capitals', { action: 'AGGREGATE', month: '2026-03-01' }, ['action']],
    ['a month that is none', { action: 'aggregate', month: '2026-13-01' }, ['month']],
    ['a month without a day', { action: 'aggregate', month: '2026-03' }, ['month']],
    ['a number', { action: 'aggregate', month: 3 }, ['month']],
    ['null', { action: null, month: null }, ['action', 'month']],
    ['more', { action: 'aggregate', month: '2026-03-01', feature: 'x' }, ['feature']],
  ])('requires a valid date and action: %s is rejected', async (_, body, fields) => {
    const reply = await people.admin.post(path, body);
    expect({ status: reply.status, code: reply.error.code, fields: Object.keys(reply.details).sort() }).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      fields,
    });
  });

  test('can be rolled up in GraphQL', async () => {
    const { admin } = await companyWith(['triage', '2199-12-31T23:59:59Z', 3, 2, 0.1]);
    const { data, errors } = await admin.graphql(
      'mutation { aggregateAiUsage(input: { action: AGGREGATE, month: "2199-12-31" }) { month feature requests totalTokens costUsd } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      aggregateAiUsage: [{ month: '2199-12-01', feature: 'triage', requests: 1, totalTokens: 5, costUsd: 0.1 }],
    });
  });
});
