// What pages make of the answers of queries: their tables, charts, and the rows behind figures.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chartFor, drawingOf } from '../web/src/answers/charts.ts';
import { readQuery } from '../web/src/answers/document.ts';
import { rowsOf, sourceOf } from '../web/src/answers/links.ts';
import { type Part, partsOf } from '../web/src/answers/parts.ts';
import type { Definition } from '../web/src/console/definitions.ts';
import type { Client, Row } from './support/client.ts';
import { type Service, startService } from './support/service.ts';

const zone = 'Europe/Berlin';
let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  client = await tenant.client();
  const { prisma } = service.database;
  await prisma.company.update({ where: { id: tenant.company.id }, data: { timeZone: zone } });
  const { row: building } = await client.post('/locations/buildings', { name: 'Annex' });
  // Around the days when clocks change, and the ends of months and years, in the company's time zone.
  const times = [
    '2026-03-28T23:30Z',
    '2026-03-29T21:59Z',
    '2026-03-29T22:01Z',
    '2026-10-25T22:30Z',
    '2026-10-25T23:30Z',
  ];
  for (const [index, time] of [...times, '2025-12-31T22:59Z', '2025-12-31T23:01Z'].entries()) {
    const priority = index % 2 === 0 ? 'urgent' : 'low';
    const building_id = index % 3 === 0 ? building['id'] : null;
    const { row } = await client.post('/service-requests', { title: `Request ${index}`, priority, building_id });
    const createdAt = new Date(time);
    await prisma.serviceRequest.updateMany({ where: { id: String(row['id']) }, data: { createdAt } });
    await client.post('/inventory', { name: `Item ${index}`, quantity: index * 7, category: index % 2 ? 'A' : null });
  }
});
afterAll(() => service.close());

const answer = async (text: string, variables: Row = {}) => {
  const { data, errors } = await client.graphql<Record<string, unknown>>(text, variables);
  expect(errors).toEqual([]);
  const query = readQuery(text);
  if (!query) throw new Error('It is no query.');
  return { query, parts: partsOf(data) };
};

const definitions = new Map<string, Definition>();
async function definitionOf(listField: string): Promise<Definition> {
  const { data } = await client.graphql<{ resources: Definition[] }>(
    '{ resources { type listField parentField fields { name control relation } } }',
  );
  for (const definition of data.resources) definitions.set(definition.listField ?? '', definition);
  const found = definitions.get(listField);
  if (!found) throw new Error(`There is no list ${listField}.`);
  return found;
}

