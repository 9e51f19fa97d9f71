// Policies are asked once a write, by what is known: before the body by the action, then by the input, by the row under
// its lock, and by its changes.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { FieldErrors } from '../../src/errors.ts';
import { defineResource, type Policy } from '../../src/resource/index.ts';
import { changes } from '../../src/schema/changes/changes.ts';
import { memberClient } from '../resources/members.ts';
import type { Client, Row } from '../support/client.ts';
import { serveBeside } from '../support/other-api.ts';
import { type Service, startService } from '../support/service.ts';

/** What the policy was asked. */
const asked: string[] = [];
/** What it refuses. */
let refused: string | undefined;

const ask = (question: string) => {
  asked.push(question);
  return refused === question ? `Refused by ${question}.` : undefined;
};

const nameOf = (row: Row | null) => (typeof row?.['name'] === 'string' ? row['name'] : 'none');

const asking: Policy<never, never, never> = {
  // Read where a policy is asked by the action.
  get except() {
    ask('action');
    return ['ADMIN'] as const;
  },
  columns: [],
  fields: [],
  statuses: [],
  findErrors: (): FieldErrors => (ask('input') === undefined ? {} : { name: 'is refused' }),
  refuseRow: ({ action }, { previous, data }) => ask(`row of ${action}: ${nameOf(previous)}, ${nameOf(data)}`),
  refuseChanges: ({ action }, { changes: changed }) => ask(`changes of ${action}: ${nameOf(changed)}`),
  describe: () => undefined,
  summarize: () => undefined,
};

const Color = defineResource('Paint', {
  scope: 'paint',
  fields: { name: {}, brand: {} },
  access: { actions: ['list', 'read', 'create', 'update', 'replace', 'delete'], write: asking },
  graphql: { type: 'Color' },
  rest: { path: '/colors' },
});

let service: Service;
let member: Client;
let other: Awaited<ReturnType<typeof serveBeside>>;
beforeAll(async () => {
  service = await startService();
  member = await memberClient(service, await service.tenant(), 2);
  other = await serveBeside(service, [Color, ...changes]);
});
afterAll(async () => {
  await other?.close();
  await service.close();
});
beforeEach(() => {
  asked.length = 0;
  refused = undefined;
});

async function send(method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${member.token}` };
  const { statusCode, body } = await other.inject({ method, url, headers, payload });
  return {
    status: statusCode,
    body: (body === '' ? {} : JSON.parse(body)) as { data?: Row; error?: Row; errors?: Row[] },
  };
}

const create = async (name: string) => String((await send('POST', '/api/v1/colors', { name })).body.data?.['id']);

test('REST asks each part once', async () => {
  const id = await create('Oak');
  expect(asked).toEqual(['input', 'row of create: none, Oak', 'changes of create: Oak']);
  asked.length = 0;
  expect((await send('PATCH', `/api/v1/colors/${id}`, { name: 'Ash' })).status).toBe(200);
  expect(asked).toEqual(['input', 'row of update: Oak, Ash', 'changes of update: Ash']);
  asked.length = 0;
  expect((await send('PUT', `/api/v1/colors/${id}`, { name: 'Elm' })).status).toBe(200);
  expect(asked).toEqual(['input', 'row of update: Ash, Elm', 'changes of update: Elm']);
  asked.length = 0;
  // Nothing changes.
  expect((await send('PATCH', `/api/v1/colors/${id}`, { name: 'Elm' })).status).toBe(200);
  expect(asked).toEqual(['input', 'row of update: Elm, Elm']);
  asked.length = 0;
  expect((await send('DELETE', `/api/v1/colors/${id}`)).status).toBe(204);
  expect(asked).toEqual(['row of delete: Elm, none', 'changes of delete: none']);
});

test('GraphQL asks each part once', async () => {
  const mutate = (query: string) => send('POST', '/graphql', { query });
  const id = await create('Oak');
  asked.length = 0;
  await mutate(`mutation { updateColor(id: "${id}", input: { name: "Ash" }) { id name } }`);
  expect(asked).toEqual(['input', 'row of update: Oak, Ash', 'changes of update: Ash']);
  asked.length = 0;
  await mutate(`mutation { deleteColor(id: "${id}") { id } }`);
  expect(asked).toEqual(['row of delete: Ash, none', 'changes of delete: none']);
  asked.length = 0;
  await mutate('mutation { createColor(input: { name: "Oak" }) { id } }');
  expect(asked).toEqual(['input', 'row of create: none, Oak', 'changes of create: Oak']);
});

test.each([
  ['input', 422, 'Validation failed.'],
  ['row of update: Oak, Ash', 403, 'Refused by row of update: Oak, Ash.'],
  ['changes of update: Ash', 403, 'Refused by changes of update: Ash.'],
])('a refusal by %s is %d, and nothing is asked after it or written', async (question, status, message) => {
  const id = await create('Oak');
  asked.length = 0;
  refused = question;
  const url = `/api/v1/colors/${id}`;
  expect(await send('PATCH', url, { name: 'Ash' })).toMatchObject({ status, body: { error: { message } } });
  expect(asked.at(-1)).toBe(question);
  refused = undefined;
  asked.length = 0;
  expect((await send('PATCH', url, { brand: 'Acme' })).status).toBe(200);
  expect(asked).toContain('row of update: Oak, none');
});

test('a refusal by what a deletion leaves rolls it back', async () => {
  const id = await create('Oak');
  refused = 'changes of delete: none';
  expect((await send('DELETE', `/api/v1/colors/${id}`)).status).toBe(403);
  refused = undefined;
  expect((await send('DELETE', `/api/v1/colors/${id}`)).status).toBe(204);
});
