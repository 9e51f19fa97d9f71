import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { deactivate, erase } from '../src/auth/members.ts';
import { commandLine } from '../src/auth/security-log.ts';
import { memberClient } from './resources/members.ts';
import type { Client, Row } from './support/client.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

jest.setTimeout(120_000);

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const create = async (path: string, body: Row, by = client): Promise<string> => {
  const { row, status, text } = await by.post(path, body);
  expect({ status, text: status === 201 ? '' : text }).toEqual({ status: 201, text: '' });
  return String(row['id']);
};
const remove = async (path: string, by = client) => expect((await by.delete(path)).status).toBe(204);
const restore = (path: string, by = client, query = '') => by.post(`${path}/restore${query}`, undefined);
/** Lets time pass since a row was deleted. */
const age = (id: string, seconds: number) =>
  service.database.prisma
    .$executeRaw`UPDATE changes SET at = now() - make_interval(secs => ${seconds}) WHERE row_id = ${id}::uuid AND action = 'delete'`;

describe('who may restore', () => {
  test('those who deleted a row can for 15 minutes, admins as long as the log has it', async () => {
    const member = await memberClient(service, tenant, 2);
    const other = await memberClient(service, tenant, 1, ['paint:write', 'paint:read']);
    const id = await create('/paints', { name: 'Grey' }, member);
    const path = `/paints/${id}`;
    expect(await restore(path)).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    await remove(path, member);
    await age(id, 14 * 60 + 59);
    expect((await restore(path, member)).status).toBe(200);
    await remove(path, member);
    await age(id, 15 * 60 + 1);
    expect(await restore(path, member)).toMatchObject({
      status: 403,
      error: {
        code: 'INSUFFICIENT_SCOPE',
        message: 'With the role member you can restore only what you deleted in the last 15 minutes.',
      },
    });
    expect((await member.get(path)).status).toBe(404);
    const { role } = tenant.users[1] ?? {};
    expect((await restore(path, other)).status).toBe(role === 'ADMIN' ? 200 : 404);
    expect((await restore(path)).status).toBe(200);
    await remove(path, member);
    expect(await restore(path, other)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
    const reader = await memberClient(service, tenant, 0, ['paint:read']);
    expect(await restore(path, reader)).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
    // Without the log nobody can.
    await service.database.prisma.$executeRaw`DELETE FROM changes WHERE row_id = ${id}::uuid`;
    expect(await restore(path)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
  });

  test('what deletes needs the same to restore', async () => {
    const member = await memberClient(service, tenant, 2);
    const id = await create('/service-requests', { title: 'Lamp' }, member);
    await remove(`/service-requests/${id}`, member);
    // They may not delete it any more, had it not been theirs.
    await service.database.prisma
      .$executeRaw`UPDATE changes SET before = before || jsonb_build_object('created_by', ${tenant.users[0]?.id}::text) WHERE row_id = ${id}::uuid AND action = 'delete'`;
    expect(await restore(`/service-requests/${id}`, member)).toMatchObject({ status: 403 });
    expect((await restore(`/service-requests/${id}`)).status).toBe(200);
  });

  test('other companies, also the sandbox, find nothing', async () => {
    const id = await create('/paints', { name: 'Red' });
    await remove(`/paints/${id}`);
    const stranger = await (await service.tenant()).client();
    expect(await restore(`/paints/${id}`, stranger)).toMatchObject({ status: 404 });
    const { data, errors } = await stranger.graphql(`mutation { restorePaint(id: "${id}") { id } }`);
    expect([data['restorePaint'], errors[0]?.extensions.code]).toEqual([null, 'NOT_FOUND']);
    expect((await restore(`/paints/${id}`)).status).toBe(200);
  });

  test('a token of a sandbox restores there and nowhere else', async () => {
    const inSandbox = await tenant.client(['*'], { live: false });
    const [live, tried] = [
      await create('/paints', { name: 'Live' }),
      await create('/paints', { name: 'Tried' }, inSandbox),
    ];
    await remove(`/paints/${live}`);
    await remove(`/paints/${tried}`, inSandbox);
    expect(await restore(`/paints/${live}`, inSandbox)).toMatchObject({ status: 404 });
    expect(await restore(`/paints/${tried}`)).toMatchObject({ status: 404 });
    expect(await restore(`/paints/${tried}`, inSandbox)).toMatchObject({ status: 200, row: { name: 'Tried' } });
    expect((await inSandbox.get('/paints')).rows.map(({ id }) => id)).toEqual([tried]);
    expect((await client.get(`/paints/${tried}`)).status).toBe(404);
    expect((await restore(`/paints/${live}`)).status).toBe(200);
  });

  test('a note that only its author sees is not restored by others', async () => {
    const member = await memberClient(service, tenant, 2);
    const id = await create('/notes', { title: 'Mine' }, member);
    await remove(`/notes/${id}`, member);
    expect(await restore(`/notes/${id}`)).toMatchObject({ status: 404 });
    expect(await restore(`/notes/${id}`, member)).toMatchObject({ status: 200, row: { id, title: 'Mine' } });
  });

  test('a token that may not read gets the id alone', async () => {
    const id = await create('/paints', { name: 'Red' });
    await remove(`/paints/${id}`);
    const writer = await memberClient(service, tenant, 0, ['paint:write']);
    const { status, row } = await restore(`/paints/${id}`, writer);
    expect([status, row['id'], row['name']]).toEqual([200, id, undefined]);
  });
});

describe('what comes back', () => {
  test('is nothing of a person who was erased meanwhile', async () => {
    const { prisma } = service.database;
    const other = await service.tenant();
    const [, , cleo] = other.users;
    const by = await memberClient(service, other, 2);
    const id = await create('/service-requests', { title: 'Lamp' }, by);
    await create(`/service-requests/${id}/comments`, { comment: 'Broken' }, by);
    await remove(`/service-requests/${id}`, by);
    const member = { companyId: other.company.id, userId: cleo?.id ?? '' };
    await deactivate(prisma, member, commandLine);
    await erase(prisma, member, commandLine);
    expect((await restore(`/service-requests/${id}`, await other.client())).status).toBe(200);
    const selected = '{ creator { fullName email } comments { nodes { comment author { fullName } } } }';
    const { data } = await (await other.client()).graphql(`{ serviceRequest(id: "${id}") ${selected} }`);
    expect(data['serviceRequest']).toEqual({
      creator: { fullName: 'Erased user', email: `${cleo?.id}@erased.invalid` },
      comments: { nodes: [{ comment: 'Broken', author: { fullName: 'Erased user' } }] },
    });
  });

  test('is the row with its own and the references that were emptied, but not those that changed since', async () => {
    // No foreign key of the schema does so today.
    await service.database.query({
      text: `
      ALTER TABLE notes DROP CONSTRAINT notes_company_id_category_id_fkey;
      ALTER TABLE notes ADD CONSTRAINT notes_company_id_category_id_fkey FOREIGN KEY (company_id, category_id)
        REFERENCES note_categories (company_id, id) ON DELETE SET NULL (category_id)`,
    });
    const category = await create('/notes/categories', { name: 'Ideas', color: '#aabbcc' });
    const other = await create('/notes/categories', { name: 'Plans', color: '#aabbcc' });
    const [kept, moved, cleared] = [
      await create('/notes', { title: 'Kept', category_id: category }),
      await create('/notes', { title: 'Moved', category_id: category }),
      await create('/notes', { title: 'Cleared', category_id: category }),
    ];
    const { data } = await client.graphql(`mutation { deleteNoteCategory(id: "${category}") { id } }`);
    expect(data).toEqual({ deleteNoteCategory: { id: category } });
    await client.patch(`/notes/${kept}`, { title: 'Kept and renamed' });
    await client.patch(`/notes/${moved}`, { category_id: other });
    await client.patch(`/notes/${cleared}`, { category_id: other });
    await client.patch(`/notes/${cleared}`, { category_id: null });
    expect((await client.graphql(`mutation { restoreNoteCategory(id: "${category}") { id } }`)).errors).toEqual([]);
    const categoryOf = async (id: string) => (await client.get(`/notes/${id}`)).row['category_id'];
    expect(await Promise.all([kept, moved, cleared].map(categoryOf))).toEqual([category, other, null]);
  });

  test('is a checklist with its groups, its tasks in them, and its completions', async () => {
    const id = await create('/checklists', { name: 'Morning' });
    const path = `/checklists/${id}`;
    const group = await create(`${path}/groups`, { name: 'Doors', order: 1 });
    const task = await create(`${path}/tasks`, { title: 'Unlock', group_id: group });
    await create(`${path}/completions`, { completion_date: '2026-03-02' });
    const { row: before } = await client.get(`${path}/tasks/${task}`);
    await remove(path);
    expect((await restore(path)).status).toBe(200);
    expect((await client.get(`${path}/tasks/${task}`)).row).toEqual(before);
    expect((await client.get(`${path}/groups`)).rows).toMatchObject([{ id: group }]);
    expect((await client.get(`${path}/completions`)).rows).toHaveLength(1);
    // One of its tasks alone, below it and not below another.
    await remove(`${path}/tasks/${task}`);
    const elsewhere = await create('/checklists', { name: 'Evening' });
    expect((await restore(`/checklists/${elsewhere}/tasks/${task}`)).status).toBe(404);
    expect((await restore(`${path}/tasks/${task}`)).status).toBe(200);
    // A row that went before its parent does not come back with it.
    await remove(`${path}/tasks/${task}`);
    await remove(path);
    expect((await restore(path)).status).toBe(200);
    expect((await client.get(`${path}/tasks`)).rows).toEqual([]);
  });

  test('tells feed and history of a creation, and nobody of a new comment', async () => {
    const id = await create('/service-requests', { title: 'Lamp', priority: 'high' });
    const path = `/service-requests/${id}`;
    await client.patch(path, { status: 'in-progress' });
    await create(`${path}/comments`, { comment: 'Broken' });
    const periods = async () =>
      (await client.graphql(`{ serviceRequest(id: "${id}") { statusPeriods { status enteredAt leftAt } } }`)).data;
    const before = await periods();
    expect(JSON.stringify(before)).toContain('IN_PROGRESS');
    await waitForOlderTransactions(service.database);
    let { next: from, has_more } = (await client.get('/changes')).row;
    while (has_more) ({ next: from, has_more } = (await client.get('/changes', { after: from })).row);
    await remove(path);
    expect((await restore(path)).status).toBe(200);
    await remove(path);
    expect((await restore(path)).status).toBe(200);
    expect(await periods()).toEqual(before);
    await waitForOlderTransactions(service.database);
    const { row } = await client.get('/changes', { after: from, resource: 'service_requests' });
    expect((row['changes'] as Row[]).map(({ action }) => action)).toEqual(['delete', 'create', 'delete', 'create']);
    const history = await client.get(`${path}/history`);
    expect(history.rows.map(({ action }) => action)).toEqual([
      ...['create', 'delete', 'create', 'delete', 'update', 'create'],
    ]);
    const restores = await service.database.prisma.change.findMany({
      where: { rowId: id, action: 'CREATE' },
      orderBy: { seq: 'asc' },
    });
    expect(restores.map(({ actor }) => (actor as Row | null)?.['restores'] ?? false)).toEqual([false, true, true]);
  });

  test('is nothing of a try', async () => {
    const id = await create('/paints', { name: 'Blue' });
    await remove(`/paints/${id}`);
    expect(await restore(`/paints/${id}`, client, '?dry_run=true')).toMatchObject({ status: 200, row: { id } });
    expect((await client.get(`/paints/${id}`)).status).toBe(404);
    expect((await restore(`/paints/${id}`)).status).toBe(200);
    expect(await restore(`/paints/${id}`)).toMatchObject({
      status: 409,
      error: { message: 'This paint is not deleted.' },
    });
  });

  test('is not reported to be low or due again', async () => {
    const item = await create('/inventory', { name: 'Bulbs', quantity: 1, reorder_point: 5 });
    await remove(`/inventory/${item}`);
    expect((await restore(`/inventory/${item}`)).status).toBe(200);
    const reports = await service.database.prisma.change.count({ where: { rowId: item, action: 'LOW_STOCK' } });
    expect(reports).toBe(1);
    await client.patch(`/inventory/${item}`, { reorder_point: 0 });
    await client.patch(`/inventory/${item}`, { reorder_point: 5 });
    expect(await service.database.prisma.change.count({ where: { rowId: item, action: 'LOW_STOCK' } })).toBe(2);
  });

  test('is an image of older columns, without those that there are no longer', async () => {
    const id = await create('/paints', { name: 'Old', brand: 'Acme', finish: 'matt' });
    await remove(`/paints/${id}`);
    await service.database.prisma
      .$executeRaw`UPDATE changes SET before = before - 'finish' || '{"hue": "none"}' WHERE row_id = ${id}::uuid AND action = 'delete'`;
    expect(await restore(`/paints/${id}`)).toMatchObject({
      status: 200,
      row: { name: 'Old', brand: 'Acme', finish: null },
    });
  });
});

describe('a conflict', () => {
  test('names the unique field that is taken', async () => {
    const id = await create('/procurement/invoices', { invoice_number: 'R-1' });
    const vendor = await create('/vendors', { company_name: 'Acme' });
    await client.patch(`/procurement/invoices/${id}`, { vendor_id: vendor });
    await remove(`/procurement/invoices/${id}`);
    await create('/procurement/invoices', { invoice_number: 'R-1', vendor_id: vendor });
    const reply = await restore(`/procurement/invoices/${id}`);
    expect(reply).toMatchObject({ status: 409, error: { code: 'CONFLICT', details: { invoice_number: 'is taken' } } });
  });

  test('names the parent that is gone', async () => {
    const building = await create('/locations/buildings', { name: 'North' });
    const desk = await create('/butts-in-seats/desks', { building_id: building, floor: '1' });
    await remove(`/butts-in-seats/desks/${desk}`);
    await remove(`/locations/buildings/${building}`);
    const path = `/butts-in-seats/desks/${desk}`;
    expect(await restore(path)).toMatchObject({
      status: 409,
      error: {
        code: 'CONFLICT',
        details: { building_id: `refers to the building ${building}, which there is no longer` },
      },
    });
    expect((await restore(`/locations/buildings/${building}`)).status).toBe(200);
    expect((await restore(path)).status).toBe(200);
  });

  test('is what all but one of concurrent restores get', async () => {
    const id = await create('/checklists', { name: 'Twice' });
    await create(`/checklists/${id}/tasks`, { title: 'Unlock' });
    await remove(`/checklists/${id}`);
    const replies = await Promise.all([1, 2, 3].map(() => restore(`/checklists/${id}`)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await client.get(`/checklists/${id}/tasks`)).rows).toHaveLength(1);
  });

  test('is a deletion with too many others', async () => {
    const id = await create('/checklists', { name: 'Long' });
    const { company } = tenant;
    await service.database.prisma.checklistTask.createMany({
      data: Array.from({ length: 5001 }, (_, n) => ({
        companyId: company.id,
        checklistId: id,
        title: `Task ${n}`,
        order: n,
      })),
    });
    await remove(`/checklists/${id}`);
    expect(await restore(`/checklists/${id}`)).toMatchObject({
      status: 409,
      error: { message: expect.stringContaining('more than 5000') },
    });
  });
});
