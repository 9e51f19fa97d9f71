import { type GraphQLField, type GraphQLInputObjectType, getNamedType, isListType } from 'graphql';
import { companyHeader, personHeader } from '../../auth/named-company.ts';
import { uuid } from '../../fields/index.ts';
import { csvSeparators } from '../../http/csv.ts';
import { headerLimit } from '../../http/headers.ts';
import { keyAges } from '../../idempotency.ts';
import { pathVariable } from '../../names.ts';
import { maxFilterValues, maxPageSize } from '../../resource/index.ts';
import { conditionPattern, maxWaitSeconds } from '../conditions.ts';
import { maxDepth, maxFields } from '../fields.ts';
import { maxIncluded } from '../include.ts';
import { defaultSort } from '../names.ts';
import { filterType, isFreeText, type Parameter, queryParameters } from '../parameters.ts';
import type { Route } from '../routes.ts';
import { separatedPattern } from '../separated.ts';
import { columnOf } from './columns.ts';
import { cursorLength } from './envelopes.ts';
import { exampleOf } from './examples.ts';
import { count } from './scalars.ts';
import type { Schemas } from './schemas.ts';
import type { Named } from './shared.ts';
import { inRestNames } from './text.ts';
import type { JsonSchema, Part } from './types.ts';

type RootField = GraphQLField<unknown, unknown>;

/** The header parameters of all operations, by the name of their component. */
const headerParameters = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETags the client has. Returns 304 if the resource still has one of them.',
    schema: { type: 'string', maxLength: headerLimit, examples: ['"q3Zk8Yw1T0u5VbN2xRc7Lg"'] },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETag the resource must have. Returns 412 and changes nothing if it has another one.',
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
      'Unique key of this request. A request repeated with the same key within 24 hours, or as long as `Idempotency-Key-Max-Age` said, is not processed again and returns the stored response.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$',
      examples: ['8e03978e-40d5-43e8-bc93-6894a57f9324'],
    },
  },
  IdempotencyKeyMaxAge: {
    name: 'Idempotency-Key-Max-Age',
    in: 'header',
    description:
      'For how many seconds the response is kept for its `Idempotency-Key`, from a day, the default, to 14 days. A client that sends later what it has queued asks for more than a day.',
    schema: {
      type: 'integer',
      format: 'int32',
      minimum: keyAges.default,
      maximum: keyAges.max,
      default: keyAges.default,
      examples: [keyAges.max],
    },
  },
  PremisesCompany: {
    name: companyHeader,
    in: 'header',
    description:
      'ID of the company that the request is for. Returns 409 and does nothing if the token is of another one.',
    schema: { ...uuid.jsonSchema('input'), examples: ['0198c7d2-6c5e-7e4b-9a59-2f6f6d4f6f10'] },
  },
  PremisesPerson: {
    name: personHeader,
    in: 'header',
    description:
      'ID of the person that the request is of. Returns 409 and does nothing if the token is of another one.',
    schema: { ...uuid.jsonSchema('input'), examples: ['0198c7d2-6c5e-7e4b-9a59-2f6f6d4f6f11'] },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`return=representation` returns the whole resource instead of the changed fields.',
    schema: { type: 'string', maxLength: headerLimit, examples: ['return=representation'] },
  },
  PreferHandling: {
    name: 'Prefer',
    in: 'header',
    description:
      'With `handling=lenient`, rows that are refused leave the others written, and each has its own answer. By default one refused row takes back all, and is the answer.',
    schema: { type: 'string', maxLength: headerLimit, examples: ['handling=lenient'] },
  },
  PreferWait: {
    name: 'Prefer',
    in: 'header',
    description: `\`wait=${maxWaitSeconds}\` waits up to this many seconds, at most ${maxWaitSeconds}, until there are changes.`,
    schema: { type: 'string', maxLength: headerLimit, examples: [`wait=${maxWaitSeconds}`] },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Position to continue from, an alternative to `after` that browsers send when they reconnect.',
    schema: { type: 'string', maxLength: 200, examples: ['OWY4YTBiMWMuODEyLjA'] },
  },
} satisfies Record<string, Part>;

/** The schemas of list arguments in REST, where they are more specific than their GraphQL types. */
const listParameters: Readonly<
  Record<string, { readonly description?: string; schema?(parameter: Parameter, value: JsonSchema): JsonSchema }>
