import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphQLField, type GraphQLSchema, getNamedType, isInputObjectType, isListType } from 'graphql';
import { type Access, needsSession } from '../../auth/access.ts';
import { headerLimit } from '../../http/headers.ts';
import { aOrAn, plural, words } from '../../names.ts';
import { mostLines } from '../../resource/lines.ts';
import { largestPage, mostValues } from '../../resource/lists.ts';
import type { Action } from '../../resource/registry.ts';
import { root } from '../../root.ts';
import { conditionPattern } from '../conditions.ts';
import { includable, mostIncluded, totalOf } from '../include.ts';
import { fieldName } from '../names.ts';
import { defaultSort, type Parameter, queryParameters } from '../read.ts';
import { toRestSchema } from '../rest-schema.ts';
import { type Route, routes } from '../routes.ts';
import { about, shortAbout } from './about.ts';
import { exampleValue } from './examples.ts';
import { envelopes, type FailureName, failing, headers, headersOf, type Part, responses } from './responses.ts';
import { count, inRestNames, type JsonSchema, Schemas } from './schemas.ts';
import { type Tag, tagOf } from './tags.ts';

/** An OpenAPI document, as far as others here look into it. */
export interface OpenapiDocument {
  readonly openapi: string;
  readonly info: Part;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: Readonly<
    Record<'schemas' | 'responses' | 'parameters' | 'headers' | 'securitySchemes', Readonly<Record<string, Part>>>
  >;
}

/** One method of one path. */
export interface OpenapiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Part[];
  readonly parameters?: readonly Part[];
  readonly requestBody?: Part;
  readonly responses: Readonly<Record<string, Part>>;
}

/**
 * Describes every REST route in OpenAPI 3.1, out of the same registry and schema that answer them.
 * @param publicUrl the address that the service is reached at
 */
export function openapi(schema: GraphQLSchema, publicUrl: string, basePaths: readonly string[]): OpenapiDocument {
  const all = routes();
  const writer = new Writer(toRestSchema(schema), schema, all);
  const paths: Record<string, Record<string, OpenapiOperation>> = {};
  for (const route of all)
    (paths[route.path.replace(/:(\w+)/g, (_, argument: string) => `{${variableOf(argument)}}`)] ??= {})[
      route.method.toString().toLowerCase()
    ] = writer.operation(route);
  const tags = new Map(all.map((route) => [tagOf(route).name, tagOf(route)]));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Premises',
      version,
      summary: shortAbout,
      description: about,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: basePaths.map((path, n) => ({
      url: publicUrl + path,
      description: n === 0 ? 'The service.' : 'The same at its shorter address.',
    })),
    tags: [...tags.values()],
    paths,
    components: {
      schemas: { ...envelopes, ...writer.schemas.all },
      parameters: sharedParameters,
      responses,
      headers,
      securitySchemes,
    },
  };
}

const securitySchemes = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API token, `svc_live_…` or `svc_test_…`. Each operation names the scope that it needs; `*:read`, `*:write` and `*` stand for all.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'premises.session_token',
    description:
      'The session of a person who has signed in at `/sign-in`, sent by a page of the service. Over https the cookie’s name begins with `__Secure-`.',
  },
};

/** Parameters that many operations take. */
const sharedParameters: Record<string, Part> = {
  Offset: {
    name: 'offset',
    in: 'query',
    description: 'How many rows to skip.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2 ** 31 - 1, default: 0 },
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    description:
      'Continue after this place: `meta.pagination.next_cursor` of an earlier page of the same sort and order.',
    schema: { type: 'string', maxLength: 60_000 },
  },
  Order: {
    name: 'order',
    in: 'query',
    description: 'The direction of the sort.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: defaultSort.order },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags of what the client has; the answer is 304 when it is still so.',
    schema: { type: 'string', maxLength: headerLimit, examples: ['"q3Zk8Yw1T0u5VbN2xRc7Lg"'] },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of what is to be changed; the answer is 412, and nothing is changed, when it is another one by now.',
    schema: {
      type: 'string',
      maxLength: headerLimit,
      pattern: conditionPattern,
      examples: ['"q3Zk8Yw1T0u5VbN2xRc7Lg"'],
    },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Any text that names this request: sent again with it within 24 hours, it does nothing more, and is answered as the first time.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
      examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'],
    },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`return=representation` asks for the whole resource in the place of what was changed.',
    schema: { type: 'string', maxLength: headerLimit, examples: ['return=representation'] },
  },
};

