// Checks responses against the service's OpenAPI document: every REST request of the tests passes here.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenapiDocument, OpenapiOperation } from '../../src/rest/openapi/types.ts';

type Part = Readonly<Record<string, unknown>>;

/** A parameter of an operation, with its position in the document. */
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Part;
  /** The content of a parameter in JSON. */
  readonly content?: Part;
  readonly at: readonly string[];
}

/** A response of an operation, with the positions of its headers' schemas, by their names in lower case. */
interface Response {
  readonly at: readonly string[];
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly content: Readonly<Record<string, Part>>;
}

/** A request and its response, as sent. */
export interface RequestWithResponse {
  readonly method: string;
  readonly url: URL;
  readonly sent: Headers;
  /** The body of the request, if any. */
  readonly body?: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Headers of HTTP or browsers, which are not part of the contract. */
const ordinary = new Set([
  'access-control-allow-credentials',
  'access-control-expose-headers',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-opener-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'set-cookie',
  'strict-transport-security',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
]);

/** Optional headers. */
const sometimes = [
  'content-disposition',
  'etag',
  'idempotent-replayed',
  'preference-applied',
  'retry-after',
  ...['upload-expires', 'upload-metadata', 'upload-offset'],
  'x-rowlimit-limit',
  'x-rowlimit-remaining',
  'x-rowlimit-reset',
];

/** The statuses that the document describes once rather than per operation. */
const everywhere = [404, 405];

const prefix = /^\/(api\/)?v1(?=\/)/;

let contract: Promise<Contract> | undefined;

/** @throws Error when a REST request or its response violates the document */
export async function checkContract(sent: RequestWithResponse): Promise<void> {
  if (!prefix.test(sent.url.pathname)) return;
  contract ??= makeContract();
  const problem = (await contract).problemOf(sent);
  if (!problem) return;
  const { method, url, body, status, text } = sent;
  throw new Error(
    `not in the OpenAPI document: ${problem}\n${method} ${url.pathname}${url.search.slice(0, 500)} ${body?.slice(0, 500) ?? ''}\n${status} ${text.slice(0, 1000)}`,
  );
}

async function makeContract(): Promise<Contract> {
  // Sequentially, as Jest cannot link two module graphs with common modules at once.
  const { api } = await import('../../src/schema/index.ts');
  const { openapi } = await import('../../src/rest/openapi/document.ts');
  const { separatedPattern } = await import('../../src/rest/separated.ts');
  return new Contract(openapi(api, 'http://localhost:4000', ['/api/v1', '/v1']), separatedPattern);
}

/** Most validators are used a few times: creating them would take longer than they run. */
const options = { strict: false, inlineRefs: false, code: { optimize: false } };

/** The document, with a validator of each schema, created on first use. */
class Contract {
  private readonly ajv = new Ajv2020({ ...options, coerceTypes: false, allErrors: false });
  /** The same for responses with some fields of each row. */
  private readonly partial = new Ajv2020({ ...options, coerceTypes: false, allErrors: false });
  /** The same for parameters, whose text is parsed first. */
  private readonly reading = new Ajv2020({ ...options, coerceTypes: true });
  private readonly places: readonly { readonly pattern: RegExp; readonly path: string; readonly variables: number }[];
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly parameters = new Map<string, readonly Parameter[]>();
  private readonly responses = new Map<string, Response>();

