// Documents whose mutations are one transaction, and mutations with an Idempotency-Key.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSession } from '../support/browser.ts';
import { type Client, type Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import type { Tenant } from '../support/tenant.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const names = async (): Promise<unknown[]> =>
  (await client.get('/paints', { limit: 100 })).rows.map(({ name }) => name).sort();
const feedEnd = async () => (await client.get('/changes', { limit: 1000 })).row['next'];

const two = (directive: string) => `mutation Two($first: CreatePaintInput!, $second: CreatePaintInput!) ${directive} {
  first: createPaint(input: $first) { id name }
  second: createPaint(input: $second) { id name }
}`;

describe('an atomic document', () => {
  test('writes all of it', async () => {
    const { data, errors } = await client.graphql(two('@atomic'), { first: { name: 'one' }, second: { name: 'two' } });
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ first: { name: 'one' }, second: { name: 'two' } });
    expect(await names()).toEqual(expect.arrayContaining(['one', 'two']));
  });

  test('writes nothing if one field has an error, and names each that has one', async () => {
    const before = await names();
    const end = await feedEnd();
    const document = `mutation @atomic {
      good: createPaint(input: { name: "good" }) { id }
      bad: createPaintLocation(paintId: "${randomUUID()}", input: {}) { id }
      alsoGood: createPaint(input: { name: "also good" }) { id }
      worse: deletePaint(id: "${randomUUID()}") { id }
    }`;
    const { data, errors } = await client.graphql<null>(document);
    expect(data).toBeNull();
    expect(errors.map(({ path, extensions }) => [path, extensions['code']])).toEqual([
      [['bad'], 'NOT_FOUND'],
      [['worse'], 'NOT_FOUND'],
    ]);
    expect(await names()).toEqual(before);
    expect(await feedEnd()).toBe(end);
  });

  test('without the directive keeps what succeeds', async () => {
    const { errors } = await client.graphql(
      `mutation { kept: createPaint(input: { name: "kept" }) { id } bad: deletePaint(id: "${randomUUID()}") { id } }`,
    );
    expect(errors.map(({ path }) => path)).toEqual([['bad']]);
    expect(await names()).toContain('kept');
  });

  test('lets later fields see what earlier ones wrote, and rolls back what hooks did', async () => {
    const item = await client.post('/inventory', { name: 'Bulbs', quantity: 10 });
    const adjust = (quantity: number, type = 'ADDITION') =>
      `createStockAdjustment(inventoryItemId: "${item.row['id']}", input: { type: ${type}, quantity: ${quantity}, reason: "found" }) { item { quantity } }`;
    const done = await client.graphql(`mutation @atomic { one: ${adjust(5)} two: ${adjust(7)} }`);
    expect(done.errors).toEqual([]);
    expect(done.data).toEqual({ one: { item: { quantity: 15 } }, two: { item: { quantity: 22 } } });
    const refused = await client.graphql(`mutation @atomic { one: ${adjust(5)} two: ${adjust(100, 'REMOVAL')} }`);
    expect(refused.errors.map(({ path }) => path?.[0])).toEqual(['two']);
    expect((await client.get(`/inventory/${item.row['id']}`)).row['quantity']).toBe(22);
  });

  test('that is a dry run answers what it would, shows its changes and leaves nothing', async () => {
    const paint = await client.post('/paints', { name: 'Dry', brand: 'Acme' });
    const vendor = await client.post('/vendors', { company_name: 'Acme' });
    const end = await feedEnd();
    const before = await names();
    const document = `mutation Try($dry: Boolean!) @atomic(dryRun: $dry) {
      created: createPaint(input: { name: "new" }) { id name }
      updated: updatePaint(id: "${paint.row['id']}", input: { brand: "Other" }) { brand }
      deleted: deletePaint(id: "${paint.row['id']}") { name }
      order: createPurchaseOrder(input: { vendorId: "${vendor.row['id']}" }) { number }
    }`;
    const reply = await client.at('').post('/graphql', { query: document, variables: { dry: true } });
    const { data, extensions } = reply.json as { data: Record<string, Row>; extensions: { changes: Row[] } & Row };
    expect(data).toMatchObject({ created: { name: 'new' }, updated: { brand: 'Other' }, deleted: { name: 'Dry' } });
    expect(extensions['hasMoreChanges']).toBe(false);
    const shown = extensions.changes.map(({ resource, action, rowId }) => [resource, action, rowId]);
    expect(shown.slice(0, 3)).toEqual([
      ['PAINTS', 'CREATE', data['created']?.['id']],
      ['PAINTS', 'UPDATE', paint.row['id']],
      ['PAINTS', 'DELETE', paint.row['id']],
    ]);
    expect(shown[3]?.slice(0, 2)).toEqual(['PURCHASE_ORDERS', 'CREATE']);
    expect(extensions.changes[1]).toMatchObject({
      fields: ['brand'],
      before: { brand: 'Acme' },
      after: { brand: 'Other' },
    });
    expect([await names(), await feedEnd()]).toEqual([before, end]);
    // The number of the order is not used up.
    const again = await client.at('').post('/graphql', { query: document, variables: { dry: true } });
    expect((again.json as typeof reply.json & { data: Row }).data).toMatchObject({ order: data['order'] });
    const real = await client.graphql(document, { dry: false });
    expect(real.errors).toEqual([]);
    expect(real.data['order']).toEqual(data['order']);
  });

  test('that is a dry run shows no changes of rows that its caller cannot read', async () => {
    const writer = await tenant.client(['paint:write']);
    const query = 'mutation @atomic(dryRun: true) { createPaint(input: { name: "unread" }) { __typename } }';
    const { json } = await writer.at('').post('/graphql', { query });
    expect(json['extensions']).toMatchObject({ changes: [], hasMoreChanges: false });
  });

  test('cannot contain what a rollback would not take back, and is a mutation', async () => {
    const boss = await openSession(service, tenant.users[0]!.id);
    const before = await names();
    const { errors, status } = await boss.graphql(`mutation @atomic {
      createPaint(input: { name: "never" }) { id }
      inviteUser(input: { email: "dan@acme.example", fullName: "Dan" }) { path }
    }`);
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('inviteUser')]);
    expect([status, errors[0]?.extensions['code']]).toEqual([200, 'BAD_REQUEST']);
    expect(await names()).toEqual(before);
    expect((await client.graphql('query @atomic { paints { totalCount } }')).errors).not.toEqual([]);
  });

  test('of another company is not reached', async () => {
    const other = await (await service.tenant()).client();
    const mine = await client.post('/paints', { name: 'mine' });
    const { errors } = await other.graphql(`mutation @atomic {
      createPaint(input: { name: "theirs" }) { id }
      deletePaint(id: "${mine.row['id']}") { id }
    }`);
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['NOT_FOUND']);
    expect((await other.get('/paints')).rows).toEqual([]);
  });
});

