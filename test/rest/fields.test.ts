// The parameter `fields` of lists and rows.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphQLObjectType, getNamedType, isLeafType, isObjectType } from 'graphql';
import { snakeCase } from '../../src/names.ts';
import { isConnection } from '../../src/resource/index.ts';
import { routesOf, takesFields } from '../../src/rest/routes.ts';
import { api } from '../../src/schema/index.ts';
import { callersOf } from '../auth/roles.ts';
import type { Client, Row } from '../support/client.ts';
import { parseCsv } from '../support/csv.ts';
import { collectionsWith, typeOf } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  rows = await Rows.of(service, tenant);
  client = rows.client;
});
afterAll(() => service.close());

/** The statements that a request has sent. */
async function statementsOf<Value>(send: () => Promise<Value>): Promise<{ reply: Value; sql: string }> {
  service.statements.length = 0;
  const reply = await send();
  return { reply, sql: service.statements.join('\n') };
}

describe.each(collectionsWith('list'))('GET %s', (_path, collection) => {
  test('answers with the fields that are named, as it shows them among all', async () => {
    const path = fill(collection.path, await rows.parents(collection.path));
    if (typeOf(collection) !== 'Company') for (const full of [true, false]) await rows.list(collection, { full });
    const whole = await client.get(path, { limit: 100 });
    const names = Object.keys(whole.rows[0] ?? {});
    expect(names.length).toBeGreaterThan(1);
    for (const chosen of [names.toReversed().slice(0, 50), ...names.map((name) => [name])]) {
      const reply = await client.get(path, { fields: chosen.join(','), limit: 100 });
      const expected = whole.rows.map((row) => Object.fromEntries(chosen.map((name) => [name, row[name]])));
      // Also in this order.
      expect(JSON.stringify(reply.rows)).toBe(JSON.stringify(expected));
      expect({ ...reply.meta, request_id: '' }).toEqual({ ...whole.meta, request_id: '' });
    }
    const some = names.toReversed().slice(0, 3);
    const [header] = parseCsv((await client.get(path, { fields: some.join(',') }, { accept: 'text/csv' })).text);
    expect(header).toEqual(some);
  });
});

test.each(collectionsWith('list'))('GET %s has every field of its related rows', async (_path, collection) => {
  const path = fill(collection.path, await rows.parents(collection.path));
  const fieldsOf = (type: string) => Object.values((api.schema.getType(type) as GraphQLObjectType).getFields());
  // Watchers are listed as users.
  const list = api.schema.getQueryType()?.getFields()[collection.on.list?.operation.field ?? ''];
  const page = getNamedType(list?.type) as GraphQLObjectType;
  const related = fieldsOf(getNamedType(page.getFields()['nodes']?.type)?.name ?? '').filter(({ type }) => {
    const target = getNamedType(type);
    return isObjectType(target) && target.extensions.readScope !== undefined && !isConnection(target);
  });
  for (const { name, type } of related) {
    const shown = fieldsOf(getNamedType(type).name).filter(
      (field) => isLeafType(getNamedType(field.type)) && field.extensions.rest !== false,
    );
    const fields = shown.map((field) => `${snakeCase(name)}.${snakeCase(field.name)}`).slice(0, 50);
    expect(fields).not.toEqual([]);
    const { status, text } = await client.get(path, { fields: fields.join(','), limit: 1 });
    expect({ status, error: status === 200 ? '' : text }).toEqual({ status: 200, error: '' });
  }
});