/** The headers that an operation looks at. */
function headerParameters({ operation: { action, kind } }: Route, takes: (argument: string) => boolean): Part[] {
  const names = [
    action === 'read' && 'IfNoneMatch',
    takes('ifMatch') && 'IfMatch',
    action === 'update' && 'Prefer',
    kind === 'Mutation' && (action === 'create' || action === 'batch') && 'IdempotencyKey',
  ];
  return names.flatMap((name) => (name ? [{ $ref: `#/components/parameters/${name}` }] : []));
}

/** What shows sub-resources inside rows. */
const includeParameter = (names: readonly string[]): Part => ({
  name: 'include',
  in: 'query',
  description: `Sub-resources to show inside each row: the latest ${mostIncluded} of each, and how many there are. What is included needs its own read scope. Several are separated by commas.`,
  style: 'form',
  explode: false,
  schema: {
    type: 'array',
    minItems: 1,
    maxItems: mostValues,
    items: { type: 'string', enum: names, examples: [names[0]] },
  },
});

/** Parameters of lists that are the same wherever they are. */
const sharedNames = new Map([
  ['offset', 'Offset'],
  ['after', 'Cursor'],
  ['order', 'Order'],
]);

const described: Record<Action, (thing: string) => string> = {
  list: () => 'A page of the list.',
  read: (thing) => `The ${thing}.`,
  create: (thing) => `The new ${thing}.`,
  batch: (thing) => `The ${thing} rows, in order.`,
  update: () => 'What was changed; the whole resource if `Prefer` asks for it.',
  replace: (thing) => `The ${thing}.`,
  delete: () => 'It is gone.',
};