  /** @param separated the pattern of texts that commas separate */
  constructor(
    private readonly document: OpenapiDocument,
    private readonly separated: string,
  ) {
    for (const ajv of [this.ajv, this.reading, this.partial]) {
      formats.default(ajv);
      for (const name of ['int32', 'int64', 'double']) ajv.addFormat(name, true);
      ajv.addSchema((ajv === this.partial ? withoutRequired(document) : closed(document)) as object, 'openapi');
    }
    this.places = Object.keys(document.paths)
      .map((path) => ({
        path,
        pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}/?$`),
        variables: path.split('{').length,
      }))
      // Paths without variables first, as in the service.
      .sort((one, other) => one.variables - other.variables);
  }

  problemOf({ method, url, sent, body, status, headers, text }: RequestWithResponse): string | undefined {
    const path = url.pathname.replace(prefix, '');
    const place = this.places.find(({ pattern }) => pattern.test(path));
    // Unknown paths have no contract, except for their response.
    const methods = (place && this.document.paths[place.path]) ?? {};
    const described = method === 'HEAD' && methods['get'] ? 'get' : method.toLowerCase();
    const operation = methods[described];
    if (!place || !operation) {
      if (method === 'OPTIONS' && status === 204) return undefined;
      if (everywhere.includes(status) || [401, 429, 503].includes(status))
        return this.bodyProblem(text, ['components', 'schemas', 'ErrorBody'], method);
      return path === '/openapi.json' ? undefined : `there is no ${method} ${path}`;
    }
    const name = [place.path, described] as const;
    if (status < 300) {
      const wrong = this.requestProblem(name, operation, place.pattern, { path, url, sent, body });
      if (wrong) return wrong;
    }
    const isPartial = url.searchParams.has('fields');
    return this.responseProblem(name, operation, { method, status, headers, text, isPartial });
  }

  private requestProblem(
    [path, method]: readonly [string, string],
    operation: OpenapiOperation,
    pattern: RegExp,
    given: { path: string; url: URL; sent: Headers; body?: string },
  ): string | undefined {
    const parameters = this.parametersOf(path, method, operation);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const values = pattern.exec(given.path)?.slice(1) ?? [];
    const query = new Map<string, string[]>();
    for (const [name, value] of given.url.searchParams) query.set(name, [...(query.get(name) ?? []), value]);
    for (const name of query.keys())
      if (!parameters.some((parameter) => parameter.in === 'query' && parameter.name === name))
        return `there is no parameter ${name}`;
    for (const parameter of parameters) {
      const { name, in: where, required } = parameter;
      const inPlace = () => (where === 'path' ? values[names.indexOf(name)] : given.sent.get(name));
      const texts = where === 'query' ? (query.get(name) ?? []) : [inPlace()].filter((text) => text != null);
      if (texts.length === 0) {
        if (required) return `parameter ${name} is required`;
        continue;
      }
      const problem = this.parameterProblem(parameter, texts);
      if (problem) return `parameter ${name} ${problem}`;
    }
    if (!operation.requestBody) return given.body ? 'there is no body' : undefined;
    const { content = {} } = operation.requestBody as { content?: Record<string, unknown> };
    const sentType = given.sent.get('content-type') ?? '';
    // Files are what they are.
    if (sentType in content && sentType !== 'application/json') return undefined;
    if (!('application/json' in content)) return `there is no body of ${sentType}`;
    return this.problem(
      this.ajv,
      ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'],
      trimmed(JSON.parse(given.body ?? 'null')),
      'body',
    );
  }

  private parameterProblem(
    { in: where, schema, content, at }: Parameter,
    texts: readonly string[],
  ): string | undefined {
    if (content)
      return this.problem(this.ajv, [...at, 'content', 'application/json', 'schema'], JSON.parse(String(texts[0])));
    const isList = schema['type'] === 'array';
    // Texts that their pattern lets commas separate can be repeated instead.
    const isSeparated = where === 'query' && schema['pattern'] === this.separated;
    if (!isList && !isSeparated && texts.length > 1) return 'is there twice';
    // Spaces around a text, or around a list's commas, are ignored.
    const value = isList
      ? texts.flatMap((text) => text.split(commas)).map(unquoted)
      : (where === 'path' ? decodeURIComponent(String(texts[0])) : texts.join(',')).trim();
    return this.problem(this.reading, [...at, 'schema'], value);
  }

  private parametersOf(path: string, method: string, { parameters = [] }: OpenapiOperation): readonly Parameter[] {
    const key = `${method} ${path}`;
    const known =
      this.parameters.get(key) ?? parameters.map((parameter, n) => this.parameterAt(path, method, parameter, n));
    this.parameters.set(key, known);
    return known;
  }

  private parameterAt(path: string, method: string, parameter: Part, n: number): Parameter {
    const { part, at } = this.resolve(parameter, ['paths', path, method, 'parameters', String(n)]);
    return { ...(part as Omit<Parameter, 'at'>), at };
  }

  private responseProblem(
    [path, method]: readonly [string, string],
    { responses }: OpenapiOperation,
    {
      method: asked,
      status,
      headers,
      text,
      isPartial,
    }: { method: string; status: number; headers: Headers; text: string; isPartial: boolean },
  ): string | undefined {
    const described = responses[status];
    if (!described) return `there is no status ${status}`;
    const key = `${method} ${path} ${status}`;
    const response =
      this.responses.get(key) ?? this.responseAt(described, ['paths', path, method, 'responses', String(status)]);
    this.responses.set(key, response);
    const { at, content } = response;
    for (const [name, value] of headers) {
      if (ordinary.has(name)) continue;
      const schemaAt = response.headers.get(name);
      if (schemaAt === undefined) return `there is no header ${name}`;
      const problem = this.problem(this.reading, schemaAt, value);
      if (problem) return `header ${name} ${problem}`;
    }
    for (const name of response.headers.keys())
      if (status < 500 && !sometimes.includes(name) && !headers.has(name)) return `the header ${name} is missing`;
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (status === 204 || status === 304 || Object.keys(content).length === 0)
      return text === '' ? undefined : 'there is a body';
    if (!content[type]) return `there is no ${type}`;
    if (type === 'application/x-ndjson')
      return text
        .trimEnd()
        .split('\n')
        .map((line) => this.bodyProblem(line, [...at, 'content', type, 'schema', 'contentSchema'], asked))
        .find((problem) => problem !== undefined);
    if (!type.endsWith('json')) return undefined;
    return this.bodyProblem(text, [...at, 'content', type, 'schema'], asked, isPartial ? this.partial : this.ajv);
  }

  private responseAt(described: Part, position: readonly string[]): Response {
    const { part, at } = this.resolve(described, position);
    const { headers = {}, content = {} } = part as Partial<Record<'headers' | 'content', Record<string, Part>>>;
    return {
      at,
      content,
      headers: new Map(
        Object.entries(headers).map(([name, header]) => [
          name.toLowerCase(),
          [...this.resolve(header, [...at, 'headers', name]).at, 'schema'],
        ]),
      ),
    };
  }

  private bodyProblem(text: string, at: readonly string[], method: string, ajv = this.ajv): string | undefined {
    if (method === 'HEAD') return text === '' ? undefined : 'there is a body';
    return this.problem(ajv, at, JSON.parse(text), 'body');
  }

  private problem(ajv: Ajv2020, at: readonly string[], value: unknown, name = ''): string | undefined {
    const kind = ajv === this.ajv ? 'json' : ajv === this.partial ? 'partial' : 'text';
    const key = `${kind} ${at.join(' ')}`;
    let validate = this.validators.get(key);
    if (!validate) {
      const pointer = at.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
      validate = ajv.compile({ $ref: `openapi#/${pointer}` });
      this.validators.set(key, validate);
    }
    if (validate(value)) return undefined;
    return (validate.errors ?? [])
      .map(({ instancePath, message, params }) => `${name}${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ');
  }

  /** The target of a reference, and its position. */
  private resolve(part: Part, at: readonly string[]): { part: Part; at: readonly string[] } {
    if (typeof part['$ref'] !== 'string') return { part, at };
    const steps = part['$ref'].slice(2).split('/');
    return { part: steps.reduce((within: unknown, step) => (within as Part)[step], this.document) as Part, at: steps };
  }
}

/** Commas outside of quotes. */
const commas = /,(?=(?:[^"]*"[^"]*")*[^"]*$)/;

/** A value of a list, without its quotes. */
const unquoted = (text: string) => text.trim().replace(/^"(.*)"$/s, (_, inner: string) => inner.replaceAll('""', '"'));

/** Trims the texts of a body, as limits do not count surrounding spaces. */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, trimmed(inner)]))
    : value;
}

/** The document with all fields optional, as those are that `fields` leaves out. */
function withoutRequired(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRequired);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => name !== 'required' || !Array.isArray(inner))
      .map(([name, inner]) => [name, withoutRequired(inner)]),
  );
}

/** The document with unknown fields disallowed. Clients must allow them, for later versions. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'example' || name === 'examples' ? inner : closed(inner),
    ]),
  );
  return copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}
