import { closest } from 'fastest-levenshtein';
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
} from 'graphql';
import { badRequest, type FieldErrors } from '../errors.ts';
import { largestPage } from '../resource/lists.ts';
import { InvalidValue } from '../resource/scalars.ts';
import { isUuid } from '../resource/validate.ts';
import { fieldName, parameterName } from './names.ts';

type Values = Record<string, unknown>;
type RootField = GraphQLField<unknown, unknown>;

/** What a scalar of the schema reads a text or JSON value as; throws with what it must be. */
const readers: Record<string, { text(value: string): unknown; json(value: unknown): unknown }> = {
  ID: { text: readUuid, json: readUuid },
  String: {
    text: (value) => must(!value.includes('\0'), 'free of NUL', value),
    json: (value) => must(typeof value === 'string', 'a string', value),
  },
  Int: { text: (value) => readInteger(/^-?\d+$/.test(value) ? Number(value) : NaN), json: readInteger },
  Float: {
    text: (value) =>
      must(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) && Number.isFinite(Number(value)), 'a number', Number(value)),
    json: (value) => must(typeof value === 'number' && Number.isFinite(value), 'a number', value),
  },
  Boolean: {
    text: (value) => must(value === 'true' || value === 'false', 'true or false', value === 'true'),
    json: (value) => must(typeof value === 'boolean', 'true or false', value),
  },
};

function must<T>(holds: boolean, expected: string, value: T): T {
  if (!holds) throw new InvalidValue(`must be ${expected}`);
  return value;
}
function readUuid(value: unknown) {
  return must(isUuid(value), 'a uuid', value);
}
function readInteger(value: unknown) {
  const fits = Number.isInteger(value) && (value as number) >= -(2 ** 31) && (value as number) < 2 ** 31;
  return must(fits, 'a whole number of at most 2147483647', value);
}

/** Checks a value that is no object or list. Scalars of our own (dates, words) are checked by themselves and read later. */
function readLeaf(type: GraphQLInputType, value: unknown, as: 'text' | 'json'): unknown {
  const named = getNamedType(type);
  const reader = readers[named.name];
  if (reader) return as === 'text' ? reader.text(String(value)) : reader.json(value);
  if ('parseValue' in named) named.parseValue(value);
  return value;
}

/** How lists are sorted unless asked, in REST's words, which the defaults of GraphQL are not. */
export const defaultSort = { sort: 'created_at', order: 'desc' };

/**
 * Reads what a path names its row by: ids, or whatever text the operation looks up.
 * @throws ServiceError BAD_REQUEST for an id that is no uuid
 */
export function readPath({ args }: RootField, params: Readonly<Record<string, string>>): Values {
  const isText = (name: string) => args.some((arg) => arg.name === name && getNamedType(arg.type).name === 'String');
  for (const [name, value] of Object.entries(params))
    if (!isText(name) && !isUuid(value)) throw badRequest('must be a uuid', name);
  return params;
}