> = {
  first: {
    description: 'Maximum number of rows to return.',
    schema: ({ defaultValue, extensions: { maxPageSize: maximum = maxPageSize } }) => ({
      ...count,
      minimum: 1,
      maximum,
      default: defaultValue,
    }),
  },
  groupLimit: {
    schema: ({ extensions: { maxPageSize: maximum } }) => ({ ...count, minimum: 1, maximum }),
  },
  after: {
    description:
      'Continue after this position: `meta.pagination.next_cursor` of an earlier page with the same order. Rows whose sort value changes meanwhile can be missed or repeated, and rows that become visible before the position are missed.',
    schema: () => ({ type: 'string', maxLength: cursorLength }),
  },
  offset: { description: 'Number of rows to skip.', schema: () => ({ ...count, default: 0 }) },
  sort: {
    description:
      'Field to sort by; ties are sorted by `id`, and unset values come last. Separate several fields with commas; each is ascending, or descending with a leading minus: `priority,-created_at`. A field of a related row is written with a dot: `building.name`; and so is what is computed of a list: `comments.count`. `order` is for a single field without a sign.',
    schema: (argument, value) => ({ anyOf: [value, sortKeys], default: defaultSort(argument).sort }),
  },
  order: { schema: (_, value) => ({ ...value, default: 'desc' }) },
};

/**
 * All parameters of an operation.
 * @param included the sub-resources that its rows can include
 * @param hasFields whether clients can name the fields of its rows
 */
export function parametersOf(
  route: Route,
  field: RootField,
  included: readonly string[],
  hasFields: boolean,
  schemas: Schemas,
): readonly Named[] {
  return [
    ...pathParameters(route, field),
    ...argumentParameters(route, field, schemas),
    ...(included.length > 0 ? [{ name: `${route.operation.type}Include`, part: includeParameter(included) }] : []),
    ...(hasFields ? [{ name: 'Fields', part: fieldsParameter }] : []),
    ...(['list', 'aggregate'].includes(route.operation.action) ? csvParameters : []),
    ...headersOf(route, field),
  ];
}

function pathParameters({ path, operation }: Route, { args }: RootField): Named[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, argumentName]) => {
    const argument = args.find(({ name }) => name === argumentName);
    if (!argument) throw new Error(`${operation.field} has no argument ${argumentName}, which ${path} names.`);
    const name = pathVariable(argument.name);
    const common = { name, in: 'path', required: true, description: argument.description };
    const scalar = getNamedType(argument.type).name;
    if (isFreeText(argument.type)) {
      const examples = [argument.extensions.example ?? exampleOf(scalar, columnOf(argument), operation.type)];
      return {
        name: `${operation.type}${name}`,
        part: { ...common, schema: { type: 'string', maxLength: 4096, examples } },
      };
    }
    const column = columnOf(argument);
    const key = column?.field.model ?? operation.type;
    return {
      name: `${name === 'id' ? '' : 'Parent'}${key}Id`,
      part: { ...common, schema: { ...uuid.jsonSchema('input'), examples: [exampleOf(scalar, column, key)] } },
    };
  });
}

function argumentParameters(route: Route, field: RootField, schemas: Schemas): Named[] {
  const { path } = route;
  const inPath = (argument: string) => path.split('/').includes(`:${argument}`);
  const parameters = queryParameters({ field, schema: schemas.schema, route }, inPath);
  const named = [...parameters].map(([name, parameter]) => {
    const list = parameter.toFilter ? undefined : listParameters[parameter.name];
    // The feed has positions of its own, in place of a list's cursors.
    const text = (!route.operation.isFeed && list?.description) || inRestNames(parameter.description ?? '', field.args);
    const value = schemas.parameter(parameter);
    return {
      name: `${pascalCase(name)}${pascalCase(getNamedType(parameter.type).name)}`,
      part: {
        name,
        in: 'query',
        ...(parameter.required && { required: true }),
        ...(isListType(parameter.type)
          ? separated(text, parameter, value)
          : { description: text, schema: list?.schema?.(parameter, value) ?? value }),
      },
    };
  });
  const filter = filterType(field.args);
  return filter ? [...named, { name: filter.name, part: filterParameter(filter, schemas) }] : named;
}

