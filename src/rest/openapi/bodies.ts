// Request and response bodies.
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { eventStream } from '../../http/event-stream.ts';
import { sheetType } from '../../http/send-table.ts';
import { maxItems, maxPageSize, type Words } from '../../resource/index.ts';
import { findSubresources, maxIncluded, type Subresource, totalOf } from '../include.ts';
import { lazy } from '../lazy.ts';
import { fieldName } from '../names.ts';
import type { Route } from '../routes.ts';
import { ndjson } from '../stream.ts';
import { envelopes } from './envelopes.ts';
import { exampleValue } from './examples.ts';
import { headersOf } from './headers.ts';
import { count } from './scalars.ts';
import { restValuesOf, type Schemas } from './schemas.ts';
import { inRestNames } from './text.ts';
import { type JsonSchema, type Part, ref } from './types.ts';

type RootField = GraphQLField<unknown, unknown>;
type Values = Readonly<Record<string, unknown>>;

/** Describes a successful response. */
const successes: Readonly<Record<Route['operation']['action'], (words: Words) => string>> = {
  list: () => 'A page of results. As CSV or XLSX the whole list, unless `limit` is given.',
  read: ({ noun }) => `The ${noun}.`,
  create: ({ noun }) => `The new ${noun}.`,
  batch: ({ many }) => `The ${many}, in order.`,
  update: () => 'The changed fields, or the whole resource if requested with `Prefer` and the read scope.',
  replace: ({ noun }) => `The ${noun}; for a token that may not read it, the fields that were sent.`,
  delete: () => 'The resource was deleted.',
  restore: ({ noun }) => `The ${noun}, as it was before it was deleted.`,
};

const events: JsonSchema = {
  type: 'string',
  contentMediaType: eventStream,
  description:
    'Server-sent events, until the client closes the connection. The `data` of each event has `changes`; that of the first also has `meta` with `is_truncated` if it is true. The `id` is the position to continue from: send it as `Last-Event-ID` or `after`.',
  examples: ['id: OWY4YTBiMWMuODEyLjA\ndata: {"changes":[]}\n\n'],
};

const csvSchema: JsonSchema = {
  type: 'string',
  contentMediaType: 'text/csv',
  description:
    'CSV (RFC 4180) with a header row of field names. Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe. Objects and arrays are JSON.',
  examples: ['id,title,status\r\n019b6f3c-5a1e-7c40-8b21-6d1f0a9e4c33,"Window, second floor",pending\r\n'],
};

const sheetSchema: JsonSchema = {
  type: 'string',
  format: 'binary',
  contentMediaType: sheetType,
  description:
    "A spreadsheet (XLSX) with a header row of field names. Dates, numbers and booleans are cells of their kind, and times are those of the company's time zone. Objects and arrays are JSON.",
};

/** Describes the bodies of operations, and creates the schemas that they refer to. */
export class Bodies {
  /**
   * @param fieldOf finds the root field of a route
   * @param schema the product's schema, in which rows have their sub-resources
   */
  constructor(
    private readonly schemas: Schemas,
    private readonly routes: readonly Route[],
    private readonly fieldOf: (route: Route) => RootField,
    private readonly schema: GraphQLSchema,
  ) {}

  /** The request body of a route; undefined if it has none. */
  request(route: Route): Part | undefined {
    const argument = inputArgument(this.fieldOf(route));
    if (!argument) return undefined;
    const { input, description } = argument;
    const partial = route.operation.action === 'update';
    const schema = this.schemas.input(input, partial);
    const example = partial ? this.changeExample(input) : this.inputExample(input, schema);
    return {
      required: true,
      description: inRestNames(description ?? ''),
      content: { 'application/json': { schema, example } },
    };
  }

  /** The successful responses of a route, by status. */
  success(route: Route): Readonly<Record<string, Part>> {
    const {
      status,
      operation: { type, words, action, kind, isFeed = false, isStream = false },
    } = route;
    if (status === 204) return { 204: ref('responses', 'Deleted') };
    if (isStream) return { [status]: this.stream(type, words.noun) };
    const description = successes[action](words);
    const content = { 'application/json': { schema: this.envelope(route) } };
    if (action === 'list')
      return {
        [status]: {
          description,
          headers: headersOf('Content-Disposition'),
          content: {
            ...content,
            'text/csv': { schema: this.schemas.named('Csv', () => csvSchema) },
            [sheetType]: { schema: this.schemas.named('Spreadsheet', () => sheetSchema) },
          },
        },
      };
    const more = [
      ...(action === 'batch' ? [] : ['ETag']),
      ...(action === 'update' || isFeed ? ['Preference-Applied'] : []),
      ...(status === 201 ? ['Idempotent-Replayed'] : []),
    ];
    return {
      [status]: {
        description,
        headers: headersOf(...more),
        content: isFeed ? { ...content, [eventStream]: { schema: events } } : content,
      },
      ...(kind === 'Query' && { 304: ref('responses', 'NotModified') }),
    };
  }

