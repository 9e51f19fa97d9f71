// The OpenAPI document and the page that shows it. test/support/contract.ts checks the responses of all tests against
// it, and `npm run lint` the document itself.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { GraphQLObjectType } from 'graphql';
import { scopes } from '../../src/auth/scopes.ts';
import { fileRoute } from '../../src/rest/files.ts';
import type { OpenapiDocument, OpenapiOperation } from '../../src/rest/openapi/types.ts';
import { api, schema } from '../../src/schema/index.ts';
import { routes } from '../support/api.ts';
import { type Service, startService } from '../support/service.ts';
import { wrongArticle } from '../support/texts.ts';

let service: Service;
let document: OpenapiDocument;
let operations: { method: string; path: string; operation: OpenapiOperation }[];

beforeAll(async () => {
  service = await startService({ PUBLIC_URL: 'https://facilities.acme.example/desk' });
  document = (await (await fetch(`${service.origin}/api/v1/openapi.json`)).json()) as OpenapiDocument;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
});
afterAll(() => service.close());

test('the document is public and the same at both addresses', async () => {
  const [one, other] = await Promise.all(
    ['/api/v1', '/v1'].map((base) => fetch(`${service.origin}${base}/openapi.json`)),
  );
  expect(one?.status).toBe(200);
  expect(one?.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(one?.headers.get('access-control-allow-origin')).toBe('*');
  expect(await one?.text()).toBe(await other?.text());
  expect(
    (await fetch(`${service.origin}/v1/openapi.json`, { headers: { 'if-none-match': one?.headers.get('etag') ?? '' } }))
      .status,
  ).toBe(304);
  const refused = await fetch(`${service.origin}/v1/openapi.json`, { method: 'DELETE' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('servers are both forms of the public address', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers.map(({ url }) => url)).toEqual([
    'https://facilities.acme.example/desk/api/v1',
    'https://facilities.acme.example/desk/v1',
  ]);
});

test('exactly the existing routes are described', () => {
  const given = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const known = [...routes(), ...api.files.map(fileRoute)].map(
    ({ method, path }) => `${String(method)} ${path.replace(/:(\w+?)(Id)?(?=\/|$)/g, '{$1}')}`,
  );
  expect(given.toSorted()).toEqual(known.toSorted());
});

test('the service supports exactly the described methods of each path', async () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const url = `${service.origin}/api/v1${path.replace('{token}', 'q3Zk8Yw1T0u5VbN2xRc7Lg').replace(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000')}`;
    const allow = (await fetch(url, { method: 'OPTIONS' })).headers.get('allow')?.split(', ') ?? [];
    const ofItsOwn = (method: string) => method !== 'OPTIONS' && !(method === 'HEAD' && allow.includes('GET'));
    expect([path, allow.filter(ofItsOwn).toSorted()]).toEqual([
      path,
      Object.keys(methods)
        .map((method) => method.toUpperCase())
        .toSorted(),
    ]);
  }
});

test('the feed of changes continues from its own position, not from a cursor of a list', () => {
  const { parameters } = operations.find(({ path }) => path === '/changes')!.operation;
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: 'after', description: expect.stringMatching(/^`next` of an earlier response\./) }),
  );
  expect(JSON.stringify(parameters)).not.toContain('next_cursor');
});

test('operations are named after their root fields, uniquely', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const named = [...routes(), ...api.files].map(({ operation: { action, field } }) =>
    action === 'aggregate' ? `${field}Aggregates` : field,
  );
  // Those of second addresses have the address in their name.
  const second = routes().filter(({ path, operation }) => path !== operation.path);
  expect(ids.filter((id) => !named.includes(id))).toHaveLength(second.length);
  expect(ids).toContain('buildingsAtBuildings');
  expect(ids).toContain('leasePaymentsAtLeasesPayments');
});

test('parameter names of an operation differ by more than case and punctuation', () => {
  for (const {
    method,
    path,
    operation: { parameters = [] },
  } of operations) {
    const names = parameters.map(resolved).map((parameter) =>
      String(parameter?.['name'])
        .toLowerCase()
        .replace(/[^a-z]/g, ''),
    );
    expect([method, path, names.filter((name, n) => names.indexOf(name) < n)]).toEqual([method, path, []]);
  }
});

