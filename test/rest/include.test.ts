import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../support/api.ts';
import type { Client, Row } from '../support/client.ts';
import { collections } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  rows = await Rows.of(service, tenant);
});
afterAll(() => service.close());

/** Sub-resources, by the collection of their parents. */
const subresources = [
  ['/service-requests', ['comments', 'time_logs', 'activity', 'watchers']],
  ['/move-requests', ['comments', 'time_logs', 'activity', 'watchers']],
  ['/inventory', ['adjustments']],
  ['/vendors', ['purchase_orders', 'invoices']],
  ['/leases', ['documents', 'dates', 'payments']],
  ['/assets', ['maintenance', 'warranties', 'documents', 'transfers']],
  ['/checklists', ['groups', 'tasks', 'completions']],
  ['/training', ['completions', 'questions']],
  ['/paints', ['locations']],
] as const;

/** A collection by its path. */
const at = (path: string) => {
  const found = collections.find((collection) => collection.path.replace(/:\w+/g, ':id') === path);
  if (!found) throw new Error(`there is no ${path}`);
  return found;
};

describe.each(subresources)('%s with', (path, names) => {
  let id: string;
  const below = (name: string) => `${path}/${id}/${name.replaceAll('_', '-')}`;
  beforeAll(async () => {
    for (const name of names) {
      const collection = at(`${path}/:id/${name.replaceAll('_', '-')}`);
      [id = ''] = Object.values(await rows.parents(collection.path));
      for (let n = 0; n < 2; n++) await rows.list(collection);
    }
  });

  test.each(names)('its %s, the same as in their list', async (name) => {
    const own = await client.get(below(name), { limit: 100 });
    expect(own.rows.length).toBeGreaterThan(0);
    const {
      [name]: included,
      [`${name}_total`]: total,
      ...row
    } = (await client.get(`${path}/${id}`, { include: name })).row;
    expect({ included, total }).toEqual({ included: own.rows, total: own.meta.total });
    expect(row).toEqual((await client.get(`${path}/${id}`)).row);
  });

  test('all of them, also in a list', async () => {
    const [{ row }, list] = [
      await client.get(`${path}/${id}`, { include: names.join(',') }),
      await client.get(path, { id, include: [...names] }),
    ];
    expect(Object.keys(row)).toEqual(expect.arrayContaining(names.flatMap((name) => [name, `${name}_total`])));
    expect(list).toMatchObject({ rows: [row], meta: { total: 1 } });
  });
});