/** Makes operations, and the schemas they refer to. */
class Writer {
  readonly schemas: Schemas;
  private readonly given = new Map<string, number>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly product: GraphQLSchema,
    private readonly all: readonly Route[],
  ) {
    this.schemas = new Schemas(schema);
  }

  operation(route: Route): OpenapiOperation {
    const {
      operation: { field: name, access },
      path,
    } = route;
    const field = this.field(route);
    const takes = (argument: string) => field.args.some((arg) => arg.name === argument);
    const description = inRestNames(field.description ?? '');
    const parameters = [
      ...this.pathParameters(route, field),
      ...this.queryParameters(route, field),
      ...headerParameters(route, takes),
    ];
    return {
      operationId: this.operationId(name, path),
      tags: [tagOf(route).name],
      summary: description.replace(/[.:,].*$/s, ''),
      description: `${description} ${needs(access)}`,
      ...(parameters.length > 0 && { parameters }),
      ...(takes('input') && { requestBody: this.requestBody(route, field) }),
      responses: { ...this.success(route), ...failing(failuresOf(route, takes('input'))) },
      security: securityOf(access),
    };
  }

  /** The root field's name; a route at another address of the same collection says so after it. */
  private operationId(name: string, path: string): string {
    const count = this.given.get(name) ?? 0;
    this.given.set(name, count + 1);
    return count === 0 ? name : `${name}At${path.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  }

  private field({ operation: { kind, field } }: Route): GraphQLField<unknown, unknown> {
    const found = (kind === 'Query' ? this.schema.getQueryType() : this.schema.getMutationType())?.getFields()[field];
    if (!found) throw new Error(`The schema has no ${kind}.${field}.`);
    return found;
  }

  private pathParameters({ path, operation: { type } }: Route, { args }: GraphQLField<unknown, unknown>): Part[] {
    return [...path.matchAll(/:(\w+)/g)].map(([, given = '']) => {
      const argument = args.find((arg) => arg.name === given);
      const name = variableOf(given);
      const owner = name === 'id' ? type : name.replace(/^./, (letter) => letter.toUpperCase());
      const schema =
        argument && getNamedType(argument.type).name === 'String'
          ? { type: 'string', maxLength: 4096, examples: ['q3Zk8Yw1T0u5VbN2xRc7Lg'] }
          : this.schemas.id(owner);
      return {
        name,
        in: 'path',
        required: true,
        description: argument?.description ?? 'The row it belongs to.',
        schema,
      };
    });
  }

  private queryParameters(route: Route, field: GraphQLField<unknown, unknown>): Part[] {
    const {
      path,
      operation: { type },
    } = route;
    const names = includable(route, this.all, this.product).map(({ name }) => name);
    return [...this.argumentParameters(path, type, field), ...(names.length > 0 ? [includeParameter(names)] : [])];
  }

  private argumentParameters(path: string, type: string, field: GraphQLField<unknown, unknown>): Part[] {
    const parameters = queryParameters(field, (argument) => path.split('/').includes(`:${argument}`));
    return [...parameters].map(([name, parameter]) => {
      const shared = !parameter.filter && sharedNames.get(parameter.name);
      if (shared) return { $ref: `#/components/parameters/${shared}` };
      const common = {
        name,
        in: 'query',
        ...(parameter.required && { required: true }),
        description: this.parameterText(name, parameter),
      };
      const value = this.schemas.parameter(parameter, type, name);
      if (isListType(parameter.type)) {
        return {
          ...common,
          style: 'form',
          explode: false,
          schema: { type: 'array', items: value, minItems: 1, maxItems: mostValues },
        };
      }
      return { ...common, schema: { ...value, ...limitsOf(name, parameter, value) } };
    });
  }

  private parameterText(name: string, { description, type }: Parameter): string {
    const text = name === 'limit' ? 'How many rows at the most.' : inRestNames(description ?? '');
    return isListType(type) ? `${text} Several are separated by commas.` : text;
  }

  private requestBody({ operation: { type, action } }: Route, { args }: GraphQLField<unknown, unknown>): Part {
    const argument = args.find(({ name }) => name === 'input');
    const input = argument && getNamedType(argument.type);
    if (!isInputObjectType(input)) throw new Error(`${type} has an input that is no object.`);
    const schema = this.schemas.input(input, type);
    const whole = this.example(schema) as Record<string, unknown>;
    return {
      required: true,
      description: inRestNames(argument?.description ?? ''),
      content: {
        'application/json': { schema, example: action === 'update' ? changeOf(whole) : withoutAlternatives(whole) },
      },
    };
  }

  private success(route: Route): Readonly<Record<string, Part>> {
    const {
      operation: { type, action, kind },
    } = route;
    const status = String(route.status);
    const description = described[action](words(type));
    if (route.status === 204) return { [status]: { description, headers: headersOf() } };
    const schema = this.envelope(route);
    const example = this.example(schema) as { data: Record<string, unknown> };
    if (action === 'update')
      example.data = {
        id: example.data['id'],
        ...changeOf(this.example(this.inputOf(route)) as Record<string, unknown>),
        ...('updated_at' in example.data && { updated_at: example.data['updated_at'] }),
      };
    const json = { 'application/json': { schema, example } };
    if (action !== 'list') {
      const told = [
        ...(action === 'batch' ? [] : ['ETag']),
        ...(action === 'update' ? ['Preference-Applied'] : []),
        ...(status === '201' ? ['Idempotent-Replayed'] : []),
      ];
      return {
        [status]: { description, headers: headersOf(...told), content: json },
        ...(kind === 'Query' && {
          304: { description: 'It is as `If-None-Match` has it.', headers: headersOf('ETag') },
        }),
      };
    }
    return {
      [status]: {
        description: `${description} As CSV it is the whole list, unless \`limit\` says otherwise.`,
        headers: headersOf('Content-Disposition'),
        content: { ...json, 'text/csv': this.csv(type) },
      },
    };
  }

  /** A list as CSV (RFC 4180), with a line of names first. */
  private csv(type: string): Part {
    const row = this.example(this.row(type)) as Record<string, unknown>;
    const cell = (value: unknown) => {
      const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return {
      schema: this.schemas.named('Csv', () => csvSchema),
      example: [Object.keys(row), Object.values(row).map(cell)].map((cells) => `${cells.join(',')}\r\n`).join(''),
    };
  }

  private envelope({ operation: { type, action } }: Route): JsonSchema {
    const body = (data: JsonSchema, meta: string, description: string): JsonSchema => ({
      type: 'object',
      description,
      required: ['data', 'meta'],
      properties: { data, meta: { $ref: `#/components/schemas/${meta}` } },
    });
    const thing = words(type);
    const rows = () => ({ type: 'array', items: this.row(type) });
    switch (action) {
      case 'list':
        return this.schemas.named(`${type}ListBody`, () =>
          body({ ...rows(), maxItems: largestPage }, 'ListMeta', `A page of a list of ${words(plural(type))}.`),
        );
      case 'batch':
        return this.schemas.named(`${type}BatchBody`, () =>
          body({ ...rows(), maxItems: mostLines }, 'Meta', `Several ${words(plural(type))}.`),
        );
      case 'update':
        return this.schemas.named(`${type}ChangeBody`, () =>
          body(this.schemas.change(type, this.readOnly(type)), 'Meta', `What was changed of ${aOrAn(thing)}.`),
        );
      default:
        return this.schemas.named(`${type}Body`, () => body(this.row(type), 'Meta', `One ${thing}.`));
    }
  }

  private row = (type: string): JsonSchema =>
    this.schemas.row(type, this.readOnly(type), () => this.subresources(type));

  /** The fields that a row has when `include` asks for them. */
  private subresources(type: string): Readonly<Record<string, JsonSchema>> {
    const route = this.all.find(
      ({ operation }) => operation.type === type && (operation.action === 'read' || operation.action === 'list'),
    );
    const lists = route ? includable(route, this.all, this.product) : [];
    return Object.fromEntries(
      lists.flatMap(({ name, type: rows }): [string, JsonSchema][] => [
        [
          name,
          {
            type: 'array',
            readOnly: true,
            items: this.row(rows),
            maxItems: mostIncluded,
            description: `The latest of its \`${name}\`, when \`include\` asks for them.`,
          },
        ],
        [
          totalOf(name),
          { ...count, readOnly: true, description: `How many \`${name}\` there are, when \`include\` asks for them.` },
        ],
      ]),
    );
  }

  private inputOf(route: Route): JsonSchema {
    const input = getNamedType(this.field(route).args.find(({ name }) => name === 'input')?.type);
    return isInputObjectType(input) ? this.schemas.input(input, route.operation.type) : {};
  }

  /** Which fields of a type nothing takes; none are marked of a type that is only read. */
  private readOnly(type: string): (field: string) => boolean {
    const inputs = this.all
      .filter(({ operation }) => operation.type === type)
      .flatMap((route) => {
        const input = getNamedType(this.field(route).args.find(({ name }) => name === 'input')?.type);
        return isInputObjectType(input) ? Object.keys(input.getFields()).map(fieldName) : [];
      });
    return (field) => inputs.length > 0 && !inputs.includes(field);
  }

  private example = (schema: JsonSchema): unknown => exampleValue(schema, { ...envelopes, ...this.schemas.all });
}

