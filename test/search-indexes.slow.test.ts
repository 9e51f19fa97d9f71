import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findSearchIndexes } from '../scripts/search-indexes.ts';
import { hasSearchIndexes } from '../src/database/prepare.ts';
import type { Client } from './support/client.ts';
import { valuesFor } from './support/placeholders.ts';
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
    // Each statement ends well before the limit of statements.
    for (let first = 1; first < 20_000; first += 2000)
      await rowsOf(
        `INSERT INTO service_requests (company_id, id, title, description, created_by, updated_at)
         SELECT company_id, gen_random_uuid(), 'Lamp ' || n, 'Of room ' || md5(n::text), created_by, now()
           FROM service_requests, generate_series($2::int, $2::int + 1999) AS n WHERE id = $1`,
        [row['id'], first],
      );
    await rowsOf('VACUUM ANALYZE service_requests');
  });

  test.each(['squeaky', 'SQUEAKY hinge', 'nowhere at all'])('uses the index for a rare text: %s', async (text) => {
    service.statements.length = 0;
    const { meta } = await client.get('/service-requests', { search: text, sort: 'title' });
    expect(meta.total).toBe(text.startsWith('nowhere') ? 0 : 1);
    const sql = service.statements.find((statement) => statement.includes('fold_case(')) ?? '';
    const [{ company_id: company } = {}] = await rowsOf('SELECT company_id FROM service_requests LIMIT 1');
    const plan = await rowsOf(
      `EXPLAIN ${sql}`,
      valuesFor(sql, (type) => (type === 'uuid' ? company : `%${text}%`)),
    );
    expect(JSON.stringify(plan)).toContain('service_requests_search_idx');
  });
});

test('searches are planned for their text: no connection keeps a plan', async () => {
  for (let n = 0; n < 7; n++) await client.get('/service-requests', { search: `hinge ${n}` });
  // The embedded database has one connection.
  const kept = await service.database.prisma.$queryRaw<{ statement: string }[]>`
    SELECT statement FROM pg_prepared_statements`;
  expect(kept.filter(({ statement }) => statement.includes('fold_case('))).toEqual([]);
});

test('without the right to create the extension there are no indexes; later a script creates them', async () => {
  const script = (name: string) =>
    readFile(join(import.meta.dirname, '../prisma/migrations', name, 'migration.sql'), 'utf8');
  const [withExtension, withIndexes] = [
    await script('20261122110319_search_indexes'),
    await script('20261125090100_fold_searches'),
  ];
  const { database } = service;
  const before = await findSearchIndexes(database);
  await database.inOneTransaction(async ({ execute }) => {
    await execute('DROP EXTENSION pg_trgm CASCADE; CREATE ROLE "tenant of a managed database"');
    await execute(`SET LOCAL ROLE "tenant of a managed database"; ${withExtension}; RESET ROLE; ${withIndexes}`);
    await execute('DROP ROLE "tenant of a managed database"');
  });
  expect([await findSearchIndexes(database), await hasSearchIndexes(database)]).toEqual([{}, false]);
  expect((await client.get('/service-requests', { search: 'squeaky' })).meta.total).toBe(1);
  await database.inOneTransaction(({ execute }) => execute(`CREATE EXTENSION pg_trgm; ${withIndexes}`));
  expect([await findSearchIndexes(database), await hasSearchIndexes(database)]).toEqual([before, true]);
});