describe('figures lead to the rows that they count', () => {
  test.each([
    ['serviceRequests', 'key { status priority }', ''],
    ['serviceRequests', 'key { createdAt { day } }', ''],
    ['serviceRequests', 'key { createdAt { week } priority }', ''],
    ['serviceRequests', 'key { createdAt { month } }', '(filter: { priority: { in: $of } })'],
    ['serviceRequests', 'key { createdAt { quarter } }', '(search: "Request")'],
    ['serviceRequests', 'key { createdAt { year } }', ''],
    ['serviceRequests', 'key { when: createdAt { from: fiscalYear } }', ''],
    ['serviceRequests', 'key { building { name } }', ''],
    [
      'serviceRequests',
      'key { building { id name } state: status }',
      '(filter: { not: { title: { eq: "Request 1" } } })',
    ],
    ['serviceRequests', 'key { buildingId }', ''],
    ['serviceRequests', 'key { creator { fullName } }', ''],
    ['inventoryItems', 'key { category }', ''],
    ['inventoryItems', 'key { quantity { bucket(bounds: [0, 10, 30]) } }', ''],
    ['inventoryItems', 'key { quantity { bucket(size: 10) } }', ''],
    ['inventoryItems', '', ''],
  ])('%s by %s%s', async (list, key, given) => {
    const variables = given.includes('$of') ? { of: ['URGENT'] } : {};
    const declared = given.includes('$of') ? '($of: [RequestPriority!])' : '';
    const where = list === 'serviceRequests' ? 'priority: { eq: LOW }' : 'quantity: { gt: 20 }';
    const text = `query Groups${declared} { list: ${list}${given} { groups: aggregates { ${key} count part: count(where: { ${where} }) } } }`;
    const { query, parts } = await answer(text, variables);
    const [part] = parts as [Part];
    expect(part.rows.length).toBeGreaterThan(0);
    const source = sourceOf(query, part, variables);
    const definition = await definitionOf(list);
    for (const row of part.rows)
      for (const column of ['count', 'part']) {
        const search = source && rowsOf(source, row, column, definition, zone);
        expect(search).toBeDefined();
        const { data, errors } = await client.graphql<{ rows: { totalCount: number } }>(
          `query ($filter: ${definition.type}Filter, $search: String) { rows: ${list}(filter: $filter, search: $search) { totalCount } }`,
          { ...search },
        );
        expect([errors, data.rows.totalCount]).toEqual([[], row[column]]);
      }
  });

  test.each([
    ['key { createdAt { weekday } }', ''],
    ['key { createdAt { hour } }', ''],
    ['key { building { createdAt { month } } }', ''],
    ['key { status building { name } }', '(subtotals: [["key.status"]])'],
  ])('but not where no filter says it: %s%s', async (key, given) => {
    const { query, parts } = await answer(`{ serviceRequests { aggregates${given} { ${key} count } } }`);
    const [part] = parts as [Part];
    const source = sourceOf(query, part, {});
    const definition = await definitionOf('serviceRequests');
    const row = part.rows.find((each) => Object.values(each).includes(null)) ?? part.rows[0];
    expect(source && row && rowsOf(source, row, 'count', definition, zone)).toBeUndefined();
  });

  test('and of a total, to all rows that it is over', async () => {
    const text = '{ serviceRequests { aggregates(subtotals: [[]]) { key { building { name } } totalOf count } } }';
    const { query, parts } = await answer(text);
    const [part] = parts as [Part];
    const source = sourceOf(query, part, {});
    const total = part.rows.find(({ totalOf }) => Array.isArray(totalOf) && totalOf.length > 0);
    expect(total?.['count']).toBe(7);
    expect(source && total && rowsOf(source, total, 'count', await definitionOf('serviceRequests'), zone)).toEqual({});
  });
});

test.each([
  ['{ serviceRequests { totalCount } }', 'NUMBER'],
  ['{ serviceRequests { aggregates { count } } }', 'NUMBER'],
  ['{ serviceRequests { aggregates { key { priority } count } } }', 'BARS'],
  ['{ serviceRequests { aggregates { key { createdAt { month } } count } } }', 'LINES'],
  ['{ serviceRequests { aggregates { key { createdAt { weekday } } count } } }', 'BARS'],
  ['{ serviceRequests { aggregates { key { priority createdAt { month } } count } } }', 'STACKED_BARS'],
  ['{ serviceRequests { aggregates { key { status priority createdAt { month } } count } } }', 'TABLE'],
  ['{ serviceRequests { nodes { title floor } } }', 'TABLE'],
])('%s is drawn as %s', async (text, kind) => {
  const { parts } = await answer(text);
  expect(parts.map((part) => chartFor(part).kind)).toEqual([kind]);
});

test('a chart draws the numbers of its table, splits them, and never adds up averages', async () => {
  const text = '{ inventoryItems { aggregates { key { category name } count quantity { sum avg } } } }';
  const { parts } = await answer(text);
  const [part] = parts as [Part];
  const chart = {
    part: part.place,
    kind: 'BARS' as const,
    labels: 'key.category',
    values: ['quantity.sum'],
    split: null,
  };
  const textOf = (_column: unknown, value: unknown) => String(value);
  const bySplit = drawingOf(part, { ...chart, split: 'key.category' }, textOf);
  const sumOf = (category: string | null) =>
    part.rows
      .filter((row) => row['key.category'] === category)
      .reduce((sum, row) => sum + Number(row['quantity.sum']), 0);
  expect(bySplit.points).toEqual([
    { label: 'A', s0: sumOf('A') },
    { label: 'null', s1: sumOf(null) },
  ]);
  const averages = drawingOf(part, { ...chart, values: ['quantity.avg'], split: 'key.category' }, textOf);
  expect(averages.points).toEqual([]);
  expect(averages.leftOut).toMatch(/several values/);
});

test.each(['mutation { x }', 'subscription { x }', 'fragment A on B { c }'])('%s is no query to run', (text) => {
  expect(readQuery(text)).toBeUndefined();
});
