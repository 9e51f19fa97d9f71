// Request and response bodies.
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { eventStream } from '../../http/event-stream.ts';
import { sheetType } from '../../http/send-table.ts';
import { isOfMany, maxItems, maxPageSize, maxWrites, type Words } from '../../resource/index.ts';
import { findSubresources, maxIncluded, type Subresource, totalOf } from '../include.ts';
import { lazy } from '../lazy.ts';
import { fieldName } from '../names.ts';
import type { Route } from '../routes.ts';
import { ndjson } from '../stream.ts';
import { envelopes, listMetaOf } from './envelopes.ts';
import { exampleValue } from './examples.ts';
import { headersOf, rowLimitHeaders } from './headers.ts';
import { count } from './scalars.ts';
import { restValuesOf, type Schemas } from './schemas.ts';
import { csvSchema, groups, sheetSchema } from './table-schemas.ts';
import { inRestNames } from './text.ts';
import { type JsonSchema, type Part, ref } from './types.ts';

type RootField = GraphQLField<unknown, unknown>;
type Values = Readonly<Record<string, unknown>>;

/** Describes a successful response. */
const successes: Readonly<Record<Route['operation']['action'], (words: Words) => string>> = {
  list: () => 'A page of results. As CSV or XLSX the whole list, unless `limit` is given.',
  aggregate: () => 'The groups. As CSV or XLSX there may be more than 1,000.',
  read: ({ noun }) => `The ${noun}.`,
  create: ({ noun }) => `The new ${noun}.`,
  batch: ({ many }) => `The ${many}, in order.`,
  write: ({ noun }) =>
    `What became of each ${noun}, in order. For a token that may not read them, \`row\` and \`etag\` are null.`,
  update: () => 'The changed fields, or the whole resource if requested with `Prefer` and the read scope.',
  updateMany: ({ many }) => `The IDs of the ${many} that matched.`,
  replace: ({ noun }) => `The ${noun}; for a token that may not read it, the fields that were sent.`,
  delete: () => 'The resource was deleted.',
  deleteMany: ({ many }) => `The IDs of the ${many} that were deleted.`,
  restore: ({ noun }) => `The ${noun}, as it was before it was deleted.`,
};

const events: JsonSchema = {
  type: 'string',
  contentMediaType: eventStream,
  description:
    'Server-sent events, until the client closes the connection. The `data` of each event has `changes`; that of the first also has `meta` with `is_truncated` if it is true. The `id` is the position to continue from: send it as `Last-Event-ID` or `after`.',
  examples: ['id: OWY4YTBiMWMuODEyLjA\ndata: {"changes":[]}\n\n'],
};

const json = 'application/json';

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

  /** The request body of a route; undefined if it has none. @param beside the route for other bodies, if any */
  request(route: Route, beside?: Route): Part | undefined {
    const own = this.ownRequest(route);
    if (!own) return undefined;
    const other = beside && this.ownRequest(beside);
    const { description, schema, example } = own;
    if (!other) return { required: true, description, content: { [json]: { schema, example } } };
    const examples = {
      [route.operation.field]: { summary: description, value: example },
      [beside.operation.field]: { summary: other.description, value: other.example },
    };
    return {
      required: true,
      description: `${description} Or \`operations\`: ${other.description}`,
      content: { [json]: { schema: { oneOf: [schema, other.schema] }, examples } },
    };
  }

  private ownRequest(route: Route) {
    const argument = inputArgument(this.fieldOf(route));
    if (!argument) return undefined;
    const { input, description } = argument;
    const partial = ['update', 'updateMany'].includes(route.operation.action);
    const schema = this.schemas.input(input, partial);
    const whole = partial ? this.changeExample(input) : this.inputExample(input, schema);
    const example = route.operation.action === 'write' ? writesExample(whole) : whole;
    return { description: inRestNames(description ?? ''), schema, example };
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
    const content = { [json]: { schema: this.envelope(route) } };
    if (action === 'list' || action === 'aggregate')
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
      ...(action === 'batch' || isOfMany(action) ? rowLimitHeaders : ['ETag']),
      ...(action === 'create' && bringsRows(inputArgument(this.fieldOf(route))?.input) ? rowLimitHeaders : []),
      ...(action === 'write' ? ['Preference-Applied'] : []),
      ...(action === 'update' || isFeed ? ['Preference-Applied'] : []),
      ...(status === 201 || action === 'write' ? ['Idempotent-Replayed'] : []),
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
          listMetaOf(this.fieldOf(route).type),
        );
      case 'aggregate':
        return this.body(
          'AggregatesBody',
          'Groups of the rows of a list.',
          this.schemas.named('Groups', () => groups),
        );
      case 'batch':
        return this.body(`${type}BatchBody`, `Several ${words.many}.`, this.rows(type, maxItems));
      case 'write':
        return this.body(
          `${type}WritesBody`,
          `What became of writes of ${words.many}.`,
          this.rows(`${type}WriteResult`, maxWrites),
          'Meta',
          // By its type the example is a list.
          (results) => (results as unknown as Values[]).map((each) => ({ ...each, action: 'created', error: null })),
        );
      case 'updateMany':
      case 'deleteMany':
        return this.body('ChangedRowsBody', 'The rows that a filter matched.', this.row('ChangedRows'));
      case 'update':
      case 'replace':
      case 'restore':
        return this.body(
          `${type}ChangeBody`,
          `The changed fields of ${words.one}.`,
          this.schemas.change(type, this.readOnlyFields(type)),
          'Meta',
          ({ id, updated_at, ...shown }) => ({
            id,
            ...pick(this.changeExample(inputArgument(this.fieldOf(route))?.input), Object.keys(shown)),
            ...(updated_at !== undefined && { updated_at }),
          }),
        );
      default:
        // A list without pages.
        if (isListType(getNullableType(this.fieldOf(route).type)))
          return this.body(`${type}RowsBody`, `All ${words.many}.`, this.rows(type, maxPageSize));
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

/** Whether a creation can bring along rows, which count against a limit. */
const bringsRows = (input: GraphQLInputObjectType | undefined): boolean =>
  Object.values(input?.getFields() ?? {}).some(({ extensions }) => extensions.creates);

/** An example of writes, each of which has one way: the first that there is. */
const writesExample = (whole: Values): Values =>
  Object.fromEntries(
    Object.entries(whole).map(([name, writes]) => [
      name,
      // By its type it is a list of objects.
      (writes as Values[]).map(({ create, update, id, etag }) => (create ? { create } : { update, id, etag })),
    ]),
  );

/** The type and description of an operation's `input`; undefined if it has none. */
function inputArgument({ args }: RootField) {
  const argument = args.find(({ name }) => name === 'input');
  const input = argument && getNamedType(argument.type);
  return isInputObjectType(input) ? { input, description: argument?.description } : undefined;
}

/** The members of an object that have one of these names. */
const pick = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
