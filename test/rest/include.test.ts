import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { collections } from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
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
  ['/service-requests', ['comments', 'watchers', 'time_logs', 'activity']],
  ['/move-requests', ['comments', 'watchers', 'time_logs', 'activity']],
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

  test('requires the scope of the sub-resource', async () => {
    const { id } = (await client.post(path, { title: 'Lamp' })).row;
    const reader = await tenant.client(['service_requests:read']);
    expect((await reader.get(`${path}/${String(id)}`, { include: 'comments,activity' })).status).toBe(200);
    for (const place of [path, `${path}/${String(id)}`]) {
      expect((await reader.get(place, { include: 'watchers' })).error).toMatchObject({
        code: 'INSUFFICIENT_SCOPE',
        message: expect.stringContaining('users:read'),
      });
    }
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
