// Uses the service through the client of @hey-api/openapi-ts. Prints its results as JSON.
import { client } from './hey-api/client.gen.ts';
import { createServiceRequest, serviceRequest, serviceRequests, updateServiceRequest } from './hey-api/sdk.gen.ts';
import type { CreateServiceRequestInput, RequestStatus, ServiceRequestsData } from './hey-api/types.gen.ts';

const [baseUrl = '', auth = ''] = process.argv.slice(2);
client.setConfig({ baseUrl: baseUrl as 'http://localhost:4000/api/v1', auth });

const body: CreateServiceRequestInput = { title: 'The lobby light flickers', priority: 'high', category: 'Electrical, lobby' };
const created = await createServiceRequest({ body });
if (!created.data) throw new Error(created.error.error.message);
const { id, status } = created.data.data;

const listed = await serviceRequests({ query: { status: ['pending', 'in-progress'], priority: ['high'], limit: 5 } });
// A list is JSON or CSV; this requested JSON.
if (!listed.data || typeof listed.data === 'string') throw new Error(listed.error?.error.message);
const titles: string[] = listed.data.data.map(({ title }) => title);
const more: boolean = listed.data.meta.pagination.has_more;

type Query = NonNullable<ServiceRequestsData['query']>;
// Values with commas and quotes: quoted where several are possible, and as they are where one is.
for (const [title, category] of [['Leak', 'Foo, Inc.'], ['Noise', 'Foo'], ['Smell', 'The "Bar", Ltd.']] as const)
  await createServiceRequest({ body: { title, category } });
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const titlesOf = async (query: Query) => {
  const { data, error } = await serviceRequests({ query });
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

const changed = await updateServiceRequest({ path: { id }, body: { status: 'completed' } });
if (!changed.data) throw new Error(changed.error.error.message);
const now: RequestStatus | undefined = changed.data.data.status;

// @ts-expect-error -- a request needs a title
const refused = await createServiceRequest({ body: { floor: '4' } });
const missing = await serviceRequest({ path: { id: '01890000-0000-7000-8000-000000000000' } });

console.log(JSON.stringify({
  status,
  titles,
  found,
  more,
  now,
  details: refused.error?.error.details,
  code: missing.error?.error.code,
  remaining: Number(missing.response?.headers.get('x-ratelimit-remaining')) > 0,
}));