describe('fields', () => {
  let building: Row;
  let asset: Row;
  beforeAll(async () => {
    building = (await client.post('/locations/buildings', { name: 'Head', code: '=HQ', floors: 3 })).row;
    asset = (await client.post('/assets', { asset_name: 'Pump', building_id: building['id'], purchase_price: 10.5 }))
      .row;
    await client.post('/assets', { asset_name: 'Spare pump' });
  });

  const list = { sort: 'asset_name', order: 'asc', search: 'pump' };

  test('of related rows are objects, null without a row, and columns of tables', async () => {
    const fields = 'asset_name,building.name,building.code';
    const { reply, sql } = await statementsOf(() => client.get('/assets', { ...list, fields }));
    expect(JSON.stringify(reply.rows)).toBe(
      JSON.stringify([
        { asset_name: 'Pump', building: { name: 'Head', code: '=HQ' } },
        { asset_name: 'Spare pump', building: null },
      ]),
    );
    // One statement, which reads what is asked and no more.
    expect(sql).toContain('"asset_name"');
    for (const column of ['purchase_price', 'updated_at', 'square_feet']) expect(sql).not.toContain(column);
    const csv = await client.get('/assets', { ...list, fields }, { accept: 'text/csv' });
    expect(parseCsv(csv.text)).toEqual([
      ['asset_name', 'building.name', 'building.code'],
      ['Pump', 'Head', "'=HQ"],
      ['Spare pump', '', ''],
    ]);
  });

  test('are read from the database alone', async () => {
    const { reply, sql } = await statementsOf(() => client.get('/assets', { fields: 'asset_name', limit: 1, ...list }));
    expect(reply.rows).toEqual([{ asset_name: 'Pump' }]);
    for (const column of ['description', 'purchase_price', 'updated_at'])
      expect(sql.replace(/ILIKE.*/gs, '').split('FROM')[0]).not.toContain(column);
  });

  test('page by cursor as without them', async () => {
    const first = await client.get('/assets', { ...list, fields: 'status', limit: 1 });
    const cursor = first.meta.pagination.next_cursor;
    expect((await client.get('/assets', { ...list, limit: 1 })).meta.pagination.next_cursor).toBe(cursor);
    expect((await client.get('/assets', { ...list, fields: 'asset_name', cursor })).rows).toEqual([
      { asset_name: 'Spare pump' },
    ]);
  });

  test('of one row have its ETag, unless they show another row', async () => {
    const path = `/assets/${String(asset['id'])}`;
    const whole = await client.get(path);
    const some = await client.get(path, { fields: 'status,asset_name' });
    expect(JSON.stringify(some.row)).toBe(JSON.stringify({ status: 'active', asset_name: 'Pump' }));
    expect(some.headers.get('etag')).toBe(whole.headers.get('etag'));
    const etag = String(some.headers.get('etag'));
    expect((await client.get(path, { fields: 'status' }, { 'if-none-match': etag })).status).toBe(304);
    const related = await client.get(path, { fields: 'building.name,building.floors' });
    expect([related.row, related.headers.get('etag')]).toEqual([{ building: { name: 'Head', floors: 3 } }, null]);
    expect((await client.get('/assets/01890000-0000-7000-8000-000000000000', { fields: 'status' })).status).toBe(404);
    const { status } = await client.request('PATCH', `${path}?fields=status`, { body: { status: 'retired' } });
    expect(status).toBe(400);
  });

  test('go with include', async () => {
    await client.post(`/assets/${String(asset['id'])}/warranties`, { provider: 'Acme' });
    const reply = await client.get('/assets', {
      ...list,
      fields: 'asset_name,building.code',
      include: 'warranties',
      limit: 1,
    });
    expect(reply.rows).toMatchObject([
      { asset_name: 'Pump', building: { code: '=HQ' }, warranties: [{ provider: 'Acme' }], warranties_total: 1 },
    ]);
    const below = await client.get('/assets/warranties', { fields: 'asset.building.code,provider', provider: 'Acme' });
    expect(below.rows).toEqual([{ asset: { building: { code: '=HQ' } }, provider: 'Acme' }]);
    expect(Object.keys(reply.rows[0] ?? {})).toEqual(['asset_name', 'building', 'warranties', 'warranties_total']);
    const one = await client.get(`/assets/${String(asset['id'])}`, { fields: 'asset_name', include: 'warranties' });
    expect([one.row['warranties_total'], one.headers.get('etag')]).toEqual([1, null]);
  });

  test('of objects and nested items are whole, or some of theirs', async () => {
    const vendor = (await client.post('/vendors', { company_name: 'Nuts' })).row;
    const line_items = [{ description: 'Bolt', quantity: 2, unit_price: 1.5 }];
    const sent = { title: 'Nested', vendor_id: vendor['id'], line_items };
    const { id } = (await client.post('/procurement/requisitions', sent)).row;
    const path = '/procurement/requisitions';
    const fields = 'line_items.quantity,vendor.company_name,line_items.description';
    const some = { line_items: [{ quantity: 2, description: 'Bolt' }], vendor: { company_name: 'Nuts' } };
    expect((await client.get(path, { id, fields })).rows).toEqual([some]);
    expect((await client.get(`${path}/${String(id)}`, { fields })).row).toEqual(some);
    expect(parseCsv((await client.get(path, { id, fields }, { accept: 'text/csv' })).text)).toEqual([
      ['line_items', 'vendor.company_name'],
      ['[{"quantity":2,"description":"Bolt"}]', 'Nuts'],
    ]);
    const whole = await client.get(path, { id });
    expect((await client.get(path, { id, fields: 'vendor,vendor.id,line_items' })).rows).toEqual([
      { vendor: whole.rows[0]?.['vendor'], line_items: whole.rows[0]?.['line_items'] },
    ]);
  });

  test('beyond a summary are those of the row, and require its scope', async () => {
    const email = 'nuts@acme.example';
    const vendor = (await client.post('/vendors', { company_name: 'Summed', email })).row;
    const summary = { id: vendor['id'], company_name: 'Summed' };
    const line_items = [{ description: 'Bolt', quantity: 2, unit_price: 1.5 }];
    const path = '/procurement/requisitions';
    const { id } = (await client.post(path, { title: 'Summed', vendor_id: vendor['id'], line_items })).row;
    const narrow = await tenant.client(['procurement:read']);
    const cases = [
      ['vendor', { vendor: summary }, 200],
      ['vendor.company_name', { vendor: { company_name: 'Summed' } }, 200],
      ['vendor.email', { vendor: { email } }, 403],
      ['vendor.email,vendor.company_name', { vendor: { email, company_name: 'Summed' } }, 403],
      ['vendor.email,title,vendor', { vendor: { email, ...summary }, title: 'Summed' }, 403],
    ] as const;
    for (const [fields, row, status] of cases)
      for (const address of [path, `${path}/${String(id)}`]) {
        const reply = await client.get(address, { fields, ...(address === path && { id }) });
        expect(JSON.stringify(address === path ? reply.rows[0] : reply.row)).toBe(JSON.stringify(row));
        expect((await narrow.get(address, { fields })).status).toBe(status);
      }
    const csv = await client.get(path, { id, fields: 'title,vendor.email' }, { accept: 'text/csv' });
    expect(parseCsv(csv.text)).toEqual([
      ['title', 'vendor.email'],
      ['Summed', email],
    ]);
    expect((await client.get(path, { fields: 'vendor.emial' })).error.message).toBe(
      'fields: vendor.emial is not a field here; did you mean email?',
    );
  });

  test('require the read scope of related rows', async () => {
    const narrow = await tenant.client(['assets:read']);
    expect((await narrow.get('/assets', { ...list, fields: 'asset_name,building_id' })).status).toBe(200);
    for (const accept of ['application/json', 'text/csv'])
      for (const path of ['/assets', `/assets/${String(asset['id'])}`]) {
        const { status, error } = await narrow.get(path, { fields: 'asset_name,building.name' }, { accept });
        expect([status, error.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
      }
  });

  test('show no related row that the caller cannot see, and no hidden column', async () => {
    const { callers } = await callersOf(service, tenant);
    const programId = String((await callers.admin.post('/training', { title: 'Ladders' })).row['id']);
    const questions = `/training/${programId}/questions`;
    const body = { question_text: 'Which?', question_type: 'text', correct_answer: 'Secretword' };
    await callers.admin.post(questions, body);
    const query = { fields: 'correct_answer,question_text' };
    expect((await callers.admin.get(questions, query)).rows).toEqual([
      { correct_answer: 'Secretword', question_text: 'Which?' },
    ]);
    for (const accept of ['application/json', 'text/csv']) {
      const { status, text } = await callers.member.get(questions, query, { accept });
      expect([status, text.includes('Which?'), text.includes('Secretword')]).toEqual([200, true, false]);
    }
  });

  test.each([
    ['asset_nam', 'fields: asset_nam is not a field here; did you mean asset_name?'],
    ['asset_name,,status', 'fields: has an empty name'],
    ['', 'fields: has an empty name'],
    ['assetName', 'fields: assetName is not a field here; did you mean asset_name?'],
    ['building', 'fields: building is another row: name fields of it, such as building.id'],
    ['building.nme', 'fields: building.nme is not a field here; did you mean name?'],
    ['building.', 'fields: building. is not a field here'],
    ['status.x', 'fields: status has no fields'],
    ['warranties', 'fields: warranties is a list of rows, which has a path of its own'],
    ['building.desks.id', 'fields: building.desks is a list of rows, which has a path of its own'],
    ['__typename', 'fields: __typename is not a field here'],
    ['_etag', 'fields: _etag is not a field here'],
    ['etag', 'fields: etag is not a field here'],
    ['constructor', 'fields: constructor is not a field here'],
    ['status{id}', 'fields: status{id} is not a field here'],
    [Array.from({ length: 51 }, (_, n) => `a${n}`).join(), 'fields: must be at most 50 fields'],
  ])('%p is refused', async (fields, message) => {
    for (const path of ['/assets', `/assets/${String(asset['id'])}`]) {
      const { status, error } = await client.get(path, { fields });
      expect([status, error.code, error.message]).toEqual([400, 'BAD_REQUEST', expect.stringContaining(message)]);
    }
  });

  test('are unknown where there are no rows to show', async () => {
    const known = routesOf(api).filter((route) => takesFields(route, api.schema));
    expect(known.length).toBeGreaterThan(50);
    for (const [path, query] of [
      ['/changes', {}],
      ['/time-clock/settings', {}],
    ] as const) {
      const takes = known.some((route) => route.path === path);
      expect([path, (await client.get(path, { ...query, fields: 'nope' })).status]).toEqual([path, 400]);
      expect(takes).toBe(path === '/time-clock/settings');
    }
  });
});
