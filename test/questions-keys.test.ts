// Questions that are grouped by ranges of numbers, and by the company's fiscal years. Against SQL written by hand.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Prisma } from '../src/database/generated/client/client.ts';
import { Questions } from './support/questions.ts';

let questions: Questions;
beforeAll(async () => {
  questions = await Questions.start();
});
afterAll(() => questions.close());

describe('how old are open requests?', () => {
  const age = Prisma.sql`extract(epoch FROM now() - r.created_at) / 86400`;

  test('in ranges with bounds of their own: 0 to 30 days, 31 to 60, and so on', async () => {
    questions.expectGroups(
      await questions.groupsOf(
        'serviceRequests(filter: { status: { ne: COMPLETED } })',
        'key { ageDays { bucket(bounds: [0, 31, 61, 91]) } priority } count',
      ),
      ['key.ageDays.bucket', 'key.priority', 'count'],
      await questions.sql`
        SELECT CASE WHEN ${age} >= 91 THEN 91 WHEN ${age} >= 61 THEN 61 WHEN ${age} >= 31 THEN 31 ELSE 0 END AS bound,
               upper(r.priority::text), count(*)
          FROM service_requests r WHERE r.company_id = ${questions.companyId}::uuid AND r.status <> 'completed'
         GROUP BY 1, r.priority ORDER BY 1, r.priority`,
    );
  });

  test('in ranges of one size, also in REST', async () => {
    const expected = await questions.sql`
      SELECT floor(r.amount / 500) * 500 AS bound, count(*), sum(r.amount)
        FROM invoices r WHERE r.company_id = ${questions.companyId}::uuid GROUP BY 1 ORDER BY 1`;
    const selection = 'key { amount { bucket(size: 500) } } count amount { sum }';
    const groups = await questions.groupsOf('invoices', selection);
    questions.expectGroups(groups, ['key.amount.bucket', 'count', 'amount.sum'], expected);
    const query = { group_by: 'amount.bucket(size=500)', measures: 'count,amount.sum' };
    const { rows } = await questions.client.get('/procurement/invoices/aggregates', query);
    expect(rows).toEqual(groups);
    const named = { group_by: 'range:amount.bucket(0,100,1000)', measures: 'count' };
    const csv = await questions.client.get('/procurement/invoices/aggregates', named, { accept: 'text/csv' });
    const bounds = await questions.sql`
      SELECT CASE WHEN r.amount >= 1000 THEN 1000 WHEN r.amount >= 100 THEN 100 WHEN r.amount >= 0 THEN 0 END, count(*)
        FROM invoices r WHERE r.company_id = ${questions.companyId}::uuid GROUP BY 1 ORDER BY 1`;
    expect(csv.text).toBe(`range,count\r\n${bounds.map((row) => `${row.join()}\r\n`).join('')}`);
  });

  test.each([
    ['bucket', 'requires either bounds or size'],
    ['bucket(size: 0)', 'must be more than 0'],
    ['bucket(bounds: [1, 1])', 'must ascend'],
    ['bucket(bounds: [])', 'must be 1 to 100 numbers'],
  ])('%s is refused', async (bucket, message) => {
    const error = await questions.errorOf('invoices', `key { amount { ${bucket} } } count`);
    expect(error).toContain(message);
  });
});

describe('what was spent in each fiscal year?', () => {
  test('it starts in the month that the company has set, and changes are those from the year before', async () => {
    const set = 'mutation { updateCompanySettings(input: { fiscalYearStartMonth: 4 }) { fiscalYearStartMonth } }';
    const { data } = await questions.session.graphql(set);
    expect(data).toEqual({ updateCompanySettings: { fiscalYearStartMonth: 4 } });
    const years = Prisma.sql`
      (date_trunc('year', r.issued_date - interval '3 months') + interval '3 months')::date`;
    questions.expectGroups(
      await questions.groupsOf(
        'invoices(filter: { issuedDate: { isNull: false } })',
        'key { issuedDate { fiscalYear } } amount { sum } derived { change(of: "amount.sum") }',
      ),
      ['key.issuedDate.fiscalYear', 'amount.sum', 'derived.change'],
      await questions.sql`
        SELECT y.year, y.sum, y.sum - p.sum FROM
          (SELECT ${years} AS year, sum(amount) AS sum FROM invoices r
            WHERE company_id = ${questions.companyId}::uuid AND issued_date IS NOT NULL GROUP BY 1) y
          LEFT JOIN (SELECT ${years} AS year, sum(amount) AS sum FROM invoices r
            WHERE company_id = ${questions.companyId}::uuid GROUP BY 1) p ON p.year = y.year - interval '1 year'
         ORDER BY 1`,
      1,
    );
  });

  test('those without rows are filled', async () => {
    const groups = await questions.groupsOf(
      'invoices(filter: { amount: { lt: -1 } })',
      'key { createdAt { fiscalYear } } count',
      'fill: { from: "2024-03-31", to: "2026-04-02" }',
    );
    expect(groups).toEqual(
      ['2023-04-01', '2024-04-01', '2025-04-01', '2026-04-01'].map((fiscalYear) => ({
        key: { createdAt: { fiscalYear } },
        count: 0,
      })),
    );
  });

  test('a month that is none is refused', async () => {
    for (const month of [0, 13]) {
      const set = `mutation { updateCompanySettings(input: { fiscalYearStartMonth: ${month} }) { slug } }`;
      const { errors } = await questions.session.graphql(set);
      expect(errors[0]?.extensions.code).toBe('VALIDATION_ERROR');
    }
  });
});
