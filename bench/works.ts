/** The kinds of work that are measured, and the proof that all servers do the same. */
import assert from 'node:assert/strict';
import type { Request } from 'autocannon';
import { createdTitle, type Data } from './data.ts';
import type { RunningServer } from './servers.ts';

/** One kind of work. */
export interface Work {
  name: string;
  /** What is sent, over and over. */
  requests(server: RunningServer, data: Data): Request[];
  /** Cheaper requests that run the same code, when `requests` are too slow to warm it up; `requests` unless given. */
  warmUp?(data: Data): Request[];
  /** The part of an answer that must be the same from every server. */
  essence(body: Body): unknown;
}

/** What an answer holds, of which nothing is known but that it is JSON. */
type Body = { data: Record<string, unknown>; meta: Record<string, unknown> & { pagination: Record<string, unknown> } };

const collection = '/api/v1/service-requests';

/** A list is the same when its rows, their order, and all of `meta` but what is each server's own are. */
function essenceOfList({ data, meta: { total, limit, offset, pagination } }: Body): unknown {
  return { data, total, limit, offset, pagination: { ...pagination, next_cursor: typeof pagination.next_cursor } };
}

/** Lists as long as the measured ones, of which PostgreSQL has far fewer rows to count. */
const listsOfUsers = ({ userIds }: Data): Request[] =>
  userIds.map((id) => ({ method: 'GET', path: `${collection}?assigned_to=${id}&limit=50` }));

export const works: Work[] = [
  {
    name: 'list',
    requests: () => [{ method: 'GET', path: `${collection}?limit=50` }],
    warmUp: listsOfUsers,
    essence: essenceOfList,
  },
  {
    name: 'filtered',
    requests: () => [{ method: 'GET', path: `${collection}?status=pending&limit=50` }],
    warmUp: listsOfUsers,
    essence: essenceOfList,
  },
  {
    name: 'read',
    requests: (_server, { serviceRequestIds }) =>
      serviceRequestIds.map((id) => ({ method: 'GET', path: `${collection}/${id}` })),
    essence: ({ data }) => data,
  },
  { name: 'nested', requests: ({ nested }) => [nested], essence: ({ data }) => data },
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
    essence: ({ data: { id, created_at, updated_at, ...data } }) => ({ ...data, id: typeof id }),
  },
];

/** Adds the headers that a server wants. */
export const complete = (request: Request, { headers }: RunningServer): Request => ({
  ...request,
  headers: request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
});

/**
 * Sees to it that every server answers the first request of a kind of work alike, and refuses alike what must be
 * refused.
 *
 * @throws {assert.AssertionError} with the difference
 */
export async function compare(work: Work, servers: RunningServer[], data: Data): Promise<void> {
  let first: unknown;
  for (const server of servers) {
    const request = complete(work.requests(server, data)[0]!, server);
    const answer = await send(server, request);
    assert.equal(answer.status, request.method === 'POST' && request.path === collection ? 201 : 200, answer.text);
    for (const header of ['x-request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      assert.ok(answer.headers.has(header), `${server.name} sends no ${header}`);
    const essence = work.essence(JSON.parse(answer.text) as Body);
    first ??= essence;
    assert.deepEqual(essence, first, `${work.name}: ${server.name} and ${servers[0]!.name} do not answer alike`);

    const stranger = await send(server, {
      ...request,
      headers: { ...request.headers, authorization: 'Bearer nobody' },
    });
    assert.equal(stranger.status, 401, `${server.name} lets a stranger in`);
    if (work.name === 'create') await compareCreated(server, answer.text, data);
  }
}

/** A create is the same work when it leaves an activity entry behind and refuses users that do not exist. */
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
  const answer = await fetch(url + path, { method, headers, body });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
