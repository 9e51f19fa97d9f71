import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { memberClient } from '../resources/members.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

describe('errors', () => {
  type Case = [
    what: string,
    query: string,
    variables: Row,
    error: { code: string; details?: string[]; message?: string },
  ];
  const input = 'mutation ($input: CreateServiceRequestInput!) { createServiceRequest(input: $input) { id } }';
  const never = '01890000-0000-7000-8000-000000000000';

  test.each<Case>([
    ['a syntax error', '{ paints', {}, { code: 'BAD_REQUEST' }],
    ['an unknown field', '{ paint(id: "x") { colour } }', {}, { code: 'BAD_REQUEST', message: 'colour' }],
    ['no such root field', '{ nothing }', {}, { code: 'BAD_REQUEST', message: 'nothing' }],
    ['no selection', '{ paints }', {}, { code: 'BAD_REQUEST' }],
    ['an invalid id', '{ paint(id: "x") { id } }', {}, { code: 'BAD_REQUEST', message: 'id' }],
    [
      'an invalid id in a filter',
      '{ serviceRequests(filter: {assignedTo: {eq: "x"}}) { totalCount } }',
      {},
      { code: 'BAD_REQUEST', message: 'assignedTo' },
    ],
    ['an id never issued', `{ paint(id: "${never}") { id } }`, {}, { code: 'NOT_FOUND' }],
    ['too many rows', '{ paints(first: 101) { totalCount } }', {}, { code: 'BAD_REQUEST', message: 'first' }],
    ['an offset below zero', '{ paints(offset: -1) { totalCount } }', {}, { code: 'BAD_REQUEST', message: 'offset' }],
    ['a made-up cursor', '{ paints(after: "x") { totalCount } }', {}, { code: 'BAD_REQUEST', message: 'after' }],
    [
      'NUL in a search',
      '{ paints(search: "a\\u0000") { totalCount } }',
      {},
      { code: 'BAD_REQUEST', message: 'search' },
    ],
    [
      'NUL in a filter',
      '{ paints(filter: {name: {contains: "a\\u0000"}}) { totalCount } }',
      {},
      { code: 'BAD_REQUEST', message: 'name' },
    ],
    [
      'a variable of a wrong type',
      'query ($first: Int) { paints(first: $first) { totalCount } }',
      { first: 'x' },
      { code: 'BAD_REQUEST', message: 'first' },
    ],
    [
      'an invalid date',
      'query ($day: RelativeDate!) { moveRequests(filter: {scheduledDate: {gte: $day}}) { totalCount } }',
      { day: '2026-02-30' },
      { code: 'BAD_REQUEST', message: 'day' },
    ],
    ['a missing field', input, { input: {} }, { code: 'VALIDATION_ERROR', details: ['title'] }],
    ['no input', input, {}, { code: 'BAD_REQUEST', message: 'input' }],
    [
      'fields of wrong types',
      input,
      { input: { title: 7, floor: true } },
      { code: 'VALIDATION_ERROR', details: ['floor', 'title'] },
    ],
    [
      'an unknown input field',
      input,
      { input: { title: 'x', colour: 'red' } },
      { code: 'VALIDATION_ERROR', details: ['colour'] },
    ],
    [
      'wrong values',
      input,
      { input: { title: ' ', assignedTo: never, room: 'a\0' } },
      { code: 'VALIDATION_ERROR', details: ['assignedTo', 'room', 'title'] },
    ],
    [
      'a wrong word',
      input,
      { input: { title: 'x', priority: 'high' } },
      { code: 'VALIDATION_ERROR', details: ['priority'] },
    ],
    [
      'a nested error',
      input,
      { input: { title: 'x', location: { building: 'nowhere' } } },
      { code: 'VALIDATION_ERROR', details: ['location.building'] },
    ],
    [
      'null for a required field',
      `mutation { updateServiceRequest(id: "${never}", input: {title: null}) { id } }`,
      {},
      { code: 'VALIDATION_ERROR', details: ['title'] },
    ],
    [
      'an update of a missing row',
      `mutation { updatePaint(id: "${never}", input: {name: "x"}) { id } }`,
      {},
      { code: 'NOT_FOUND' },
    ],
  ])('%s', async (_, query, variables, { code, details, message = '' }) => {
    const { errors } = await client.graphql(query, variables);
    expect(errors.length).toBeGreaterThan(0);
    for (const { message: text, extensions, ...rest } of errors) {
      expect(extensions.code).toBe(code);
      expect(extensions.details && Object.keys(extensions.details).sort()).toEqual(details);
      expect(text).toContain(message);
      expect(Object.keys(extensions).filter((key) => !['code', 'status', 'details'].includes(key))).toEqual([]);
      expect(Object.keys(rest).filter((key) => !['path', 'locations'].includes(key))).toEqual([]);
      expect(text).not.toMatch(/prisma|postgres|node_modules|\bat \w+ \(/i);
    }
  });

  test('a caller without access gets that error rather than those of the input', async () => {
    const tenant = await service.tenant();
    const narrow = await tenant.client(['paint:read']);
    const codes = async (from: Client, query: string, variables = {}) =>
      (await from.graphql(query, variables)).errors.map(({ extensions: { code } }) => code);
    const order = '($input: CreatePurchaseOrderInput!)';
    const create = 'createPurchaseOrder(input: $input) { id }';
    const wrong = { input: { lineItems: [{ x: 1 }] } };
    for (const query of [
      `mutation ${order} { ${create} }`,
      `mutation ${order} { ...F } fragment F on Mutation { ${create} }`,
      `mutation ${order} { ... on Mutation { ...F } } fragment F on Mutation { again: ${create} }`,
    ])
      expect(await codes(narrow, query, wrong)).toEqual(['INSUFFICIENT_SCOPE']);
    expect(await codes(narrow, input, { input: {} })).toEqual(['INSUFFICIENT_SCOPE']);
    expect(await codes(narrow, 'mutation { createPurchaseOrder(input: { x: 1 }) { id } }')).toEqual([
      'INSUFFICIENT_SCOPE',
    ]);
    const member = await memberClient(service, tenant, 2);
    const document = 'mutation ($input: CreateHrDocumentInput!) { createHrDocument(input: $input) { id } }';
    const { errors } = await member.graphql(document, { input: { x: 1 } });
    expect(errors).toMatchObject([{ message: expect.stringContaining('member'), extensions: { status: 403 } }]);
  });
});