const csvSchema: JsonSchema = {
  type: 'string',
  contentMediaType: 'text/csv',
  description:
    'CSV (RFC 4180) with a line of the names of the fields first. A text that a spreadsheet would take for a formula has an apostrophe before it; objects and arrays are JSON.',
};

/**
 * The variable of a path that stands for an argument: `paintId` → `paint`. Lists below a paint filter by `paint_id` too, and
 * generators that spell both alike would give an operation two parameters of one name.
 */
const variableOf = (argument: string) => argument.replace(/Id$/, '');

/** What limits a parameter beyond its type. */
function limitsOf(name: string, { filter, defaultValue }: Parameter, { enum: possible }: JsonSchema): JsonSchema {
  if (filter) return {};
  if (name === 'limit') return { minimum: 1, maximum: largestPage, default: defaultValue, examples: [defaultValue] };
  if (name === 'sort') return (possible as string[]).includes(defaultSort.sort) ? { default: defaultSort.sort } : {};
  return {};
}

/** A change of one or two fields, a status before others. */
function changeOf(whole: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(whole);
  const chosen = [...names.filter((name) => name === 'status'), ...names].slice(0, 2);
  return Object.fromEntries(names.filter((name) => chosen.includes(name)).map((name) => [name, whole[name]]));
}

/** A body says where something is in one way. */
function withoutAlternatives({ location, ...body }: Record<string, unknown>): Record<string, unknown> {
  return typeof location === 'object' ? body : { ...body, ...(location !== undefined && { location }) };
}

/** What an operation asks of its caller, in words. */
function needs(access: Access): string {
  if (access === 'public') return 'It needs no token.';
  if (!needsSession(access)) return `It needs the scope \`${access}\`.`;
  return access === 'session'
    ? 'It needs a signed-in session; API tokens are not accepted.'
    : 'It needs the session of an admin or executive; API tokens are not accepted.';
}

/** Roles of a scheme are the scopes that a token must have one of (OpenAPI 3.1, Security Requirement Object). */
function securityOf(access: Access): Part[] {
  if (access === 'public') return [{}];
  return needsSession(access) ? [{ session: [] }] : [{ apiToken: [access] }];
}

/** What can go wrong with an operation. */
function failuresOf({ path, operation: { access, kind, type, action } }: Route, hasBody: boolean): FailureName[] {
  const writes = kind === 'Mutation';
  const names: (FailureName | false)[] = [
    'BadRequest',
    access !== 'public' && 'Unauthorized',
    access !== 'public' && access !== 'session' && 'Forbidden',
    (path.includes(':') || (type === 'TimeClockSettings' && action !== 'list')) && 'NotFound',
    writes && 'Conflict',
    writes && action !== 'create' && action !== 'batch' && 'PreconditionFailed',
    hasBody && 'PayloadTooLarge',
    hasBody && 'UnsupportedMediaType',
    hasBody && 'ValidationError',
    'TooManyRequests',
    'InternalError',
    'ServiceUnavailable',
  ];
  return names.filter((name) => name !== false);
}
