import type { FastifyRequest } from 'fastify';
import {
  assertLeafType,
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
} from 'graphql';
import { badRequest, ServiceError } from '../errors.ts';
import { typeOfScalar } from '../fields/index.ts';
import { isUuid } from '../formats.ts';
import { type CsvDialect, csvParameters } from '../http/csv.ts';
import { ErrorCollector, messages, readLeaf, suggest } from '../input/index.ts';
import { findPageSizeError, maxFilterValues } from '../resource/index.ts';
import { type FieldSelection, readFields } from './fields.ts';
import {
  type FilterParameter,
  filterParameters,
  type MergedFilter,
  mergeFilters,
  type NamedFilter,
  readFilter,
} from './filters.ts';
import { readInclude, type Subresource } from './include.ts';
import { defaultSort, parameterName } from './names.ts';
import type { RestOperation } from './operations.ts';
import { filteredField, findOwnParameters } from './other-parameters.ts';
import { splitSeparated } from './separated.ts';
import { isOrder, readOrder } from './sort.ts';

/** Variables of an operation, by GraphQL's names. */
export type Values = Readonly<Record<string, unknown>>;

/** The values in a request's path, by GraphQL's names. Fastify types what its router reads as unknown. */
export const pathValues = ({ params }: FastifyRequest) => params as Readonly<Record<string, string>>;

/** The values in a request's query, by REST's names; an array where one is repeated. */
const queryValues = ({ query }: FastifyRequest) => query as Readonly<Record<string, string | string[]>>;

/** A query parameter, and the argument or part of the filter that it sets. */
export interface Parameter {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** The filter that its value stands for; undefined for an argument. */
  readonly toFilter?: FilterParameter['toFilter'];
  readonly literal?: FilterParameter['literal'];
  readonly required: boolean;
  readonly description?: string | null;
  readonly defaultValue?: unknown;
  readonly extensions: GraphQLArgument['extensions'];
}

/** Whether the values of an input are free text. */
export const isFreeText = (type: GraphQLInputType): boolean =>
  typeOfScalar(getNamedType(type).name)?.isFreeText === true;

/** The query parameters of an operation, by REST's names. @param inPath whether an argument is in the path */
export function queryParameters(
  { field: { args }, schema, route: { operation } }: Pick<RestOperation, 'field' | 'schema' | 'route'>,
  inPath: (argument: string) => boolean,
): Map<string, Parameter> {
  const parameters = new Map<string, Parameter>();
  const type = filterType(args);
  if (type)
    for (const [name, filter] of filterParameters(type, operation.parameters ?? {}, schema))
      parameters.set(name, { name, ...filter, extensions: {}, required: false });
  for (const argument of args) {
    const { name, type, description, defaultValue, extensions } = argument;
    // Some are headers in REST.
    if (extensions.rest === false || ['input', 'id'].includes(name) || inPath(name)) continue;
    const required = isRequiredArgument(argument);
    // It hides a column of its name: `order` is the order of the list, also where rows have an `order`.
    parameters.set(parameterName(argument), { name, type, description, defaultValue, extensions, required });
  }
  return parameters;
}

/** The type of a list's filter. */
export function filterType(args: readonly GraphQLArgument[]): GraphQLInputObjectType | undefined {
  const type = getNamedType(args.find(({ name }) => name === 'filter')?.type);
  return isInputObjectType(type) ? type : undefined;
}

/** The input in a request's path and query. */
export interface ParameterInput {
  /** The variables set by the path and the query. */
  readonly variables: Values;
  /** The sub-resources to include in each row. */
  readonly include: readonly Subresource[];
  /** The fields to answer with; undefined for all. */
  readonly fields: FieldSelection | undefined;
  /** How CSV is written. */
  readonly csv: CsvDialect;
  /** Names what the client wrote for a place of the filter. */
  readonly writtenAs: MergedFilter['writtenAs'];
}

/**
 * Creates the function that reads the path and the query of an operation's requests. Every parameter must be known and
 * of its type.
 * @returns a function that throws a ServiceError BAD_REQUEST with all errors
 */
export function createParameterReader(restOperation: RestOperation) {
  const accepted = findAcceptedParameters(restOperation);
  return (request: FastifyRequest): ParameterInput => {
    assertEncoded(request.url);
    const reading = new ParameterReader(accepted, queryValues(request));
    reading.readPath(pathValues(request));
    reading.readQuery();
    return reading.result();
  };
}

