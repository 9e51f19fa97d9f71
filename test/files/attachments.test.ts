// Every resource with attachments has them everywhere.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { api } from '../../src/schema/index.ts';
import { memberClient } from '../resources/members.ts';
import type { Client, Row } from '../support/client.ts';
import { addFile, sendBytes } from '../support/files.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { collections } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

/** Resources that REST only reads. */
const onlyRead = ['Area'];

const attached = api.resources.filter(({ roles }) => roles.attachments).map(({ type, path }) => ({ type, path }));

let service: Service;
let acme: Tenant;
let rows: Rows;
let client: Client;
/** The files that each row was given. */
const given: Record<string, string[]> = {};
beforeAll(async () => {
  service = await startService();
  acme = await service.tenant();
  rows = await Rows.of(service, acme, true, 1);
  client = rows.client;
});
afterAll(() => service.close());

test('those that people expect have some', () => {
  expect(attached.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      ...['ServiceRequest', 'MoveRequest', 'ServiceRequestComment', 'MoveRequestComment', 'Asset', 'AssetMaintenance'],
      ...['Shipment', 'ExpectedPackage', 'Vendor', 'Invoice', 'Building', 'Area', 'Lease'],
    ]),
  );
});

describe.each(attached)('$type', ({ type, path }) => {
  let list: string;
  let id: string;
  beforeAll(async () => {
    list = fill(path, await rows.parents(path));
    const collection = collections.find((each) => each.path === path);
    if (!collection) throw new Error(`There is no collection at ${path}.`);
    id = String((await rows.make(collection, { values: { attachmentIds: [] } }))['id']);
  });
  const add = async () => String((await addFile(client, 'abc'))['id']);
  const idsOf = async () => (await client.get(`${list}/${id}/attachments`)).rows.map((file) => file['id']);

  test('in GraphQL, histories, CSV and `include`', async () => {
    const [one, other] = [await add(), await add()];
    const { data, errors } = await client.graphql(
      `mutation ($id: ID!, $input: Update${type}Input!) {
        update${type}(id: $id, input: $input) { attachmentIds attachments { totalCount nodes { id name } } history(first: 1) { nodes { after } } }
      }`,
      { id, input: { attachmentIds: [one, other] } },
    );
    expect(errors).toEqual([]);
    const named = [one, other].map((file) => ({ id: file, name: 'file.txt' }));
    expect((data as Row)[`update${type}`]).toEqual({
      attachmentIds: [one, other],
      attachments: { totalCount: 2, nodes: named },
      history: { nodes: [{ after: expect.objectContaining({ attachmentIds: [one, other] }) }] },
    });
    expect(await idsOf()).toEqual([one, other]);
    given[id] = [one, other];
    const listed = await client.get(list, { id, include: 'attachments' });
    expect(listed.rows).toMatchObject([{ id, attachments: named, attachments_total: 2 }]);
    const csv = await fetch(`${service.origin}/api/v1${list}?id=${id}&fields=attachment_ids`, {
      headers: { authorization: `Bearer ${client.token}`, accept: 'text/csv' },
    });
    expect(await csv.text()).toContain(one);
  });

  const isWritten = !onlyRead.includes(type);
  test(isWritten ? 'are sent, put and removed in REST' : 'are only read in REST', async () => {
    const address = `${list}/${id}/attachments`;
    const octets = { 'content-type': 'application/octet-stream' };
    const before = await idsOf();
    const sent = await sendBytes(client, `${address}?name=a.txt`, 'abc', octets);
    if (!isWritten) {
      expect(sent.status).toBe(405);
      return;
    }
    expect(sent).toMatchObject({ status: 201, row: { name: 'a.txt' } });
    const file = await add();
    expect((await sendBytes(client, `${address}/${file}`, undefined, {}, 'PUT')).status).toBe(204);
    expect(await idsOf()).toEqual([...before, sent.row['id'], file]);
    expect((await sendBytes(client, `${address}/${file}`, undefined, {}, 'DELETE')).status).toBe(204);
    expect(await idsOf()).toEqual([...before, sent.row['id']]);
  });
});

test('the feed has them', async () => {
  await waitForOlderTransactions(service.database);
  const seen = new Set<unknown>();
  for (let after: unknown, more: unknown = true; more; ) {
    const { row } = await client.get('/changes', after === undefined ? {} : { after });
    for (const change of row['changes'] as Row[]) {
      const ids = (change['after'] as Row | null)?.['attachment_ids'];
      if (ids && JSON.stringify(ids) === JSON.stringify(given[String(change['row_id'])])) seen.add(change['row_id']);
    }
    ({ next: after, has_more: more } = row);
  }
  expect(seen).toEqual(new Set(Object.keys(given)));
  expect(seen.size).toBe(attached.length);
});

test('what is attached to a comment is for its author and admins to change, who change nothing else', async () => {
  const { id: request } = (await client.post('/service-requests', { title: 'Door' })).row;
  const comments = `/service-requests/${request}/comments`;
  const author = await memberClient(service, acme, 1);
  const other = await memberClient(service, acme, 2);
  const { id } = (await author.post(comments, { comment: 'It is broken.' })).row;
  const own = await addFile(author, 'abc');
  const put = (by: Client, file: Row) =>
    sendBytes(by, `${comments}/${id}/attachments/${file['id']}`, undefined, {}, 'PUT');
  expect((await put(author, own)).status).toBe(204);
  expect(await put(other, await addFile(other, 'abc'))).toMatchObject({ status: 403 });
  expect((await put(client, await addFile(client, 'abc'))).status).toBe(204);
  const { status, error } = await author.patch(`${comments}/${id}`, { comment: 'It is not.' });
  expect([status, error.details]).toEqual([422, { comment: expect.any(String) }]);
  expect((await client.get(`${comments}/${id}`)).row).toMatchObject({ comment: 'It is broken.' });
});
