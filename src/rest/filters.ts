// The parameters that filter a list: each is a place in the filter of its root field.
import {
  assertInputType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
} from 'graphql';
import { badRequest } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { type ErrorCollector, findDuplicateName, type InputConventions, isObject, readInput } from '../input/index.ts';
import { parseJson } from '../json.ts';
import { lowerFirst } from '../names.ts';
import type { ListParameter, ListParameters } from '../resource/index.ts';
import { fieldName } from './names.ts';

/** A filter by GraphQL's names. */
export type Filter = Readonly<Record<string, unknown>>;

/** A parameter that filters. */
export interface FilterParameter {
  readonly type: GraphQLInputType;
  readonly description: string;
  /** The filter that its value stands for. */
  readonly toFilter: (value: unknown) => Filter;
  /** What takes one value as it is, of a parameter that takes several: `title[eq]` instead of `title`. */
  readonly literal?: string;
}

/** Parameters of every list that has these columns. */
const ofTimes: Readonly<Record<string, string>> = {
  createdAfter: 'createdAt.gte',
  createdBefore: 'createdAt.lt',
  updatedAfter: 'updatedAt.gte',
  updatedBefore: 'updatedAt.lt',
};

/**
 * The parameters of a filter, by REST's names: `status`, `end_date[gte]`, `building[code]`, and those that the
 * operation declares.
 *
 * @throws Error if one of those names a place that the filter does not have
 */
export function filterParameters(
  type: GraphQLInputObjectType,
  declared: ListParameters,
  schema: GraphQLSchema,
): Map<string, FilterParameter> {
  const found = new Map<string, FilterParameter>();
  for (const field of Object.values(type.getFields()))
    for (const [name, parameter] of fieldParameters(type, field)) found.set(name, parameter);
  const columns = type.getFields();
  const times = Object.entries(ofTimes).filter(([, path]) => (path.split('.')[0] ?? path) in columns);
  for (const [name, parameter] of [...times, ...Object.entries(declared)])
    found.set(fieldName(name), declaredParameter(type, parameter, schema));
  return found;
}

type Named = readonly [name: string, parameter: FilterParameter];

/** The parameters of a filter's field: of a column with its operators, or of the columns of a related row. */
function fieldParameters(filter: GraphQLInputObjectType, { name, type, extensions }: GraphQLInputField): Named[] {
  const conditions = getNamedType(type);
  if (!isInputObjectType(conditions) || conditions === filter) return [];
  const rest = fieldName(name);
  // Comparisons with other fields are for `filter` in JSON.
  const isShown = ([, { type }]: readonly [string, GraphQLInputField]) =>
    !isOperators(conditions) || isLeafType(getNamedType(type));
  const fields = Object.entries(conditions.getFields()).filter(isShown);
  if (isOperators(conditions))
    return [
      [rest, createFilterParameter(filter, [name, 'in'], `Filter by \`${name}\`.`)],
      ...fields.map(
        ([operator, { description }]): Named => [
          `${rest}[${fieldName(operator)}]`,
          createFilterParameter(filter, [name, operator], `\`${name}\`: ${lowerFirst(description ?? '')}`),
        ],
      ),
    ];
  if (extensions.relation !== 'one') return [];
  return fields.flatMap(
    ([
      column,
      {
        type: operators,
        extensions: { stored },
      },
    ]): Named[] => {
      // The reference itself is a parameter already.
      if (stored?.role === 'key' || !isOperators(getNamedType(operators))) return [];
      const description = `Filter by \`${column}\` of the \`${name}\`.`;
      return [[`${rest}[${fieldName(column)}]`, createFilterParameter(filter, [name, column, 'in'], description)]];
    },
  );
}

/** A parameter that an operation declares. @throws Error for a place that the list's filter does not have */
function declaredParameter(
  filter: GraphQLInputObjectType,
  parameter: ListParameter,
  schema: GraphQLSchema,
): FilterParameter {
  if (typeof parameter === 'string') {
    const path = parameter.split('.');
    return createFilterParameter(filter, path, describe(path));
  }
  return {
    type: new GraphQLList(assertInputType(schema.getType(parameter.type))),
    description: parameter.description,
    // Its type is a list of what REST has as strings.
    toFilter: (value) => parameter.filter(value as string[]),
  };
}

const isOperators = (type: GraphQLNamedType): boolean => isInputObjectType(type) && type.extensions.operators === true;

/** Creates the parameter for a place in a filter; a place that is a column takes any of several values. */
function createFilterParameter(
  type: GraphQLInputObjectType,
  path: readonly string[],
  description: string,
): FilterParameter {
  let at: GraphQLInputType = type;
  for (const step of path) at = fieldOf(at, step);
  const whole = isOperators(getNamedType(at)) ? [...path, 'in'] : path;
  if (whole !== path) at = fieldOf(at, 'in');
  const parameter = { type: getNullableType(at), description, toFilter: (value: unknown) => filterAt(whole, value) };
  return isListType(parameter.type) ? { ...parameter, literal: literalForm(whole) } : parameter;
}

