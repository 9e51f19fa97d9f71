/** The measured workloads, and a check that all servers respond alike. */
import assert from 'node:assert/strict';
import type { Request } from 'autocannon';
import { type Caller, createdTitle, type Data } from './data.ts';
import type { RunningServer } from './servers.ts';

export interface Workload {
  name: string;
  /** The requests of one caller. */
  requests(server: RunningServer, caller: Caller): Request[];
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

export const workloads: Workload[] = [
  {
    name: 'list',
    requests: () => [{ method: 'GET', path: `${collection}?limit=50` }],
    comparable: comparableList,
  },
  {
    name: 'filtered',
    requests: () => [{ method: 'GET', path: `${collection}?status=pending&limit=50` }],
    comparable: comparableList,
  },
  {
    name: 'read',
    requests: (_server, { serviceRequestIds }) =>
      serviceRequestIds.map((id) => ({ method: 'GET', path: `${collection}/${id}` })),
    comparable: ({ data }) => data,
  },
  { name: 'nested', requests: ({ nested }, caller) => [nested(caller)], comparable: ({ data }) => data },
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

/** A workload's requests of all callers in turn, with their tokens. */
export function requestsOf(workload: Workload, server: RunningServer, { callers }: Data): Request[] {
  const each = callers.map((caller) => workload.requests(server, caller).map((request) => complete(request, caller)));
  const rounds = Math.max(...each.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, n) => each.map((requests) => requests[n % requests.length]!)).flat();
}

/** Adds a caller's token and the type of the body. */
const complete = (request: Request, { token }: Caller): Request => ({
  ...request,
  headers: {
    authorization: `Bearer ${token}`,
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
  },
});

/**
 * Asserts that every server responds to a workload's first request alike, and rejects the same requests.
 *
 * @throws {assert.AssertionError} with the difference
 */
export async function compare(workload: Workload, servers: RunningServer[], data: Data): Promise<void> {
  let first: unknown;
  for (const server of servers) {
    const request = requestsOf(workload, server, data)[0]!;
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
async function compareCreated(server: RunningServer, text: string, { client, callers }: Data): Promise<void> {
  const { data } = JSON.parse(text) as Body;
  const entries = `${server.schema ?? 'public'}.activity_entries`;
  const { rows } = await client.query(`SELECT action FROM ${entries} WHERE service_request_id = $1`, [data.id]);
  assert.deepEqual(rows, [{ action: 'created' }], `${server.name} keeps no activity of what it creates`);
  const body = JSON.stringify({ title: createdTitle, assigned_to: data.id });
  const refused = await send(server, complete({ method: 'POST', path: collection, body }, callers[0]!));
  assert.equal(refused.status, 422, `${server.name} accepts an unknown user`);
  assert.deepEqual(Object.keys((JSON.parse(refused.text) as { error: { details: object } }).error.details), [
    'assigned_to',
  ]);
}

/** The mean number of statements of a workload's requests, of one caller that the server knows already. */
export async function countStatements(
  workload: Workload,
  server: RunningServer,
  { callers }: Data,
  count: () => number,
): Promise<number> {
  const requests = Array.from({ length: 20 }, () => workload.requests(server, callers[0]!)).flat();
  const first = complete(requests[0]!, callers[0]!);
  for (let n = 0; n < 3; n++) await send(server, first);
  const before = count();
  for (const request of requests.slice(0, 20)) await send(server, complete(request, callers[0]!));
  return (count() - before) / 20;
}

async function send({ url }: RunningServer, { method, path, headers, body }: Request) {
  const response = await fetch(url + path, { method, headers, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
