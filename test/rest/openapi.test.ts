// The OpenAPI document: what is in it, and where it is shown. That answers are as it says, test/support/contract.ts checks
// with every request of every test.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OpenapiDocument, OpenapiOperation } from '../../src/rest/openapi/document.ts';
import { routes } from '../../src/rest/routes.ts';
import { scopes } from '../../src/callers/scopes.ts';
import { type Service, startService } from '../support/service.ts';
import { wrongArticle } from '../support/texts.ts';

const root = join(import.meta.dirname, '..', '..');

let service: Service;
let document: OpenapiDocument;
let operations: { method: string; path: string; operation: OpenapiOperation }[];

beforeAll(async () => {
  service = await startService({ PUBLIC_URL: 'https://facilities.acme.example/desk' });
  document = (await (await fetch(`${service.origin}/api/v1/openapi.json`)).json()) as OpenapiDocument;
  operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })));
});
afterAll(() => service.close());

test('it is there for everybody, at both addresses, and the same', async () => {
  const [one, other] = await Promise.all(['/api/v1', '/v1'].map((base) => fetch(`${service.origin}${base}/openapi.json`)));
  expect(one?.status).toBe(200);
  expect(one?.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(one?.headers.get('access-control-allow-origin')).toBe('*');
  expect(await one?.text()).toBe(await other?.text());
  expect((await fetch(`${service.origin}/v1/openapi.json`, { headers: { 'if-none-match': one?.headers.get('etag') ?? '' } })).status).toBe(304);
  const refused = await fetch(`${service.origin}/v1/openapi.json`, { method: 'DELETE' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('it names both forms of the public address', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.servers.map(({ url }) => url)).toEqual(['https://facilities.acme.example/desk/api/v1', 'https://facilities.acme.example/desk/v1']);
});

test('it passes the linter, which also finds what nothing refers to and examples that are wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'premises-openapi-'));
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    const linter = join(root, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
    const args = ['lint', join(folder, 'openapi.json'), '--config', join(root, 'redocly.yaml'), '--format', 'stylish'];
    await promisify(execFile)(process.execPath, [linter, ...args]).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(stdout + stderr);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('it has every route, and no other', () => {
  const given = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const known = routes().map(({ method, path }) => `${String(method)} ${path.replace(/:(\w+)/g, '{$1}')}`);
  expect(given.toSorted()).toEqual(known.toSorted());
});

test('the service takes those methods at each address, and no others', async () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const url = `${service.origin}/api/v1${path.replace('{token}', 'q3Zk8Yw1T0u5VbN2xRc7Lg').replace(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000')}`;
    const allow = (await fetch(url, { method: 'OPTIONS' })).headers.get('allow')?.split(', ') ?? [];
    expect([path, allow.filter((method) => method !== 'HEAD' && method !== 'OPTIONS').toSorted()])
      .toEqual([path, Object.keys(methods).map((method) => method.toUpperCase()).toSorted()]);
  }
});

test('operations are named after their root fields, each by its own', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const named = routes().map(({ operation }) => operation.field);
  expect(ids.filter((id) => !named.includes(id))).toEqual(['buildingsAtBuildings']);
});

test('each says who may call, and stands under a heading that there is', () => {
  const tags = document.tags.map(({ name }) => name);
  for (const { path, operation: { security, tags: [tag = ''], description } } of operations) {
    expect(tags).toContain(tag);
    const [{ apiToken, session, ...others } = {}] = security as Record<string, string[] | undefined>[];
    expect(others).toEqual({});
    if (apiToken) expect(scopes).toContain(apiToken[0]);
    if (apiToken) expect(description).toContain(`\`${apiToken[0]}\``);
    expect([path, apiToken || session ? 'somebody' : 'anybody']).toEqual([path, path.startsWith('/public/') ? 'anybody' : 'somebody']);
  }
});

test('its texts say "a" and "an" where they belong', () => {
  expect(JSON.stringify(document).match(wrongArticle)).toBeNull();
});

describe('a list', () => {
  const parameter = (name: string) =>
    document.paths['/service-requests']?.['get']?.parameters?.map((given) => ('$ref' in given ? document.components.parameters[String(given['$ref']).split('/').pop() ?? ''] : given))
      .find((given) => given?.['name'] === name);

  test('takes several values of a filter, separated by commas', () => {
    expect(parameter('status')).toMatchObject({ in: 'query', style: 'form', explode: false, schema: { type: 'array', items: { $ref: '#/components/schemas/RequestStatus' } } });
    expect(document.components.schemas['RequestStatus']).toMatchObject({ type: 'string', enum: ['pending', 'in-progress', 'completed'] });
  });

  test('says how it is sorted and paged unless told', () => {
    expect(parameter('sort')).toMatchObject({ schema: { default: 'created_at' } });
    expect(parameter('order')).toMatchObject({ schema: { enum: ['asc', 'desc'], default: 'desc' } });
    expect(parameter('limit')).toMatchObject({ schema: { minimum: 1, maximum: 100, default: 50 } });
    expect(parameter('offset')).toMatchObject({ schema: { minimum: 0, default: 0 } });
  });

  test('answers in JSON or CSV', () => {
    const { content } = (document.paths['/service-requests']?.['get']?.responses['200'] ?? {}) as { content: object };
    expect(Object.keys(content)).toEqual(['application/json', 'text/csv']);
  });
});

test('bodies carry what columns and rules bound', () => {
  expect(document.components.schemas['CreateServiceRequestInput']).toMatchObject({
    required: ['title'],
    additionalProperties: false,
    properties: { title: { type: 'string', minLength: 1, maxLength: 200 }, description: { type: ['string', 'null'], maxLength: 20_000 }, assigned_to: { type: ['string', 'null'], format: 'uuid' } },
  });
  expect(document.components.schemas['CreateServiceRequestTimeLogInput']).toMatchObject({ properties: { hours: { type: 'number', exclusiveMinimum: 0, maximum: 24 } } });
  expect(document.components.schemas['CreateVendorInput']).toMatchObject({ properties: { email: { format: 'email' } } });
  expect(document.components.schemas['ServiceRequest']).toMatchObject({ properties: { created_by: { readOnly: true } } });
  expect(document.components.schemas['ServiceRequestChange']).toMatchObject({ required: ['id', 'updated_at'] });
});

describe('the page at /docs', () => {
  test('has all that it needs here, and a policy that allows nothing else', async () => {
    const reply = await fetch(`${service.origin}/docs`);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('content-security-policy')).toContain(`script-src 'self'; style-src 'self'`);
    const html = await reply.text();
    const linked = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    expect(linked.length).toBeGreaterThan(4);
    for (const url of linked) expect([url, url.startsWith('/') && (await fetch(service.origin + url)).status]).toEqual([url, 200]);
    expect(html).not.toMatch(/<script>|<style|https?:/);
  });
});