/** What takes one value as it is, for a place that takes several. */
function literalForm(place: readonly string[]): string {
  const columns = place.slice(0, -1).map(fieldName);
  const operator = place.at(-1) === 'notIn' ? 'ne' : 'eq';
  if (columns.length === 1) return `${columns.join()}[${operator}]`;
  return `filter=${JSON.stringify(filterAt([...columns, operator], '…'))}`;
}

const filterAt = ([step = '', ...rest]: readonly string[], value: unknown): Filter => ({
  [step]: rest.length > 0 ? filterAt(rest, value) : value,
});

function fieldOf(type: GraphQLInputType, name: string): GraphQLInputType {
  const named = getNamedType(type);
  const field = isInputObjectType(named) ? named.getFields()[name] : undefined;
  if (!field) throw new Error(`${named.name} has no field ${name}.`);
  return field.type;
}

function describe(path: readonly string[]): string {
  const [column = '', operator] = path;
  if (operator === 'gte') return `Only rows whose \`${column}\` is this time or later.`;
  if (operator === 'lt') return `Only rows whose \`${column}\` is before this time.`;
  const last = path.at(-1) ?? '';
  return path.length > 1 ? `Filter by \`${last}\` of its \`${column}\`.` : `Another name for \`${column}\`.`;
}

/** A filter, and the parameter that it stands for. */
export interface NamedFilter {
  readonly name: string;
  readonly filter: Filter;
}

/** The filter of a list, and where it came from. */
export interface MergedFilter {
  readonly filter: Filter;
  /**
   * Names what the client wrote for a place such as `category.in`: a parameter, or the place in the parameter `filter`.
   */
  readonly writtenAs: (place: string) => string | undefined;
}

/** Combines filters, all of which must match. */
export function mergeFilters(filters: readonly NamedFilter[]): MergedFilter {
  let merged: Filter = {};
  const together: NamedFilter[] = [];
  const others: NamedFilter[] = [];
  for (const named of filters) {
    const both = merge(merged, named.filter);
    merged = both ?? merged;
    (both ? together : others).push(named);
  }
  // A list in the schema of filters.
  const own = (merged['and'] ?? []) as readonly Filter[];
  return {
    filter: others.length > 0 ? { ...merged, and: [...own, ...others.map(({ filter }) => filter)] } : merged,
    writtenAs(place) {
      const [first, n, ...rest] = place.split('.');
      const other = first === 'and' ? others[Number(n) - own.length] : undefined;
      return other ? nameOf([other], rest) : nameOf(together, place.split('.'));
    },
  };
}

/** @param steps a place, by REST's names */
function nameOf(filters: readonly NamedFilter[], steps: readonly string[]): string | undefined {
  const found = filters.find(({ filter }) => hasPlace(filter, steps));
  return found?.name === 'filter' ? ['filter', ...steps].join('.') : found?.name;
}

const hasPlace = (value: unknown, [step, ...rest]: readonly string[]): boolean =>
  step === undefined ||
  Object.entries(value ?? {}).some(([name, inner]) => fieldName(name) === step && hasPlace(inner, rest));

/** One filter for both; undefined if both have a value at one place. */
function merge(one: Filter, other: Filter): Filter | undefined {
  const merged: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = merged[name];
    const both = known === undefined ? value : isPlain(known) && isPlain(value) ? merge(known, value) : undefined;
    if (both === undefined) return undefined;
    merged[name] = both;
  }
  return merged;
}

/** Whether a value has conditions that can be merged: it is no date, and no condition on rows of a list. */
const isPlain = (value: unknown): value is Filter =>
  isObject(value) &&
  [null, Object.prototype].includes(Object.getPrototypeOf(value) as object | null) &&
  // Two conditions on rows of a list may be about different rows.
  !quantifiers.some((each) => each in value);

const quantifiers = ['some', 'none', 'every', 'not'];

const conventions: InputConventions = { nameOf: fieldName, isId: isUuid, wrapsSingleItems: false, maxItems: Infinity };

/**
 * Reads the parameter `filter`.
 * @param errors receives its errors
 * @throws ServiceError BAD_REQUEST when it is no JSON object
 */
export function readFilter(type: GraphQLInputObjectType, raw: string | string[], errors: ErrorCollector): Filter {
  if (Array.isArray(raw)) throw badRequest('must be given once');
  const json = parseObject(raw);
  // The value of an input object is one.
  return readInput(type, json, conventions, errors, 'filter').value as Filter;
}

function parseObject(text: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    // Not JSON at all.
  }
  if (!isObject(json)) throw badRequest('must be a JSON object');
  const duplicate = findDuplicateName(text);
  if (duplicate !== undefined) throw badRequest(`has an object with the duplicate name ${duplicate}`);
  return json;
}
