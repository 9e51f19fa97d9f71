import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Reply, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = (await (await service.tenant()).client()).at('');
});
afterAll(() => service.close());

const send = (query: string) => client.post('/graphql', { query });
const costOf = (reply: Reply) => (reply.json['extensions'] as { cost: Row }).cost;

// Counted by hand: a field is 1, and the fields in a list count once per possible row.
test.each<[counted: number, query: string]>([
  // Requests may all have the same building, whose list is then read for each of them: its rows (5000) and conditions.
  [
    1 + 10 * (1 + 1 + 1 + 2 * 2) + 1000 + 9 * (5000 + 1000),
    '{ serviceRequests(first: 10) { nodes { building { serviceRequests(first: 2, filter: { room: { eq: "1" } }) { nodes { id } } } } } }',
  ],
  [
    1 + 3 * (1 + 1 + 2 * (1 + 1 + (1 + 2 * 2))) + 10_000 + 5 * (5000 + 10_000),
    `{ buildings(first: 3) { nodes { serviceRequests(first: 2) { nodes { ...F } } } } }
      fragment F on ServiceRequest { building { desks(first: 2, orderBy: [{ field: NAME }]) { nodes { id } } } }`,
  ],
  // Of the watchers of one request each is another user; several requests have the same.
  [
    1 + 3 * (1 + 1 + 2 * (1 + (1 + 2 * 2))) + 1000 + 2 * (5000 + 1000),
    '{ serviceRequests(first: 3) { nodes { watchers(first: 2) { nodes { assignedServiceRequests(first: 2, filter: { room: { eq: "1" } }) { nodes { id } } } } } } }',
  ],
  // Not of one row, nor where an index finds the page.
  [
    1 + (1 + 1 + (1 + 2 * 2)) + 1000,
    '{ serviceRequests(first: 1) { nodes { building { serviceRequests(first: 2, filter: { room: { eq: "1" } }) { nodes { id } } } } } }',
  ],
  [
    1 + 10 * (1 + 1 + (1 + 2) + 2 * 2) + 1000,
    '{ serviceRequests(first: 10) { nodes { building { serviceRequests(first: 2, offset: 100, filter: { createdAt: { gte: "today" } }) { nodes { id } } } } } }',
  ],
])('a cost of %d: %s', async (counted, query) => {
  const reply = await send(query);
  expect(reply.json['errors']).toBeUndefined();
  expect(costOf(reply)).toEqual({ counted, limit: 200_000 });
});

test('lists that would be read again for each row above are refused with what makes them cheaper', async () => {
  const query =
    '{ serviceRequests(first: 100) { nodes { building { desks(first: 1, orderBy: [{ field: NAME }]) { nodes { id } } } } } }';
  const refused = await send(query);
  expect(refused.json['errors']).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
  expect(refused.text).toContain('1485000 for lists of related rows that are read again for each row above');
  expect(refused.text).toContain('Select these lists at the root');
});
