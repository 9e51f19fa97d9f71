// The log is read by the row as it is now: what is private again or deleted is shown to nobody who may not read it.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memberClient } from './resources/members.ts';
import { ChangeStream } from './support/change-stream.ts';
import type { Client, Row } from './support/client.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { collectionsWith, typeOf } from './support/resources.ts';
import { fill, Rows } from './support/rows.ts';
import { dataOf, WebhookService } from './support/webhooks.ts';

let hooks: WebhookService;
let rows: Rows;
/** An admin's, another admin's and a member's. */
let client: Client;
let other: Client;
let member: Client;
beforeAll(async () => {
  hooks = await WebhookService.start();
  const { service, tenant } = hooks;
  rows = await Rows.of(service, tenant);
  ({ client } = hooks);
  await service.database.prisma.user.updateMany({ where: { id: tenant.users[1]?.id }, data: { role: 'ADMIN' } });
  other = await memberClient(service, tenant, 1);
  member = await memberClient(service, tenant, 2);
});
afterAll(() => hooks.close());

/** Reads the whole feed. */
async function readFeed(reader: Client): Promise<Row[]> {
  await waitForOlderTransactions(hooks.service.database);
  const all: Row[] = [];
  for (let after: unknown, more: unknown = true; more; ) {
    const { row } = await reader.get('/changes', after === undefined ? {} : { after });
    all.push(...(row['changes'] as Row[]));
    ({ next: after, has_more: more } = row);
  }
  return all;
}

/** What the feed has of a row. */
const feedOf = async (reader: Client, id: unknown) => (await readFeed(reader)).filter(({ row_id }) => row_id === id);

describe('of a deleted row', () => {
  const deleted = new Map<string, { id: unknown; path: string }>();
  beforeAll(async () => {
    for (const [path, collection] of collectionsWith('create', 'delete')) {
      const type = typeOf(collection);
      if (type === 'Note' || /Watcher$/.test(type)) continue;
      const { id } = await rows.make(collection, { full: true });
      const own = fill(path, await rows.parents(path));
      expect({ type, status: (await client.delete(`${own}/${String(id)}`)).status }).toEqual({ type, status: 204 });
      deleted.set(type, { id, path: own });
    }
    expect(deleted.size).toBeGreaterThan(25);
  });

  test('a member gets the id and that it was deleted, and an admin everything', async () => {
    const [ofMember, ofAdmin] = [await readFeed(member), await readFeed(client)];
    for (const [type, { id }] of deleted) {
      const seen = ofMember.filter(({ row_id }) => row_id === id);
      expect({ type, seen }).toMatchObject({
        type,
        seen: [{ action: 'delete', row_id: id, fields: [], before: null, after: null }],
      });
      expect(seen).toHaveLength(1);
      const all = ofAdmin.filter(({ row_id }) => row_id === id);
      expect({ type, first: all[0], last: all.at(-1) }).toMatchObject({
        type,
        first: { action: 'create', after: { id } },
        last: { action: 'delete', before: { id } },
      });
    }
  });

  test('the history is for admins', async () => {
    for (const [type, { id, path }] of deleted) {
      const statuses = [member, other].map(async (by) => (await by.get(`${path}/${String(id)}/history`)).status);
      expect({ type, statuses: await Promise.all(statuses) }).toEqual({ type, statuses: [404, 200] });
    }
  });

  test('its last response has no more', async () => {
    const { row } = await member.post('/service-requests', { title: 'Lostword' });
    await member.patch(`/service-requests/${String(row['id'])}`, { title: 'Lostword too' });
    const { data } = await member.graphql<{ deleteServiceRequest: { history: Row } }>(
      `mutation ($id: ID!) { deleteServiceRequest(id: $id) { history { totalCount nodes { action before after } } } }`,
      { id: row['id'] },
    );
    expect(data.deleteServiceRequest.history).toEqual({
      totalCount: 1,
      nodes: [{ action: 'DELETE', before: null, after: null }],
    });
  });
});

describe('of a note that is private again', () => {
  let id: unknown;
  let path: string;
  const word = 'Withdrawnword';
  beforeAll(async () => {
    await hooks.create(hooks.people.member, { resources: ['NOTES'] });
    const { row } = await client.post('/notes', { title: word, is_shared: true });
    ({ id } = row);
    path = `/notes/${String(id)}`;
    await client.patch(path, { content: `${word} 2` });
    await client.patch(path, { is_shared: false });
    await client.patch(path, { content: `${word} 3` });
  });

  test('everybody but the author gets the id and that it is gone, in the feed and its stream', async () => {
    for (const reader of [member, other]) {
      const feed = await readFeed(reader);
      const gone = { action: 'delete', row_id: id, fields: [], before: null, after: null };
      expect(feed.filter(({ row_id }) => row_id === id)).toMatchObject([gone]);
      const stream = await ChangeStream.open(reader);
      await stream.received(feed.length);
      await sleep(300);
      stream.close();
      expect(stream.changes).toEqual(feed);
      expect(JSON.stringify(feed)).not.toContain(word);
      const { data } = await reader.graphql('{ changes { changes { rowId before after } } }');
      expect(JSON.stringify(data)).not.toContain(word);
      expect((await reader.get(`${path}/history`)).status).toBe(404);
      expect((await reader.get('/snapshot')).text).not.toContain(word);
    }
    expect((await feedOf(client, id)).map(({ action }) => action)).toEqual(['create', 'update', 'update', 'update']);
  });

  test('a webhook of somebody else is sent the id and that it is gone', async () => {
    await hooks.deliverAll();
    const seen = hooks.receiver.received.filter(({ message }) => dataOf(message)['row_id'] === id);
    expect(seen.map(({ message }) => message['type'])).toEqual(['notes.delete']);
    expect(JSON.stringify(seen)).not.toContain(word);
  });

  test('it is shown once it is shared again, without what was written meanwhile', async () => {
    await client.patch(path, { is_shared: true });
    const actions = (await feedOf(member, id)).map(({ action }) => action);
    expect(actions).toEqual(['create', 'update', 'delete', 'create']);
    expect((await member.get(`${path}/history`)).rows.map(({ action }) => action)).toEqual(actions.toReversed());
    await client.patch(path, { is_shared: false });
    await client.delete(path);
    // It was private when it was deleted, so that other admins may not read it either.
    expect((await other.get(`${path}/history`)).status).toBe(404);
    expect(JSON.stringify(await feedOf(other, id))).not.toContain(word);
    expect((await client.get(`${path}/history`)).status).toBe(200);
  });
});
