// Lists in the order of what is computed of the lists of their rows, against SQL written by hand.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Prisma } from '../src/database/generated/client/client.ts';
import { Questions } from './support/questions.ts';

let questions: Questions;
let company: Prisma.Sql;
beforeAll(async () => {
  questions = await Questions.start();
  company = Prisma.sql`r.company_id = ${questions.companyId}::uuid`;
  // Vendors with equal figures, and without invoices.
  await questions.prisma.vendor.createMany({
    data: [1, 2, 3].map((n) => ({ companyId: questions.companyId, companyName: `Vendor unused ${n}` })),
  });
});
afterAll(() => questions.close());

const figure = (of: Prisma.Sql) => Prisma.sql`
  (SELECT ${of} FROM invoices i WHERE i.company_id = r.company_id AND i.vendor_id = r.id)`;
const sum = figure(Prisma.sql`sum(i.amount)`);
const count = figure(Prisma.sql`count(*)`);
const average = figure(Prisma.sql`avg(i.amount)`);

const ids = async (query: Promise<unknown[][]>) => (await query).map(([id]) => id);

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly startCursor: string; readonly endCursor: string; readonly hasNextPage: boolean };
}

/** The ids of all rows of a list, in pages of three. @param order `orderBy` of the list, and its filter */
async function pagesOf(list: string, order: string, backward = false): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor = '', more = true; more; ) {
    const range = backward
      ? `last: 3 ${cursor && `before: "${cursor}"`}`
      : `first: 3 ${cursor && `after: "${cursor}"`}`;
    const { data, errors } = await questions.client.graphql<{
      list: Page & { pageInfo: { hasPreviousPage: boolean } };
    }>(
      `{ list: ${list}(${order} ${range}) { nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
    );
    expect(errors).toEqual([]);
    const { nodes, pageInfo } = data.list;
    const shown = nodes.map(({ id }) => id);
    if (backward) found.unshift(...shown);
    else found.push(...shown);
    [cursor, more] = backward
      ? [pageInfo.startCursor, pageInfo.hasPreviousPage]
      : [pageInfo.endCursor, pageInfo.hasNextPage];
  }
  return found;
}

describe('vendors in the order of', () => {
  test.each([
    ['the sum of their invoices, of which some have none', 'invoices.amount.sum', sum],
    ['the number of their invoices, which is never unset', 'invoices.count', count],
    ['an average, which has more digits than a column', 'invoices.amount.avg', average],
  ])('%s', async (_, measure, value) => {
    const orderBy = (direction: string) =>
      `orderBy: [{ measure: "${measure}", direction: ${direction} }, { field: ID }]`;
    const descending = await ids(
      questions.sql`SELECT id FROM vendors r WHERE ${company} ORDER BY ${value} DESC NULLS LAST, id`,
    );
    const ascending = await ids(
      questions.sql`SELECT id FROM vendors r WHERE ${company} ORDER BY ${value} ASC NULLS LAST, id`,
    );
    expect(descending.length).toBeGreaterThan(6);
    expect(await pagesOf('vendors', orderBy('DESC'))).toEqual(descending);
    expect(await pagesOf('vendors', orderBy('ASC'))).toEqual(ascending);
    expect(await pagesOf('vendors', orderBy('DESC'), true)).toEqual(descending);
    expect(await pagesOf('vendors', orderBy('ASC'), true)).toEqual(ascending);
  });

  test('the sum, where the list is filtered', async () => {
    const expected = await ids(
      questions.sql`SELECT id FROM vendors r WHERE ${company} AND company_name LIKE 'V%' ORDER BY ${sum} DESC NULLS LAST, id`,
    );
    const args =
      'filter: { companyName: { startsWith: "V" } }, orderBy: [{ measure: "invoices.amount.sum", direction: DESC }, { field: ID }]';
    expect(expected.length).toBeGreaterThan(3);
    expect(await pagesOf('vendors', args)).toEqual(expected);
  });

  test('the sum, in REST', async () => {
    const { rows } = await questions.client.get('/vendors', { sort: '-invoices.amount.sum,id', limit: 100 });
    expect(rows.map(({ id }) => id)).toEqual(
      await ids(questions.sql`SELECT id FROM vendors r WHERE ${company} ORDER BY ${sum} DESC NULLS LAST, id`),
    );
  });
});

test('invoices in the order of how many their vendor has sent; those without a vendor come last', async () => {
  const expected = await ids(questions.sql`
    SELECT n.id FROM invoices n LEFT JOIN vendors r ON r.company_id = n.company_id AND r.id = n.vendor_id
     WHERE n.company_id = ${questions.companyId}::uuid
     ORDER BY CASE WHEN r.id IS NOT NULL THEN ${count} END DESC NULLS LAST, n.id`);
  expect(
    await pagesOf('invoices', 'orderBy: [{ vendor: { measure: "invoices.count" }, direction: DESC }, { field: ID }]'),
  ).toEqual(expected);
  const { rows } = await questions.client.get('/procurement/invoices', {
    sort: '-vendor.invoices.count,id',
    limit: 100,
  });
  expect(rows.map(({ id }) => id)).toEqual(expected.slice(0, 100));
});

test('lists inside rows too', async () => {
  const { data, errors } = await questions.client.graphql<{
    buildings: { nodes: { id: string; serviceRequests: { nodes: { id: string }[] } }[] };
  }>(`{ buildings(orderBy: [{ field: ID, direction: ASC }]) { nodes { id
    serviceRequests(first: 5, orderBy: [{ measure: "comments.count", direction: DESC }, { field: ID }]) { nodes { id } } } } }`);
  expect(errors).toEqual([]);
  const found = data.buildings.nodes.flatMap(({ id, serviceRequests }) =>
    serviceRequests.nodes.map((each) => [id, each.id]),
  );
  const expected = await questions.sql`
    SELECT r.id, request.id AS request FROM buildings r CROSS JOIN LATERAL (
        SELECT s.id, (SELECT count(*) FROM comments c WHERE c.company_id = s.company_id AND c.service_request_id = s.id)
          AS comments FROM service_requests s WHERE s.company_id = r.company_id AND s.building_id = r.id
         ORDER BY comments DESC, id LIMIT 5) AS request
     WHERE ${company} ORDER BY r.id, request.comments DESC, request.id`;
  expect(expected.length).toBeGreaterThan(5);
  expect(found).toEqual(expected);
});

describe('what is refused', () => {
  test.each([
    ['bills.count', 'must begin with a list'],
    ['invoices.amount', 'must be one of invoices.count'],
  ])('%s', async (measure, message) => {
    const { errors } = await questions.client.graphql(
      `{ vendors(orderBy: [{ measure: "${measure}" }]) { nodes { id } } }`,
    );
    expect(errors[0]?.message).toContain(`orderBy.0.measure: ${message}`);
  });

  test('a list that there is not, in REST', async () => {
    const { status, error } = await questions.client.get('/vendors', { sort: '-bills.count' });
    expect([status, error.message]).toEqual([400, expect.stringMatching(/^sort: .*must begin with a list/)]);
  });

  test('a list without its scope', async () => {
    const client = await questions.tenant.client(['vendors:read']);
    const { errors } = await client.graphql(
      `{ vendors(orderBy: [{ measure: "requisitions.count" }]) { nodes { id } } }`,
    );
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['INSUFFICIENT_SCOPE']);
    expect((await client.get('/vendors', { sort: '-requisitions.count' })).status).toBe(403);
  });

  test('two figures at once cost more than a query may', async () => {
    const orderBy = '[{ measure: "invoices.count" }, { measure: "invoices.amount.sum" }]';
    const { errors } = await questions.client.graphql(`{ vendors(orderBy: ${orderBy}) { nodes { id } } }`);
    expect(errors[0]?.message).toContain('measure of a list');
  });
});
