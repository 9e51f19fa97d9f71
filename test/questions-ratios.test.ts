// Questions about shares of people and of trainings. Against SQL written by hand; the company's time zone is Berlin's.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Questions } from './support/questions.ts';

let questions: Questions;
beforeAll(async () => {
  questions = await Questions.start();
  const { prisma, companyId, tenant } = questions;
  const [first, second] = tenant.users;
  const programs = await Promise.all(
    ['Fire safety', 'First aid'].map((title) => prisma.trainingProgram.create({ data: { companyId, title } })),
  );
  // Of each program: passed or not, or not yet known. The hours are those around midnight in Berlin.
  const completions: readonly (readonly [program: number, completedAt: string, passed: boolean | null])[] = [
    [0, '2026-03-31T21:30:00Z', true],
    [0, '2026-03-31T22:30:00Z', false],
    [0, '2026-05-05T08:00:00Z', true],
    [0, '2026-05-06T08:00:00Z', null],
    [1, '2026-10-25T00:30:00Z', false],
    [1, '2026-10-25T01:30:00Z', true],
    [1, '2026-11-02T12:00:00Z', true],
    [1, '2026-01-02T12:00:00Z', null],
  ];
  for (const [n, [program, completedAt, passed]] of completions.entries())
    await prisma.trainingCompletion.create({
      data: {
        ...{ companyId, passed, completedAt: new Date(completedAt) },
        ...{ trainingProgramId: programs[program]?.id ?? '', userId: (n % 2 ? first : second)?.id ?? '' },
      },
    });
  for (const [n, at] of ['2025-12-31T22:30:00Z', '2025-12-31T23:30:00Z', '2026-08-01T00:00:00Z'].entries()) {
    const email = `left-${n}@acme.test`;
    const { id } = await prisma.person.create({ data: { fullName: 'Gone', email } });
    await prisma.user.create({
      data: {
        companyId,
        id,
        fullName: 'Gone',
        email,
        role: n < 2 ? 'MEMBER' : 'EXECUTIVE',
        deactivatedAt: new Date(at),
      },
    });
  }
});
afterAll(() => questions.close());

test('which share of trainings was passed, by program and quarter?', async () => {
  questions.expectGroups(
    await questions.groupsOf(
      'trainingCompletions',
      `key { program { title } completedAt { quarter } }
       passed: count(where: { passed: { eq: true } }) known: count(where: { passed: { isNull: false } })
       derived { ratio(of: "passed", to: "known") }`,
    ),
    ['key.program.title', 'key.completedAt.quarter', 'passed', 'known', 'derived.ratio'],
    // The first and the second one are before and after midnight in Berlin, and so in two quarters.
    [
      ['Fire safety', '2026-01-01', 1, 1, 1],
      ['Fire safety', '2026-04-01', 1, 2, 0.5],
      ['First aid', '2026-01-01', 0, 0, null],
      ['First aid', '2026-10-01', 2, 3, Number((2 / 3).toPrecision(12))],
    ],
  );
});

test('which share of the people of each role left in the year?', async () => {
  const inYear = '{ gte: "2025-12-31T23:00:00Z", lt: "2026-12-31T23:00:00Z" }';
  const expected = await questions.sql`
    SELECT upper(role::text), count(*) FILTER (WHERE left_then) AS gone, count(*) AS every,
           round(count(*) FILTER (WHERE left_then)::numeric / count(*), 12)
      FROM (SELECT role, extract(year FROM deactivated_at AT TIME ZONE 'Europe/Berlin') = 2026 AS left_then
              FROM users WHERE company_id = ${questions.companyId}::uuid) AS people
     GROUP BY role ORDER BY role`;
  expect(expected.some(([, left, all]) => Number(left) > 0 && Number(left) < Number(all))).toBe(true);
  questions.expectGroups(
    await questions.groupsOf(
      'users',
      `key { role } left: count(where: { deactivatedAt: ${inYear} }) count derived { ratio(of: "left", to: "count") }`,
    ),
    ['key.role', 'left', 'count', 'derived.ratio'],
    expected,
  );
});
