import { expect, test } from '@jest/globals';
import { type Written, widest, writtenBy } from '../../../src/database/replicas/written.ts';

test.each<[Written, string]>([
  ['nothing', 'SELECT id FROM paints WHERE company_id = $1'],
  ['nothing', 'SELECT ctid FROM jobs FOR UPDATE SKIP LOCKED'],
  ['nothing', 'SELECT updated_at FROM paints'],
  ['unread', 'UPDATE jobs SET attempts = attempts + 1'],
  ['unread', 'INSERT INTO rate_limits (key) VALUES ($1) ON CONFLICT (key) DO UPDATE SET expire = $2'],
  ['company', 'INSERT INTO "public"."paints" ("id") VALUES ($1)'],
  ['company', 'DELETE FROM paints WHERE id = $1'],
  ['company', 'WITH gone AS (DELETE FROM comments RETURNING id) SELECT count(*) FROM gone'],
  ['company', 'WITH old AS (UPDATE jobs SET state = $1 RETURNING id) INSERT INTO notifications SELECT FROM old'],
  // A person may be a member of several companies.
  ['everybody', 'UPDATE users SET full_name = $1'],
  ['everybody', 'UPDATE people SET email = $1'],
  ['everybody', 'INSERT INTO companies (id) VALUES ($1)'],
  ['everybody', 'SELECT erase_user($1, $2)'],
])('%s is written by %s', (written, sql) => {
  expect(writtenBy(sql)).toBe(written);
});

test('of two statements, the one counts that more may read', () => {
  expect([widest('nothing', 'company'), widest('everybody', 'unread'), widest('unread', 'nothing')]).toEqual([
    'company',
    'everybody',
    'unread',
  ]);
});