test('examples are those of the columns, and are consistent', () => {
  const exampleOf = (path: string) => {
    const { content } = document.paths[path]?.['post']?.responses['201'] as {
      content: Record<string, { schema: { $ref: string } }>;
    };
    const name = content['application/json']?.schema.$ref.split('/').pop() ?? '';
    const [example] = document.components.schemas[name]?.['examples'] as { data: Record<string, unknown> }[];
    return example?.data;
  };
  for (const path of ['/service-requests', '/move-requests'])
    expect(exampleOf(path)).toMatchObject({ status: 'pending', completed_at: null });
  expect(exampleOf('/public/expected-packages')).toMatchObject({ status: 'expected', received_at: null });
  expect(exampleOf('/paints')).toMatchObject({
    name: 'Harbour white',
    color_code: 'RAL 9010',
    gallons_available: 12.5,
  });
  const { from_location, to_location } = exampleOf('/assets/{asset}/transfers') ?? {};
  expect(from_location).not.toBe(to_location);
});

test('an example of a request has one form of location', () => {
  const { content } = document.paths['/service-requests']?.['post']?.requestBody as {
    content: Record<string, { example: object }>;
  };
  expect(content['application/json']?.example).toMatchObject({ floor: '4', room: '4.12' });
  expect(content['application/json']?.example).not.toHaveProperty('location');
});

test('parameters that operations share are components', () => {
  const inline = operations
    .flatMap(({ operation: { parameters = [] } }) => parameters)
    .filter((parameter) => !('$ref' in parameter))
    .map((parameter) => JSON.stringify(parameter));
  const kinds = new Map(inline.map((text) => [text, inline.filter((other) => other === text).length]));
  // Where several parameters have one name and type, the most frequent is the component.
  expect([...kinds.values()].filter((uses) => uses > 1).length).toBeLessThan(kinds.size / 10);
});

test('every operation names its required scope, and a tag of the document', () => {
  const tags = document.tags.map(({ name }) => name);
  for (const {
    path,
    operation: {
      security,
      tags: [tag = ''],
      description,
    },
  } of operations) {
    expect(tags).toContain(tag);
    const [{ apiToken, session, ...others } = {}] = security as Record<string, string[] | undefined>[];
    expect(others).toEqual({});
    for (const scope of apiToken ?? []) {
      expect(scopes).toContain(scope);
      expect(description).toContain(`\`${scope}\``);
    }
    expect([path, apiToken || session ? 'authenticated' : 'public']).toEqual([
      path,
      path.startsWith('/public/') ? 'public' : 'authenticated',
    ]);
  }
});

test('descriptions use the right article', () => {
  expect(JSON.stringify(document).match(wrongArticle)).toBeNull();
});

