// Names that parameters of lists have in other APIs.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

const ours = {
  'page _page page[number] pageNumber $page': 'offset and limit',
  'per_page page_size pageSize perPage page[size] size top $top first': 'limit',
  'skip $skip startIndex page[offset]': 'offset',
  'page_token after starting_after page[after] nextToken': 'cursor',
  'q query $search_term keywords': 'search',
  'sort_by sortBy order_by orderBy $orderby sort_order sort[by] direction': 'sort and order',
  '$filters where conditions': 'filter',
  'filter[name] filters[name] where[name]': 'name',
  'filter[end_date][gte]': 'end_date[gte]',
  'expand $expand embed': 'include',
  'since updated_since': 'updated_after',
};

test.each(Object.entries(ours))('%s are answered with ours: %s', async (names, name) => {
  for (const other of names.split(' ')) {
    const { status, error } = await client.get('/leases', { [other]: 1 });
    expect([status, error.message]).toEqual([400, `${other}: is not a parameter here; use ${name}`]);
  }
});

test('a name that no parameter resembles is answered without a suggestion', async () => {
  const { status, error } = await client.get('/leases', { frobnicate: 1 });
  expect([status, error.message]).toEqual([400, 'frobnicate: is not a parameter here']);
});

test('a misspelled field in the brackets of others is answered with the nearest', async () => {
  const { status, error } = await client.get('/leases', { 'filter[nam]': 1 });
  expect([status, error.message]).toEqual([400, 'filter[nam]: is not a parameter here; did you mean name?']);
});
