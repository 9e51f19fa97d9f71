// Uses the service through openapi-fetch with the types of openapi-typescript. Prints its results as JSON.
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript.ts';

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${token}` },
  querySerializer: { array: { style: 'form', explode: false } },
});

const body: components['schemas']['CreateServiceRequestInput'] = { title: 'The lobby light flickers', priority: 'high', category: 'Electrical, lobby' };
const created = await client.POST('/service-requests', { body });
if (!created.data) throw new Error(created.error.error.message);
const { id, status } = created.data.data;

const listed = await client.GET('/service-requests', { params: { query: { status: ['pending', 'in-progress'], priority: ['high'], limit: 5 } } });
// A list is JSON or CSV; this requested JSON.
if (!listed.data || typeof listed.data === 'string') throw new Error(listed.error?.error.message);
const titles: string[] = listed.data.data.map(({ title }) => title);
const more: boolean = listed.data.meta.pagination.has_more;

type Query = NonNullable<paths['/service-requests']['get']['parameters']['query']>;
// Values with commas and quotes: quoted where several are possible, and as they are where one is.
for (const [title, category] of [['Leak', 'Foo, Inc.'], ['Noise', 'Foo'], ['Smell', 'The "Bar", Ltd.']] as const)
  await client.POST('/service-requests', { body: { title, category } });
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const titlesOf = async (query: Query) => {
  const { data, error } = await client.GET('/service-requests', { params: { query } });
  if (!data || typeof data === 'string') throw new Error(error?.error.message);
  return data.data.map((row) => row.title);
};
const found = [
  await titlesOf({ category: quoted('Foo, Inc.') }),
  await titlesOf({ category: [quoted('The "Bar", Ltd.'), 'Foo'].join(), sort: 'title', order: 'asc' }),
  await titlesOf({ 'category[in]': quoted('Foo, Inc.') }),
  await titlesOf({ 'category[eq]': 'Foo, Inc.' }),
  await titlesOf({ 'category[eq]': 'The "Bar", Ltd.' }),
];
// @ts-expect-error -- an array would be joined without quotes
void ({ category: ['Foo, Inc.'] } satisfies Query);

const changed = await client.PATCH('/service-requests/{id}', { params: { path: { id } }, body: { status: 'completed' } });
if (!changed.data) throw new Error(changed.error.error.message);
const now: components['schemas']['RequestStatus'] | undefined = changed.data.data.status;

// @ts-expect-error -- a request needs a title
const refused = await client.POST('/service-requests', { body: { floor: '4' } });
const missing = await client.GET('/service-requests/{id}', { params: { path: { id: '01890000-0000-7000-8000-000000000000' } } });

console.log(JSON.stringify({
  status,
  titles,
  found,
  more,
  now,
  details: refused.error?.error.details,
  code: missing.error?.error.code,
  remaining: Number(missing.response.headers.get('x-ratelimit-remaining')) > 0,
}));