describe('a list', () => {
  const parameter = (name: string) =>
    document.paths['/service-requests']?.['get']?.parameters?.map(resolved).find((given) => given?.['name'] === name);

  test('documents filters with several values', () => {
    expect(parameter('status')).toMatchObject({
      in: 'query',
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { $ref: '#/components/schemas/RequestStatus' } },
    });
    expect(document.components.schemas['RequestStatus']).toMatchObject({
      type: 'string',
      enum: ['pending', 'in-progress', 'completed'],
    });
  });

  test('documents filters with several texts as one text with a grammar', () => {
    const category = parameter('category') as { schema: { pattern: string; examples: string[] } };
    expect(category).toMatchObject({ schema: { type: 'string' } });
    for (const undeclared of ['style', 'explode']) expect(category).not.toHaveProperty(undeclared);
    expect(category).toMatchObject({ description: expect.stringMatching(/commas.*double quotes.*`category\[eq\]`/) });
    const form = new RegExp(category.schema.pattern, 'u');
    for (const valid of [...category.schema.examples, '', 'a,b', '"a, b","c ""d"""', '12" pipe', ' "a" , b'])
      expect([valid, form.test(valid)]).toEqual([valid, true]);
    for (const invalid of ['"a', '"a" b', 'a,"']) expect([invalid, form.test(invalid)]).toEqual([invalid, false]);
  });

  test('has no array of free texts, whose commas a generated client would not quote', () => {
    const parameters = Object.values(document.paths).flatMap((path) =>
      Object.values(path).flatMap(({ parameters: all = [] }) => all.map(resolved)),
    );
    const texts = parameters.flatMap((given) => {
      const { items } = (given as { schema?: { items?: Record<string, unknown> & { pattern?: string } } }).schema ?? {};
      const hasCommas = new RegExp(items?.pattern ?? '').test('a,b');
      const isFree = items?.['type'] === 'string' && !('enum' in items) && !('format' in items) && hasCommas;
      return isFree ? [given?.['name']] : [];
    });
    expect(texts).toEqual([]);
    expect(parameters.some((given) => given?.['name'] === 'building[name]')).toBe(true);
  });

  test('documents the defaults of sorting and paging', () => {
    expect(parameter('sort')).toMatchObject({ schema: { default: 'created_at' } });
    expect(parameter('order')).toMatchObject({
      schema: { $ref: '#/components/schemas/SortOrder', default: 'desc' },
    });
    expect(document.components.schemas['SortOrder']).toMatchObject({ enum: ['asc', 'desc'] });
    expect(parameter('limit')).toMatchObject({ schema: { minimum: 1, maximum: 100, default: 50 } });
    expect(parameter('offset')).toMatchObject({ schema: { minimum: 0, default: 0 } });
  });

  test('is available as JSON, CSV and XLSX', () => {
    const { content } = (document.paths['/service-requests']?.['get']?.responses['200'] ?? {}) as { content: object };
    expect(Object.keys(content)).toEqual([
      'application/json',
      'text/csv',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ]);
  });
});

test('request bodies have the limits of columns and rules', () => {
  expect(document.components.schemas['CreateServiceRequestInput']).toMatchObject({
    required: ['title'],
    additionalProperties: false,
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 200 },
      description: { type: ['string', 'null'], maxLength: 20_000 },
      assigned_to: { type: ['string', 'null'], format: 'uuid' },
    },
  });
  expect(document.components.schemas['CreateServiceRequestTimeLogInput']).toMatchObject({
    properties: { hours: { type: 'number', exclusiveMinimum: 0, maximum: 24 } },
  });
  expect(document.components.schemas['CreateInventoryItemsInput']).toMatchObject({
    properties: { items: { minItems: 1, maxItems: 500 } },
  });
  expect(document.components.schemas['ServiceRequestLocationInput']).toMatchObject({
    properties: { building: { maxLength: 500 }, floor: { maxLength: 500 } },
  });
  expect(document.components.schemas['AnnouncePackageInput']).toMatchObject({
    properties: { company_slug: { type: 'string', maxLength: 100 } },
  });
  expect(document.components.schemas['CreateInvoiceInput']).toMatchObject({
    properties: { amount: { description: expect.stringContaining('At most 4 decimal places.') } },
  });
  expect(document.components.schemas['ServiceRequest']).toMatchObject({
    properties: { created_by: { readOnly: true } },
  });
  expect(document.components.schemas['ServiceRequestChange']).toMatchObject({ required: ['id', 'updated_at'] });
});

test('the description of cursors says what concurrent writes can change', () => {
  const page = schema.getType('PageInfo') as GraphQLObjectType;
  for (const description of [
    page.getFields()['endCursor']?.description,
    document.components.parameters['CursorString']?.description,
  ])
    expect(description).toContain('can be missed or repeated');
});

describe('the page at /docs', () => {
  test('loads everything from this service, as its policy requires', async () => {
    const reply = await fetch(`${service.origin}/docs`);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('content-security-policy')).toContain(`script-src 'self'; style-src 'self'`);
    const html = await reply.text();
    const linked = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    expect(linked.length).toBeGreaterThan(2);
    for (const url of linked) {
      expect(url).toMatch(/^\//);
      const asset = await fetch(service.origin + url);
      await asset.arrayBuffer(); // An unread body would delay the end of the service.
      expect([url, asset.status]).toEqual([url, 200]);
    }
    expect(html).not.toMatch(/<script>|<style|https?:/);
  });
});

/** A parameter, inline or a component. */
const resolved = (given: Readonly<Record<string, unknown>>) =>
  '$ref' in given ? document.components.parameters[String(given['$ref']).split('/').pop() ?? ''] : given;