/** Refuses a percent-encoding that is not UTF-8, which Fastify leaves as it is. @throws ServiceError BAD_REQUEST */
function assertEncoded(url: string): void {
  if (!url.includes('%')) return;
  try {
    decodeURIComponent(url);
  } catch {
    throw badRequest('The address has an invalid percent-encoding.');
  }
}

/** What the path and the query of an operation's requests may contain. */
interface AcceptedParameters {
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly required: readonly string[];
  /** All names that the query may have, for suggestions. */
  readonly known: readonly string[];
  readonly subresources: readonly Subresource[];
  /** The type of the rows whose fields can be named. */
  readonly related: RestOperation['related'];
  /** Whether it is a list, which can be CSV. */
  readonly isList: boolean;
  /** The type of the filter, of a list. */
  readonly filter: GraphQLInputObjectType | undefined;
  /** The type of the sort keys, of a list. */
  readonly order: GraphQLInputObjectType | undefined;
  /** Whether a value in the path is free text rather than an id. */
  readonly isFreeText: (name: string) => boolean;
}

function findAcceptedParameters(restOperation: RestOperation): AcceptedParameters {
  const { field, route, subresources, related } = restOperation;
  const isList = ['list', 'aggregate'].includes(route.operation.action);
  const inPath = new Set([...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name));
  const parameters = queryParameters(restOperation, (argument) => inPath.has(argument));
  const filter = filterType(field.args);
  const order = getNamedType(field.args.find(({ name }) => name === 'orderBy')?.type);
  return {
    parameters,
    required: [...parameters].flatMap(([name, parameter]) => (parameter.required ? [name] : [])),
    known: [
      ...parameters.keys(),
      ...(filter ? ['filter'] : []),
      ...(subresources.length > 0 ? ['include'] : []),
      ...(related ? ['fields'] : []),
      ...(isList ? csvParameters.keys() : []),
    ],
    subresources,
    related,
    isList,
    filter,
    order: isInputObjectType(order) ? order : undefined,
    isFreeText: (name) => field.args.some((arg) => arg.name === name && isFreeText(arg.type)),
  };
}

/** Reads the path and the query of one request, and collects their errors. */
class ParameterReader {
  private readonly errors = new ErrorCollector();
  private readonly variables: Record<string, unknown>;
  private readonly filters: NamedFilter[] = [];
  private include: readonly Subresource[] = [];
  private fields: FieldSelection | undefined;
  private csv: CsvDialect = {};
  /** The sort, if it is of the form that has several keys. */
  private readonly sortKeys: string | undefined;

  constructor(
    private readonly accepted: AcceptedParameters,
    private readonly query: ReturnType<typeof queryValues>,
  ) {
    const by = accepted.parameters.get('sort');
    this.variables = by?.name === 'sort' ? defaultSort(by) : {};
    const { sort } = query;
    this.sortKeys = accepted.order && typeof sort === 'string' && isOrder(sort) ? sort : undefined;
  }

  /** Reads the values in the path. */
  readPath(ids: ReturnType<typeof pathValues>): void {
    for (const [name, value] of Object.entries(ids))
      if (!this.accepted.isFreeText(name) && !isUuid(value)) this.errors.add(name, messages.uuid);
    Object.assign(this.variables, ids);
  }

  /** Reads the parameters of the query. */
  readQuery(): void {
    for (const [name, raw] of Object.entries(this.query)) {
      if (this.errors.isFull) break;
      try {
        this.readParameter(name, raw);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        this.errors.add(name, error.reason);
      }
    }
    for (const name of this.accepted.required) if (!(name in this.query)) this.errors.add(name, messages.required);
  }

  /** @throws ServiceError BAD_REQUEST with all errors */
  result(): ParameterInput {
    if (!this.errors.isEmpty) throw refuse(this.errors);
    const { filter, writtenAs } = mergeFilters(this.filters);
    const variables = this.accepted.filter ? { ...this.variables, filter } : this.variables;
    const { include, fields, csv } = this;
    return { variables, include, fields, csv, writtenAs };
  }