describe('a mutation with an Idempotency-Key', () => {
  const send = (by: Pick<Client, 'at'>, key: string, query: string, variables?: Row) =>
    by.at('').post('/graphql', { query, variables }, { 'Idempotency-Key': key });
  const create = (name: string) => `mutation { createPaint(input: { name: "${name}" }) { id } }`;

  test('is performed once, also by concurrent requests', async () => {
    const key = randomUUID();
    const first = await send(client, key, create('once'));
    const again = await send(client, key, create('once'));
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await names()).filter((name) => name === 'once')).toHaveLength(1);
    const other = randomUUID();
    const replies = await Promise.all(Array.from({ length: 5 }, () => send(client, other, create('at once'))));
    expect(replies.map(({ status }) => status).filter((status) => status !== 409)).toContain(200);
    expect((await names()).filter((name) => name === 'at once')).toHaveLength(1);
  });

  test('is 422 with another document, and runs again after all of it has failed', async () => {
    const key = randomUUID();
    const failing = `mutation @atomic { createPaint(input: { name: "x" }) { id } deletePaint(id: "${randomUUID()}") { id } }`;
    expect((await send(client, key, failing)).headers.get('idempotent-replayed')).toBeNull();
    expect((await send(client, key, failing)).headers.get('idempotent-replayed')).toBeNull();
    expect((await send(client, key, create('corrected'))).headers.get('idempotent-replayed')).toBeNull();
    const reply = await send(client, key, create('another'));
    expect(reply.json).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_ERROR' } }] });
    expect(await names()).not.toContain('another');
  });

  test('keeps what has succeeded beside an error', async () => {
    const key = randomUUID();
    const query = `mutation { good: createPaint(input: { name: "half" }) { id } bad: deletePaint(id: "${randomUUID()}") { id } }`;
    const first = await send(client, key, query);
    expect((await send(client, key, query)).text).toBe(first.text);
    expect((await names()).filter((name) => name === 'half')).toHaveLength(1);
  });

  test('belongs to a person, in all their sessions, and to no other', async () => {
    const [key, person] = [randomUUID(), tenant.users[0]!.id];
    const first = await send(await openSession(service, person), key, create('by Ada'));
    const again = await send(await openSession(service, person), key, create('by Ada'));
    expect(again.text).toBe(first.text);
    const other = await send(await openSession(service, tenant.users[1]!.id), key, create('by Ada'));
    expect(other.text).not.toBe(first.text);
  });

  test('holds for what people do with accounts', async () => {
    const boss = await openSession(service, tenant.users[0]!.id);
    const [key, other] = [randomUUID(), randomUUID()];
    const invite = 'mutation { inviteUser(input: { email: "eve@acme.example", fullName: "Eve" }) { path } }';
    const first = await send(boss, key, invite);
    expect((first.json['data'] as { inviteUser: Row }).inviteUser['path']).toMatch(/^\/invitation#/);
    expect((await send(boss, key, invite)).text).toBe(first.text);
    const role = `mutation { setUserRole(id: "${tenant.users[2]!.id}", role: EXECUTIVE) { role } }`;
    const changed = await send(boss, other, role);
    expect(changed.json['data']).toEqual({ setUserRole: { role: 'EXECUTIVE' } });
    expect((await send(boss, other, role)).text).toBe(changed.text);
  });
});
