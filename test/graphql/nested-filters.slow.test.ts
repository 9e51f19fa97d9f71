import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { valuesFor } from '../support/placeholders.ts';
import { type Service, startService } from '../support/service.ts';

const counts = { buildings: 40, requests: 20_000, comments: 40_000 };

let service: Service;
let client: Client;
let companyId: string;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  client = await tenant.client();
  companyId = tenant.company.id;
  const author = tenant.users[0]?.id;
  await service.database.query({
    text: `
      WITH buildings AS (
        INSERT INTO buildings (company_id, id, name, updated_at)
        SELECT $1, gen_random_uuid(), 'Building ' || n, now() FROM generate_series(1, ${counts.buildings}) AS n RETURNING id
      ), numbered AS (
        SELECT id, row_number() OVER () - 1 AS n FROM buildings
      )
      INSERT INTO service_requests (company_id, id, title, created_by, building_id, updated_at)
      SELECT $1, gen_random_uuid(), 'Lamp ' || i, $2, numbered.id, now()
        FROM generate_series(1, ${counts.requests}) AS i JOIN numbered ON numbered.n = i % ${counts.buildings}`,
    values: [companyId, author],
  });
  await service.database.query({
    text: `
      INSERT INTO comments (company_id, id, service_request_id, comment, user_id, updated_at)
      SELECT $1, gen_random_uuid(), id, 'Comment ' || md5(id::text || n), $2, now()
        FROM service_requests, generate_series(1, 2) AS n WHERE company_id = $1`,
    values: [companyId, author],
  });
  await service.database.query({ text: 'VACUUM ANALYZE buildings, service_requests, comments' });
});
afterAll(() => service.close());

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** How many rows of a table a plan has read. */
const readOf = (plan: Plan, table: string): number =>
  (plan['Relation Name'] === table
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0) + (plan.Plans ?? []).reduce((sum, each) => sum + readOf(each, table), 0);

/** How many rows of a table a statement reads, of those sent so far the one that contains a text. */
async function readBy(part: string, table: string): Promise<number> {
  const [statement = ''] = service.statements.filter((sql) => sql.includes(part));
  const values = valuesFor(statement, (type) => (type === 'uuid' ? companyId : '%no such comment%'));
  const { rows } = await service.database.query({ text: `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`, values });
  const [{ Plan }] = Object.values(rows[0] ?? {})[0] as [{ Plan: Plan }];
  return readOf(Plan, table);
}

test('a condition on related rows reads them once for the lists of all rows of a page', async () => {
  service.statements.length = 0;
  const filter = '{ comments: { some: { comment: { contains: "no such comment" } } } }';
  const { data, errors } = await client.graphql(
    `{ buildings(first: 100) { nodes { serviceRequests(first: 1, filter: ${filter}) { nodes { id } } } } }`,
  );
  expect(errors).toEqual([]);
  expect(data).toEqual({
    buildings: { nodes: Array(counts.buildings).fill({ serviceRequests: { nodes: [] } }) },
  });
  expect(await readBy('LIKE', 'comments')).toBeLessThanOrEqual(counts.comments);
});

describe('lists of rows that have none read each row once at most', () => {
  beforeAll(async () => {
    await service.database.query({
      text: `INSERT INTO buildings (company_id, id, name, updated_at)
        SELECT $1, gen_random_uuid(), 'Empty', now() FROM generate_series(1, 60)`,
      values: [companyId],
    });
    await service.database.query({ text: 'VACUUM ANALYZE buildings' });
  });

  test.each(['{ field: CREATED_AT }', '{ field: ID }', '{ field: STATUS }', '{ field: CREATED_BY }'])(
    'in the order of %s',
    async (key) => {
      service.statements.length = 0;
      const { data, errors } = await client.graphql<{ buildings: { nodes: { serviceRequests: { nodes: Row[] } }[] } }>(
        `{ buildings(first: 100) { nodes { serviceRequests(first: 1, orderBy: [${key}]) { nodes { id } } } } }`,
      );
      expect(errors).toEqual([]);
      const found = data?.buildings.nodes.filter(({ serviceRequests }) => serviceRequests.nodes.length === 1);
      expect(found).toHaveLength(counts.buildings);
      expect(await readBy('"service_requests"', 'service_requests')).toBeLessThanOrEqual(counts.requests);
    },
  );
});

test('a condition on a list within another relation that no row matches reads its rows once', async () => {
  service.statements.length = 0;
  const filter = '{ building: { serviceRequests: { some: { title: { eq: "no such title" } } } } }';
  const { data, errors } = await client.graphql(`{ serviceRequests(first: 1, filter: ${filter}) { nodes { id } } }`);
  expect(errors).toEqual([]);
  expect(data).toEqual({ serviceRequests: { nodes: [] } });
  expect(await readBy('"buildings"', 'service_requests')).toBeLessThanOrEqual(2 * counts.requests);
});