  /** A response with one JSON object on each line. */
  private stream(type: string, noun: string): Part {
    const part = this.schema.getType(type);
    if (!isObjectType(part)) throw new Error(`${type} has no fields.`);
    const rows = getNamedType(part.getFields()['rows']?.type)?.name;
    if (rows === undefined) throw new Error(`${type} has no rows.`);
    return {
      description: `The ${noun}, as one JSON object on each line: first the \`position\`, then one ${rows} on each line, and at the end \`complete\`.`,
      headers: headersOf(),
      content: {
        [ndjson]: {
          schema: {
            type: 'string',
            contentMediaType: ndjson,
            contentSchema: {
              anyOf: [
                {
                  type: 'object',
                  required: ['position'],
                  properties: { position: { type: 'string', maxLength: 200 } },
                },
                this.row(rows),
                { type: 'object', required: ['complete'], properties: { complete: { type: 'boolean' } } },
              ],
            },
            examples: ['{"position":"OWY4YTBiMWMuODEyLjA"}\n{"complete":true}\n'],
          },
        },
      },
    };
  }

  /** The sub-resources that the rows of a route can include. */
  included = (route: Route): Subresource[] => findSubresources(route, this.routes, this.schema);

  private envelope(route: Route): JsonSchema {
    const { type, words, action, isFeed = false } = route.operation;
    switch (action) {
      case 'list':
        return this.body(
          `${type}ListBody`,
          `A page of a list of ${words.many}.`,
          this.rows(type, maxPageSize),
          'ListMeta',
        );
      case 'batch':
        return this.body(`${type}BatchBody`, `Several ${words.many}.`, this.rows(type, maxItems));
      case 'update':
      case 'replace':
      case 'restore':
        return this.body(
          `${type}ChangeBody`,
          `The changed fields of ${words.one}.`,
          this.schemas.change(type, this.readOnlyFields(type)),
          'Meta',
          ({ id, updated_at }) => ({
            id,
            ...this.changeExample(inputArgument(this.fieldOf(route))?.input),
            ...(updated_at !== undefined && { updated_at }),
          }),
        );
      default:
        return this.body(
          `${type}Body`,
          `A response with the ${words.noun}.`,
          this.row(type),
          isFeed ? 'FeedMeta' : 'Meta',
        );
    }
  }

  /** A response body with an example. @param adjust adapts the example data generated from the schema */
  private body(
    name: string,
    description: string,
    data: JsonSchema,
    meta = 'Meta',
    adjust = (suggested: Values): unknown => suggested,
  ): JsonSchema {
    return this.schemas.named(name, () => {
      const properties = { data, meta: ref('schemas', meta) };
      return {
        type: 'object',
        description,
        required: ['data', 'meta'],
        properties,
        examples: [{ data: adjust(this.example(data)), meta: this.example(properties.meta) }],
      };
    });
  }

  private rows = (type: string, maxItems: number) => ({ type: 'array', items: this.row(type), maxItems });

  private row = (type: string): JsonSchema =>
    this.schemas.row(type, this.readOnlyFields(type), () => this.subresources(type));

  /** The fields that a row has if `include` asks for them. */
  private subresources(type: string): Readonly<Record<string, JsonSchema>> {
    const route = this.routes.find(
      ({ operation }) => operation.type === type && (operation.action === 'read' || operation.action === 'list'),
    );
    return Object.fromEntries(
      (route ? this.included(route) : []).flatMap(({ name, type: rows }): [string, JsonSchema][] => [
        [
          name,
          {
            type: 'array',
            readOnly: true,
            items: this.row(rows),
            maxItems: maxIncluded,
            description: `The latest \`${name}\`, if requested with \`include\`.`,
          },
        ],
        [
          totalOf(name),
          { ...count, readOnly: true, description: `Total number of \`${name}\`, if requested with \`include\`.` },
        ],
      ]),
    );
  }

  /** Returns whether no operation accepts a field of a type; always false for read-only types. */
  private readOnlyFields(type: string): (field: string) => boolean {
    const isAccepted = lazy(() => {
      const inputs = this.routes
        .filter(({ operation }) => operation.type === type)
        .map((route) => inputArgument(this.fieldOf(route))?.input.getFields() ?? {});
      return new Set(inputs.flatMap((fields) => Object.keys(fields).map(fieldName)));
    });
    return (field) => isAccepted().size > 0 && !isAccepted().has(field);
  }

  /** The example of a whole body, without fields that duplicate others. */
  private inputExample(input: GraphQLInputObjectType, schema: JsonSchema): Values {
    const alternatives = Object.values(input.getFields())
      .filter(({ extensions }) => extensions.alternativeTo)
      .map(({ name }) => fieldName(name));
    return Object.fromEntries(Object.entries(this.example(schema)).filter(([name]) => !alternatives.includes(name)));
  }

  /** The example of a change: two fields, preferably one with an enum, as most changes are of a status. */
  private changeExample(input: GraphQLInputObjectType | undefined): Values {
    if (!input) return {};
    const whole = this.inputExample(input, this.schemas.input(input, true));
    const isEnum = ({ type }: GraphQLInputField) => restValuesOf(getNamedType(type)) !== undefined;
    const fields = Object.values(input.getFields());
    const chosen = [...fields.filter(isEnum).slice(0, 1), ...fields.filter((field) => !isEnum(field))]
      .slice(0, 2)
      .map(({ name }) => fieldName(name));
    return Object.fromEntries(Object.entries(whole).filter(([name]) => chosen.includes(name)));
  }

  private example = (schema: JsonSchema): Values =>
    // Callers have the schema of an object, or of an array, which is one too.
    exampleValue(schema, (name) => envelopes[name] ?? this.schemas.all[name]) as Values;
}

/** The type and description of an operation's `input`; undefined if it has none. */
function inputArgument({ args }: RootField) {
  const argument = args.find(({ name }) => name === 'input');
  const input = argument && getNamedType(argument.type);
  return isInputObjectType(input) ? { input, description: argument?.description } : undefined;
}