describe('include', () => {
  const path = '/service-requests';

  // The names are those of the table above, and each route takes no others.
  test.each(collections.filter(({ on }) => on.list))(
    'of $path takes the lists of rows below it',
    async ({ path: list, on }) => {
      const attached = routes().some((route) => route.path === `${on.list?.operation.path}/:id/attachments`)
        ? ['attachments']
        : [];
      const known = [...(subresources.find(([parent]) => parent === list)?.[1] ?? []), ...attached];
      const { error } = await client.get(fill(list, await rows.parents(list)), { include: 'history' });
      expect(error.message).toMatch(
        known.length > 0 ? `include: must be any of ${known.join(', ')}` : 'include: is not a parameter here',
      );
    },
  );

  test('is unknown where nothing can be included', async () => {
    expect((await client.get('/users', { include: 'comments' })).error).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('include'),
    });
    expect((await client.post(`${path}?include=comments`, { title: 'Lamp' })).error.code).toBe('BAD_REQUEST');
  });

  test.each(['comment', '', 'comments,', 'nodes', 'creator', '__proto__', 'comments{id}'])(
    'of %p is rejected with the possible names',
    async (include) => {
      for (const place of [path, `${path}/${String((await client.post(path, { title: 'Lamp' })).row['id'])}`]) {
        const { code, message } = (await client.get(place, { include })).error;
        expect({ code, message }).toEqual({
          code: 'BAD_REQUEST',
          message: expect.stringMatching(/^include: .*comments, time_logs|^include: .*comments.*watchers/),
        });
      }
    },
  );

  test('requires the scope of the route of its rows', async () => {
    const { id } = (await client.post(path, { title: 'Lamp' })).row;
    const reader = await tenant.client(['service_requests:read']);
    expect((await reader.get(`${path}/${String(id)}`, { include: 'comments,activity' })).status).toBe(200);
    const vendor = `/vendors/${String((await client.post('/vendors', { company_name: 'Acme' })).row['id'])}`;
    await client.post(`${vendor}/invoices`, { invoice_number: '7' });
    const buyer = await tenant.client(['vendors:read']);
    const { rows: invoices } = await buyer.get(`${vendor}/invoices`);
    expect(invoices).toMatchObject([{ invoice_number: '7' }]);
    expect((await buyer.get(vendor, { include: 'invoices,purchase_orders' })).row).toMatchObject({
      invoices,
      invoices_total: 1,
      purchase_orders: [],
    });
    // What else leads to procurement requires its scope.
    const { errors } = await buyer.graphql(
      '{ vendors { nodes { invoices { nodes { id purchaseOrder { id } } } requisitions { totalCount } } } }',
    );
    expect(errors).not.toEqual([]);
    expect(errors.map(({ path }) => path?.at(-1))).toEqual(
      errors.map(() => expect.stringMatching(/^(purchaseOrder|requisitions)$/)),
    );
  });

  test.each([
    ['/service-requests', 'service_requests', 'serviceRequest'],
    ['/move-requests', 'move_requests', 'moveRequest'],
  ])('returns the watchers of %s as their route does, with its scope', async (place, group, field) => {
    const item = `${place}/${String((await client.post(place, { title: 'Lamp' })).row['id'])}`;
    const id = item.split('/').at(-1);
    const [ada, ben, cleo] = tenant.users.map((user) => user.id);
    for (const user_id of [ben, ada, cleo]) await client.post(`${item}/watchers`, { user_id });
    const reader = await tenant.client([`${group}:read`]);
    const { rows } = await reader.get(`${item}/watchers`);
    // The newest user first.
    expect(rows.map((row) => row['id'])).toEqual([cleo, ben, ada]);
    expect((await reader.get(item, { include: 'watchers' })).row).toMatchObject({ watchers: rows, watchers_total: 3 });
    expect((await reader.get(place, { include: 'watchers', id })).rows[0]).toMatchObject({ watchers: rows });
    const query = (inside: string) => `query ($id: ID!) {
      ${field}(id: $id) { watchers { nodes { id fullName email } } ${inside} }
      ${field}Watchers(${field}Id: $id) { nodes { id fullName email } } }`;
    const watchers = { nodes: rows.map(({ id, full_name, email }) => ({ id, fullName: full_name, email })) };
    expect(await reader.graphql(query(''), { id })).toMatchObject({
      errors: [],
      data: { [field]: { watchers }, [`${field}Watchers`]: watchers },
    });
    type Page = { totalCount: number; nodes: Row[]; pageInfo: { endCursor: string } };
    const page = async (after?: string) => {
      const { data } = await reader.graphql<Record<string, { watchers: Page }>>(
        `query ($id: ID!, $after: String) {
          ${field}(id: $id) { watchers(first: 2, after: $after) { totalCount nodes { id } pageInfo { endCursor } } } }`,
        { id, after },
      );
      return data[field]?.watchers;
    };
    const first = await page();
    expect(first).toMatchObject({ totalCount: 3, nodes: [{ id: cleo }, { id: ben }] });
    expect(await page(first?.pageInfo.endCursor)).toMatchObject({ totalCount: 3, nodes: [{ id: ada }] });
    // Other relations to people, and those of the watchers, require the scope of what they lead to.
    for (const inside of ['creator { id }', 'more: watchers { nodes { notes { totalCount } } }']) {
      const { errors } = await reader.graphql(query(inside), { id });
      expect(errors).toContainEqual(
        expect.objectContaining({ extensions: expect.objectContaining({ code: 'INSUFFICIENT_SCOPE' }) }),
      );
    }
    const other = await tenant.client(['users:read']);
    expect((await other.get(`${item}/watchers`)).status).toBe(403);
  });

  test('returns the latest hundred and their total number', async () => {
    const { id } = (await client.post(path, { title: 'Lamp' })).row;
    const companyId = tenant.company.id;
    const userId = tenant.users[0]?.id ?? '';
    const data = Array.from({ length: 103 }, (_, n) => ({
      companyId,
      userId,
      serviceRequestId: String(id),
      comment: String(n),
      createdAt: new Date(Date.UTC(2026, 0, 1, 0, n)),
    }));
    await service.database.prisma.comment.createMany({ data });
    const { comments, comments_total } = (await client.get(`${path}/${String(id)}`, { include: 'comments' })).row;
    expect((comments as Row[]).map(({ comment }) => comment)).toEqual(
      Array.from({ length: 100 }, (_, n) => String(102 - n)),
    );
    expect(comments_total).toBe(103);
  });

  test('takes one statement for the rows and their sub-resources', async () => {
    const reader = await tenant.client();
    await reader.get(path, { include: 'comments,watchers,time_logs,activity', limit: 20 });
    const before = service.statements.length;
    expect((await reader.get(path, { include: 'comments,watchers,time_logs,activity', limit: 20 })).status).toBe(200);
    const asked = service.statements
      .slice(before)
      .filter((sql) => sql.includes('"service_requests"') && !sql.includes('COUNT'));
    expect(asked).toHaveLength(1);
  });

  test('has no ETag, and is not supported for CSV', async () => {
    const item = `${path}/${String((await client.post(path, { title: 'Lamp' })).row['id'])}`;
    expect((await client.get(item, { include: 'comments' })).headers.get('etag')).toBeNull();
    const csv = await client.get(path, { include: 'comments' }, { accept: 'text/csv' });
    expect(csv.error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('include') });
  });

  test('excludes rows of other companies', async () => {
    const other = await (await service.tenant()).client();
    const { id } = (await client.post(path, { title: 'Lamp' })).row;
    expect((await other.get(`${path}/${String(id)}`, { include: 'comments' })).error.code).toBe('NOT_FOUND');
  });
});
