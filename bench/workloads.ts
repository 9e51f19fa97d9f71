/** The measured workloads, and a check that all servers respond alike. */
import assert from 'node:assert/strict';
import type { Request } from 'autocannon';
import { createdTitle, type Data } from './data.ts';
import type { RunningServer } from './servers.ts';

/** one workload. */
export interface Workload {
  name: string;
  /** The requests to send repeatedly. */
  requests(server: RunningServer, data: Data): Request[];
  /** Cheaper requests that run the same code, when `requests` are too slow to warm it up; `requests` unless given. */
  warmUp?(data: Data): Request[];
  /** The part of a response that must be the same from every server. */
  comparable(body: Body): unknown;
}

/** A response body of unknown content. */
type Body = { data: Record<string, unknown>; meta: Record<string, unknown> & { pagination: Record<string, unknown> } };

const collection = '/api/v1/service-requests';

/** Lists must have the same rows, order and `meta`, except for what differs between servers, such as cursors. */
function comparableList({ data, meta: { total, limit, offset, pagination } }: Body): unknown {
  return { data, total, limit, offset, pagination: { ...pagination, next_cursor: typeof pagination.next_cursor } };
}

/** Lists as long as the measured ones, but with far fewer rows to count. */
const listsOfUsers = ({ userIds }: Data): Request[] =>
  userIds.map((id) => ({ method: 'GET', path: `${collection}?assigned_to=${id}&limit=50` }));

export const workloads: Workload[] = [
  {
    name: 'list',
    requests: () => [{ method: 'GET', path: `${collection}?limit=50` }],
    warmUp: listsOfUsers,
    comparable: comparableList,
  },
  {
    name: 'filtered',
    requests: () => [{ method: 'GET', path: `${collection}?status=pending&limit=50` }],
    warmUp: listsOfUsers,
    comparable: comparableList,
  },
  {
    name: 'read',
    requests: (_server, { serviceRequestIds }) =>
      serviceRequestIds.map((id) => ({ method: 'GET', path: `${collection}/${id}` })),
    comparable: ({ data }) => data,
  },
  { name: 'nested', requests: ({ nested }) => [nested], comparable: ({ data }) => data },
  {
    name: 'create',
    requests: (_server, { userIds, buildingIds }) =>
      userIds.map((assigned_to, i) => ({
        method: 'POST',
        path: collection,
        body: JSON.stringify({
          title: createdTitle,
          priority: 'high',
          assigned_to,
          building_id: buildingIds[i % buildingIds.length],
        }),
      })),
    comparable: ({ data: { id, created_at, updated_at, ...data } }) => ({ ...data, id: typeof id }),
  },
];

/** Adds the headers that a server requires. */
export const complete = (request: Request, { headers }: RunningServer): Request => ({
  ...request,
  headers: request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
});

/**
 * Asserts that every server responds to a workload's first request alike, and rejects the same requests.
 *
 * @throws {assert.AssertionError} with the difference
 */
export async function compare(workload: Workload, servers: RunningServer[], data: Data): Promise<void> {
  let first: unknown;
  for (const server of servers) {
    const request = complete(workload.requests(server, data)[0]!, server);
    const response = await send(server, request);
    assert.equal(response.status, request.method === 'POST' && request.path === collection ? 201 : 200, response.text);
    for (const header of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      assert.ok(response.headers.has(header), `${server.name} sends no ${header}`);
    const comparable = workload.comparable(JSON.parse(response.text) as Body);
    first ??= comparable;
    assert.deepEqual(comparable, first, `${workload.name}: ${server.name} and ${servers[0]!.name} do not answer alike`);

    const unauthorized = await send(server, {
      ...request,
      headers: { ...request.headers, authorization: 'Bearer unknown' },
    });
    assert.equal(unauthorized.status, 401, `${server.name} accepts an unknown token`);
    if (workload.name === 'create') await compareCreated(server, response.text, data);
  }
}

/** Asserts that a create also records an activity entry and rejects unknown users. */
async function compareCreated(server: RunningServer, text: string, { client }: Data): Promise<void> {
  const { data } = JSON.parse(text) as Body;
  const { rows } = await client.query('SELECT action FROM activity_entries WHERE service_request_id = $1', [data.id]);
  assert.deepEqual(rows, [{ action: 'created' }], `${server.name} keeps no activity of what it creates`);
  const body = JSON.stringify({ title: createdTitle, assigned_to: data.id });
  const refused = await send(server, complete({ method: 'POST', path: collection, body }, server));
  assert.equal(refused.status, 422, `${server.name} accepts an unknown user`);
  assert.deepEqual(Object.keys((JSON.parse(refused.text) as { error: { details: object } }).error.details), [
    'assigned_to',
  ]);
}

async function send({ url }: RunningServer, { method, path, headers, body }: Request) {
  const response = await fetch(url + path, { method, headers, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
