import { expect, test } from '@jest/globals';
import { findUnbound } from '../support/company-conditions.ts';

test.each([
  ['a condition', 'SELECT * FROM "paints" AS t0 WHERE t0."company_id" = $1::uuid AND t0."id" = $2'],
  ['without an alias', 'SELECT name FROM paints WHERE company_id = $1'],
  [
    'as Prisma writes it',
    'SELECT "public"."paints"."id" FROM "public"."paints" WHERE ("public"."paints"."company_id" = $1 AND 1=1)',
  ],
  [
    'a key of two columns',
    'SELECT id FROM "public"."paints" WHERE ("public"."paints"."company_id" = $1 AND "public"."paints"."id" IN ($2,$3))',
  ],
  [
    'at each level',
    'SELECT (SELECT t1.name FROM buildings AS t1 WHERE t1.company_id = $1 AND t1.id = t0.building_id) FROM areas AS t0 WHERE t0.company_id = $1',
  ],
  [
    'in a join',
    'SELECT 1 FROM areas t LEFT JOIN buildings AS b ON b.company_id = $1 AND b.id = t.building_id WHERE t.company_id = $1',
  ],
  ['of several companies that are given', 'SELECT 1 FROM paints WHERE company_id = ANY($1::uuid[])'],
  [
    'in a part of WITH, whose name hides a table',
    'WITH areas AS (SELECT id FROM paints WHERE company_id = $1) SELECT * FROM areas',
  ],
  [
    'in an update and a deletion',
    'WITH a AS (DELETE FROM paints WHERE company_id = $1) UPDATE areas AS t SET name = $2 WHERE t.company_id = $1 AND t.id = $3',
  ],
  [
    'in each of several, as Prisma reads rows by their keys',
    'SELECT t0.id FROM "public"."users" AS "t0" WHERE (("t0"."company_id" = $1 AND "t0"."email" = $2) OR ("t0"."company_id" = $3 AND "t0"."email" = $4))',
  ],
  ['not for new rows', 'INSERT INTO paints (company_id, name) VALUES ($1, $2) RETURNING id'],
  ['not for rows of no company', 'SELECT * FROM people WHERE email = $1'],
  ['in a union', 'SELECT id FROM paints WHERE company_id = $1 UNION ALL SELECT id FROM areas WHERE company_id = $1'],
])('a statement has the condition: %s', (_, sql) => {
  expect(findUnbound(sql)).toEqual([]);
});

test.each([
  ['nothing', 'SELECT * FROM paints', ['paints AS paints']],
  ['another column', 'SELECT * FROM "paints" AS t0 WHERE t0."id" = $1::uuid', ['paints AS t0']],
  [
    'the row above, which is no parameter',
    'SELECT 1 FROM areas t JOIN buildings AS b ON b.company_id = t.company_id WHERE t.company_id = $1',
    ['buildings AS b'],
  ],
  ['one of several', 'SELECT * FROM paints AS t WHERE (t.company_id = $1 OR t.id = $2)', ['paints AS t']],
  [
    'one of several groups',
    'SELECT * FROM paints AS t WHERE ((t.company_id = $1 AND t.name = $2) OR (t.id = $3 AND t.name = $4))',
    ['paints AS t'],
  ],
  ['one of several, at the end', 'SELECT * FROM paints AS t WHERE t.id = $2 OR t.company_id = $1', ['paints AS t']],
  ['one of several, first', 'SELECT * FROM paints AS t WHERE t.company_id = $1 OR t.id = $2', ['paints AS t']],
  ['all others', 'SELECT * FROM paints AS t WHERE NOT (t.company_id = $1)', ['paints AS t']],
  ['other companies', 'SELECT * FROM paints AS t WHERE t.company_id <> $1', ['paints AS t']],
  [
    'a level inside',
    'SELECT (SELECT json_agg(b.id) FROM (SELECT id FROM buildings AS b WHERE b.id = t.building_id) AS b) FROM areas AS t WHERE t.company_id = $1',
    ['buildings AS b'],
  ],
  [
    'that of another level',
    'SELECT 1 FROM areas AS t WHERE EXISTS (SELECT 1 FROM paints AS p WHERE p.company_id = $1)',
    ['areas AS t'],
  ],
  [
    'that of another part of a union',
    'SELECT id FROM paints WHERE company_id = $1 UNION ALL SELECT id FROM areas',
    ['areas AS areas'],
  ],
  ['an update', 'UPDATE "public"."paints" SET "name" = $1 WHERE "public"."paints"."id" = $2', ['paints AS paints']],
  ['a deletion', 'DELETE FROM paints USING areas WHERE areas.company_id = $1', ['paints AS paints']],
  ['a list of tables', 'SELECT 1 FROM paints p, areas a WHERE a.company_id = $1', ['paints AS p']],
])('a statement lacks the condition: %s', (_, sql, tables) => {
  expect(findUnbound(sql)).toEqual(tables);
});
