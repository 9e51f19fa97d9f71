import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hasSearchIndexes } from '../src/database/prepare.ts';
import type { Client } from './support/client.ts';
import { searchIndexes } from './support/search-indexes.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

const rowsOf = async (text: string, values?: unknown[]) => (await service.database.query({ text, values })).rows;

describe('a search among many rows', () => {
  beforeAll(async () => {
    const { row } = await client.post('/service-requests', { title: 'Oil the squeaky hinge' });
    await rowsOf(
      `INSERT INTO service_requests (company_id, id, title, description, created_by, updated_at)
       SELECT company_id, gen_random_uuid(), 'Lamp ' || n, 'Of room ' || md5(n::text), created_by, now()
         FROM service_requests, generate_series(1, 20000) AS n WHERE id = $1`,
      [row['id']],
    );
    await rowsOf('VACUUM ANALYZE service_requests');
  });

  test.each(['squeaky', 'SQUEAKY hinge', 'nowhere at all'])('uses the index for a rare text: %s', async (text) => {
    service.statements.length = 0;
    const { meta } = await client.get('/service-requests', { search: text, sort: 'title' });
    expect(meta.total).toBe(text.startsWith('nowhere') ? 0 : 1);
    const sql = service.statements.find((statement) => statement.includes('ILIKE'));
    const [{ company_id: company } = {}] = await rowsOf('SELECT company_id FROM service_requests LIMIT 1');
    // Those of the page and, in the same statement, of its total.
    const where = [company, `%${text}%`, `%${text}%`];
    const plan = await rowsOf(`EXPLAIN ${sql}`, [...where, ...where]);
    expect(JSON.stringify(plan)).toContain('service_requests_title_description_idx');
  });
});

test('searches are planned for their text: no connection keeps a plan', async () => {
  for (let n = 0; n < 7; n++) await client.get('/service-requests', { search: `hinge ${n}` });
  // The embedded database has one connection.
  const kept = await service.database.prisma.$queryRaw<{ statement: string }[]>`
    SELECT statement FROM pg_prepared_statements`;
  expect(kept.filter(({ statement }) => statement.includes('ILIKE'))).toEqual([]);
});

test('without the right to create the extension there are no indexes; later the same scripts create them', async () => {
  const names = ['20261122110319_search_indexes', '20261122223524_search_tracking_keys'];
  const scripts = names.map((name) =>
    readFile(join(import.meta.dirname, '../prisma/migrations', name, 'migration.sql'), 'utf8'),
  );
  const script = (await Promise.all(scripts)).join('\n');
  const { database } = service;
  const before = await searchIndexes(service.database);
  await database.inOneTransaction(async ({ execute }) => {
    await execute('DROP EXTENSION pg_trgm CASCADE; CREATE ROLE "tenant of a managed database"');
    await execute(`SET LOCAL ROLE "tenant of a managed database"; ${script}; RESET ROLE`);
    await execute('DROP ROLE "tenant of a managed database"');
  });
  expect([await searchIndexes(service.database), await hasSearchIndexes(database)]).toEqual([{}, false]);
  expect((await client.get('/service-requests', { search: 'squeaky' })).meta.total).toBe(1);
  await database.inOneTransaction(({ execute }) => execute(script));
  expect([await searchIndexes(service.database), await hasSearchIndexes(database)]).toEqual([before, true]);
});