  /** Sets what a parameter of the query stands for. @throws ServiceError BAD_REQUEST */
  private readParameter(name: string, raw: string | string[]): void {
    const { parameters, order, filter, subresources, related, known } = this.accepted;
    const parameter = parameters.get(name);
    if (this.sortKeys !== undefined && order && name === 'sort')
      this.variables['orderBy'] = readOrder(order, this.sortKeys);
    else if (this.sortKeys !== undefined && name === 'order')
      throw badRequest('cannot be combined with this sort; write -field for descending order');
    else if (parameter?.toFilter)
      this.filters.push({ name, filter: parameter.toFilter(parseParameter(parameter, raw)) });
    else if (parameter) this.variables[parameter.name] = parseParameter(parameter, raw);
    else if (name === 'filter' && filter) this.filters.push({ name, filter: readFilter(filter, raw, this.errors) });
    else if (name === 'include' && subresources.length > 0) this.include = readInclude(raw, subresources);
    else if (name === 'fields' && related) this.fields = readFields(raw, related());
    else if (this.accepted.isList && csvParameters.has(name)) this.readCsvParameter(name, raw);
    else this.errors.add(name, explainUnknown(name, known));
  }

  /** @throws ServiceError BAD_REQUEST */
  private readCsvParameter(name: string, raw: string | string[]): void {
    if (Array.isArray(raw)) throw badRequest('must be given once');
    this.csv = { ...this.csv, ...csvParameters.get(name)?.(raw) };
  }
}

/** @param known the parameters; of those in brackets only the ones of the same field help */
function explainUnknown(name: string, known: readonly string[]): string {
  const filtered = filteredField(name);
  if (filtered !== undefined && !known.includes(filtered)) return explainUnknown(filtered, known);
  const own = filtered === undefined ? findOwnParameters(name, known) : [filtered];
  if (own.length > 0) return `is not a parameter here; use ${own.join(' and ')}`;
  const [field = '', bracket] = name.split('[', 2);
  const same = bracket === undefined ? [] : known.filter((each) => each.startsWith(`${field}[`));
  if (bracket !== undefined && same.length === 0 && known.includes('filter'))
    return 'is not a parameter here; the parameter filter takes conditions on lists, and on lists of related rows';
  const suggestion = suggest(name, same.length > 0 ? same : known, parameterName({ name, extensions: {} }));
  return same.length > 0
    ? `is not a parameter here${suggestion || '.'} In brackets ${field} takes ${bracketsOf(same)}.`
    : `is not a parameter here${suggestion}`;
}

const bracketsOf = (names: readonly string[]): string =>
  names.map((name) => name.slice(name.indexOf('[') + 1, -1)).join(', ');

const refuse = ({ found }: ErrorCollector) =>
  badRequest(
    Object.entries(found)
      .map(([name, message]) => `${name}: ${message}`)
      .join('; '),
  );

/**
 * Parses a parameter; one that takes a list accepts values separated by commas or repeated.
 *
 * @throws ServiceError BAD_REQUEST
 */
function parseParameter({ name, type, toFilter, literal, extensions }: Parameter, raw: string | string[]): unknown {
  const given = Array.isArray(raw) ? raw : [raw];
  const leaf = assertLeafType(getNamedType(type));
  const read = (text: string) => readLeaf(leaf, text, 'text', isUuid);
  if (isListType(type)) return readSeparated(given, literal, read);
  if (given.length > 1) throw badRequest('must be given once');
  const value = read(given[0] ?? '');
  const pageSizeError = name === 'first' && !toFilter && findPageSizeError(Number(value), extensions.maxPageSize);
  if (pageSizeError) throw badRequest(pageSizeError);
  return value;
}

/**
 * Reads the values of a parameter that takes several.
 *
 * @param literal how to write a single value with commas, which an error tells whoever may not have meant several
 * @throws ServiceError BAD_REQUEST
 */
function readSeparated(given: readonly string[], literal: string | undefined, read: (text: string) => unknown) {
  try {
    const texts = given.flatMap(splitSeparated);
    if (texts.length > maxFilterValues) throw badRequest(messages.tooManyValues(maxFilterValues));
    return texts.map(read);
  } catch (error) {
    const hasCommas = given.some((text) => /[,"]/.test(text));
    if (!(error instanceof ServiceError) || literal === undefined || !hasCommas) throw error;
    throw badRequest(`${error.reason}; commas separate values here, ${literal} takes one as it is`);
  }
}
