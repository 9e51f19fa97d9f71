// Histories of rows: who reads which changes.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memberClient } from './resources/members.ts';
import type { Client, Row } from './support/client.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

describe('a history', () => {
  test('of a deleted row is for admins', async () => {
    const { row } = await client.post('/paints', { name: 'Grey' });
    const path = `/paints/${String(row['id'])}`;
    await client.patch(path, { name: 'Gray' });
    const member = await memberClient(service, tenant, 2);
    expect((await member.get(`${path}/history`)).rows.map(({ action }) => action)).toEqual(['update', 'create']);
    await client.delete(path);
    expect((await member.get(`${path}/history`)).status).toBe(404);
    const { rows, meta } = await client.get(`${path}/history`, { limit: 2 });
    expect(rows.map(({ action }) => action)).toEqual(['delete', 'update']);
    expect(meta).toMatchObject({ total: 3, pagination: { has_more: true } });
    const rest = await client.get(`${path}/history`, { limit: 2, cursor: meta.pagination.next_cursor });
    expect(rest.rows.map(({ action }) => action)).toEqual(['create']);
  });

  test('counts and pages only changes that the reader may see', async () => {
    const member = await memberClient(service, tenant, 2);
    const { row } = await client.post('/notes', { title: 'Keys', is_shared: true });
    const path = `/notes/${String(row['id'])}`;
    const edit = (fields: Row) => client.patch(path, fields);
    await edit({ title: 'Keys!' });
    for (const is_shared of [false, true]) {
      await edit({ is_shared });
      if (!is_shared) for (let n = 0; n < 12; n++) await edit({ title: `Hidden ${n}` });
    }
    await edit({ title: 'Keys?' });
    const actions: unknown[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await member.get(`${path}/history`, { limit: 2, ...(cursor && { cursor }) });
      expect(page.rows.length).toBeGreaterThan(0);
      expect(page.meta['total']).toBe(5);
      actions.push(...page.rows.map(({ action }) => action));
      cursor = page.meta.pagination.next_cursor;
    } while (cursor);
    expect(actions).toEqual(['update', 'create', 'delete', 'update', 'create']);
    expect((await client.get(`${path}/history`)).meta['total']).toBe(17);
    const inRow = '{ notes { nodes { history { totalCount nodes { action } } } } }';
    for (const [reader, count] of [
      [member, 5],
      [client, 17],
    ] as const) {
      const { data } = await reader.graphql<{ notes: { nodes: { history: { totalCount: number; nodes: Row[] } }[] } }>(
        inRow,
      );
      expect(data.notes.nodes.map(({ history }) => [history.totalCount, history.nodes.length])).toEqual([
        [count, count],
      ]);
    }
  });

  test('of all rows of a page is read in one statement', async () => {
    for (const name of ['A', 'B', 'C']) await client.post('/vendors', { company_name: name });
    service.statements.length = 0;
    const { data } = await client.graphql<{ vendors: { nodes: { history: { nodes: Row[] } }[] } }>(
      '{ vendors(first: 3) { nodes { history(first: 1) { nodes { action } } } } }',
    );
    expect(data.vendors.nodes.map(({ history }) => history.nodes)).toEqual(Array(3).fill([{ action: 'CREATE' }]));
    expect(service.statements.filter((sql) => sql.includes('changes'))).toHaveLength(1);
  });
});