/** A query parameter, and the argument or the condition of `filter` that it stands for. */
export interface Parameter {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly filter: boolean;
  readonly required: boolean;
  readonly description?: string | null;
  readonly defaultValue?: unknown;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/**
 * The query parameters of a root field, by REST's names.
 * @param inPath which arguments the path carries
 */
export function queryParameters({ args }: RootField, inPath: (argument: string) => boolean): Map<string, Parameter> {
  const filterType = args.find(({ name }) => name === 'filter')?.type;
  const filters = isInputObjectType(filterType) ? Object.values(filterType.getFields()) : [];
  const parameters = new Map<string, Parameter>();
  for (const { name, type, description, extensions } of filters)
    parameters.set(fieldName(name), { name, type, description, extensions, filter: true, required: false });
  for (const argument of args) {
    const { name, type, description, defaultValue, extensions } = argument;
    // REST says some of them in headers.
    if (argument.extensions['rest'] === false) continue;
    if (name !== 'filter' && name !== 'input' && name !== 'id' && !inPath(name)) {
      parameters.set(parameterName(argument), {
        name,
        type,
        description,
        defaultValue,
        extensions,
        filter: false,
        required: isRequiredArgument(argument),
      });
    }
  }
  return parameters;
}

/**
 * Reads a query string into a list's arguments: every parameter must be known and of its type.
 * @param others parameters that are no arguments, and read elsewhere
 * @throws ServiceError BAD_REQUEST naming the parameter
 */
export function readQuery(
  field: RootField,
  path: Values,
  query: Readonly<Record<string, string | string[]>>,
  others: readonly string[] = [],
): Values {
  const parameters = queryParameters(field, (name) => name in path);
  const variables: Values = parameters.has('sort') ? { ...defaultSort } : {};
  const filter: Values = {};
  for (const [given, raw] of Object.entries(query)) {
    if (others.includes(given)) continue;
    const parameter = parameters.get(given);
    if (!parameter)
      throw badRequest(`${given}: is not a parameter here${suggestion(given, [...parameters.keys(), ...others])}`);
    const target = parameter.filter ? filter : variables;
    try {
      target[parameter.name] = readParameter(parameter.type, raw);
    } catch (error) {
      if (error instanceof InvalidValue) throw badRequest(`${given}: ${error.message}`);
      throw error;
    }
  }
  for (const [name, { required }] of parameters)
    if (required && !(name in query)) throw badRequest(`${name}: is required`);
  const limit = variables['first'];
  if (typeof limit === 'number' && (limit < 1 || limit > largestPage))
    throw badRequest(`limit: must be between 1 and ${largestPage}`);
  return field.args.some(({ name }) => name === 'filter') ? { ...variables, filter } : variables;
}

/** Several values, comma-separated or repeated, mean any of them where a list is taken. */
function readParameter(type: GraphQLInputType, raw: string | string[]): unknown {
  const given = Array.isArray(raw) ? raw : [raw];
  if (isListType(type))
    return given.flatMap((text) => text.split(',')).map((text) => readLeaf(type, text.trim(), 'text'));
  if (given.length > 1) throw new InvalidValue('must be given once');
  return readLeaf(type, given[0] ?? '', 'text');
}

/** A body as far as it can be read, and everything that is wrong with the rest. */
export interface ReadBody {
  readonly input: Values;
  /** By REST's names. */
  readonly faults: FieldErrors;
}

/**
 * Reads a JSON body into the `input` argument.
 * @param shown the fields of the resource, which are read-only unless `type` takes them
 * @throws ServiceError BAD_REQUEST when it is no JSON object
 */
export function readBody(type: GraphQLInputObjectType, body: unknown, shown: readonly string[]): ReadBody {
  if (!isObject(body)) throw badRequest('The body must be a JSON object.');
  // Without a prototype: a client's field may be called anything, `__proto__` too.
  const faults = Object.create(null) as FieldErrors;
  const input = readObject(type, body, '', faults);
  for (const name of Object.keys(faults))
    if (!knows(type, name) && shown.includes(name)) faults[name] = 'is read-only here';
  return { input, faults };
}

const knows = (type: GraphQLInputObjectType, name: string) =>
  Object.keys(type.getFields()).some((field) => fieldName(field) === name);

function readObject(type: GraphQLInputObjectType, body: Values, prefix: string, faults: FieldErrors): Values {
  const fields = new Map(Object.values(type.getFields()).map((field) => [fieldName(field.name), field]));
  const input: Values = {};
  for (const [name, field] of fields) {
    if (isNonNullType(field.type) && !Object.hasOwn(body, name)) faults[prefix + name] = 'is required';
  }
  for (const [name, value] of Object.entries(body)) {
    const field = fields.get(name);
    if (!field) faults[prefix + name] = `is not a field here${suggestion(name, [...fields.keys()])}`;
    else {
      const read = readValue(field.type, value, prefix + name, faults);
      if (read !== undefined) input[field.name] = read;
    }
  }
  return input;
}

/** Reads one value; undefined when it has a fault. */
function readValue(type: GraphQLInputType, value: unknown, path: string, faults: FieldErrors): unknown {
  if (isNonNullType(type)) {
    if (value !== null) return readValue(type.ofType, value, path, faults);
    faults[path] = 'must not be null';
    return undefined;
  }
  if (value === null) return null;
  if (isListType(type)) {
    if (Array.isArray(value))
      return value.map((item, index) => readValue(type.ofType, item, `${path}.${index}`, faults));
    faults[path] = 'must be an array';
    return undefined;
  }
  if (isInputObjectType(type)) {
    if (isObject(value)) return readObject(type, value, `${path}.`, faults);
    faults[path] = 'must be an object';
    return undefined;
  }
  try {
    return readLeaf(type, value, 'json');
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    faults[path] = error.message;
    return undefined;
  }
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The nearest name there is, for whoever mistyped one. */
function suggestion(given: string, known: readonly string[]): string {
  const restSchema = parameterName({ name: given, extensions: {} });
  return known.length > 0 ? `; did you mean ${known.includes(restSchema) ? restSchema : closest(given, known)}?` : '';
}