/** The parameter with a whole filter. */
const filterParameter = (type: GraphQLInputObjectType, schemas: Schemas): Part => ({
  name: 'filter',
  in: 'query',
  description:
    'Conditions that rows must match, as JSON, for conditions that the other parameters cannot express. Conditions on related rows require the read scope of those rows.',
  content: { 'application/json': { schema: schemas.filter(type) } },
});

/** The form of `sort` with several keys. */
const sortKeys = {
  type: 'string',
  maxLength: 500,
  pattern: '^[+ -]?[a-z_]+(\\.[a-z_]+)*(,[+ -]?[a-z_]+(\\.[a-z_]+)*)*$',
};

/**
 * A parameter that takes several values. Free text is declared as one text in which the client separates them:
 * generated clients that join an array would not quote the commas within its values.
 */
function separated(text: string, { type, literal }: Parameter, value: JsonSchema): Part {
  const description = `${text} Separate several values with commas.`;
  if (!isFreeText(type)) {
    const schema = { type: 'array', items: value, minItems: 1, maxItems: maxFilterValues };
    return { description, style: 'form', explode: false, schema };
  }
  return {
    description: `${description} Put a value that contains a comma or a double quote in double quotes, and double the quotes in it. \`${literal}\` takes one value as it is.`,
    schema: { type: 'string', pattern: separatedPattern, examples: ['Text,"Text, with a comma"'] },
  };
}

/** The `include` parameter. */
const includeParameter = (names: readonly string[]): Part => ({
  name: 'include',
  in: 'query',
  description: `Sub-resources to include in each row: the latest ${maxIncluded} of each, and their total number. Requires the read scope of each. Separate several values with commas.`,
  style: 'form',
  explode: false,
  schema: { type: 'array', minItems: 1, maxItems: maxFilterValues, items: { type: 'string', enum: names } },
});

/** The `fields` parameter. */
const fieldsParameter: Part = {
  name: 'fields',
  in: 'query',
  description: `Fields to answer with in place of all, in this order: the response has no others, whatever its schema requires. A field of a related row is written with a dot (\`building.name\`), through up to ${maxDepth} relations, and requires the read scope of that row. Separate several values with commas.`,
  style: 'form',
  explode: false,
  schema: {
    type: 'array',
    minItems: 1,
    maxItems: maxFields,
    items: { type: 'string', maxLength: 250, pattern: '^[a-z_]+(\\.[a-z_]+)*$', examples: ['id', 'created_at'] },
  },
};

/** How CSV is written. */
const csvParameters: readonly Named[] = [
  {
    name: 'CsvSeparator',
    part: {
      name: 'csv_separator',
      in: 'query',
      description: 'What separates the cells of CSV. Only for `Accept: text/csv`.',
      schema: { type: 'string', enum: Object.keys(csvSeparators), default: 'comma' },
    },
  },
  {
    name: 'CsvBom',
    part: {
      name: 'csv_bom',
      in: 'query',
      description:
        'Whether CSV begins with a byte-order mark, by which spreadsheets know UTF-8. Only for `Accept: text/csv`.',
      schema: { type: 'boolean', default: false },
    },
  },
];

/** The headers that an operation reads. */
function headersOf(
  { operation: { access, action, kind, isFeed = false, isStream = false } }: Route,
  { args }: RootField,
): Named[] {
  const takesKey = kind === 'Mutation' && ['create', 'batch', 'write', 'restore'].includes(action);
  const names: (keyof typeof headerParameters | false)[] = [
    action === 'read' && !isStream && 'IfNoneMatch',
    args.some(({ name }) => name === 'ifMatch') && 'IfMatch',
    action === 'update' && 'Prefer',
    action === 'write' && 'PreferHandling',
    isFeed && 'PreferWait',
    isFeed && 'LastEventId',
    takesKey && 'IdempotencyKey',
    takesKey && 'IdempotencyKeyMaxAge',
    access !== 'public' && 'PremisesCompany',
    access !== 'public' && 'PremisesPerson',
  ];
  return names.filter((name) => name !== false).map((name) => ({ name, part: headerParameters[name] }));
}

const pascalCase = (name: string) => name.replace(/(?:^|[\W_]+)(\w?)/g, (_, letter: string) => letter.toUpperCase());
