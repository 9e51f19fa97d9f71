import type { FastifyRequest } from 'fastify';
import {
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  getNamedType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
} from 'graphql';
import { badRequest } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { InputErrors, InvalidValue, readLeaf, suggest } from '../input/index.ts';
import { maxPageSize } from '../resource/index.ts';
import { type Filter, type FilterParameter, filterParameters, mergeFilters, readFilter } from './filters.ts';
import { type Includable, readInclude } from './include.ts';
import { defaultSort, parameterName } from './names.ts';
import type { RestOperation } from './operations.ts';
import { isOrder, readOrder } from './sort.ts';

/** Variables of an operation, by GraphQL's names. */
export type Values = Readonly<Record<string, unknown>>;

/** A query parameter, and the argument or part of the filter that it sets. */
export interface Parameter {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** The filter that its value stands for; undefined for an argument. */
  readonly toFilter?: FilterParameter['toFilter'];
  readonly required: boolean;
  readonly description?: string | null;
  readonly defaultValue?: unknown;
  readonly extensions: Readonly<Record<string, unknown>>;
}

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
    if (extensions['rest'] === false || ['input', 'id'].includes(name) || inPath(name)) continue;
    const required = isRequiredArgument(argument);
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
export interface AddressInput {
  /** The variables set by the path and the query. */
  readonly variables: Values;
  /** The sub-resources to include in each row. */
  readonly include: readonly Includable[];
}

/**
 * Creates the function that reads the path and the query of an operation's requests. Every parameter must be known and
 * of its type.
 * @returns a function that throws a ServiceError BAD_REQUEST with all errors
 */
export function createAddressReader(restOperation: RestOperation) {
  const { field, route, subresources } = restOperation;
  const inPath = new Set([...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name));
  const parameters = queryParameters(restOperation, (argument) => inPath.has(argument));
  const required = [...parameters].flatMap(([name, parameter]) => (parameter.required ? [name] : []));
  const filtered = filterType(field.args);
  const known = [
    ...parameters.keys(),
    ...(filtered ? ['filter'] : []),
    ...(subresources.length > 0 ? ['include'] : []),
  ];
  const order = getNamedType(field.args.find(({ name }) => name === 'orderBy')?.type);
  const isText = (name: string) =>
    field.args.some((arg) => arg.name === name && getNamedType(arg.type).name === 'String');

  return ({ params, query }: FastifyRequest): AddressInput => {
    const errors = new InputErrors();
    const ids = params as Readonly<Record<string, string>>;
    for (const [name, value] of Object.entries(ids))
      if (!isText(name) && !isUuid(value)) errors.add(name, 'must be a uuid');

    const variables: Record<string, unknown> = { ...(parameters.has('sort') && defaultSort), ...ids };
    const filters: Filter[] = [];
    let include: readonly Includable[] = [];
    const given = query as Readonly<Record<string, string | string[]>>;
    const sort = given['sort'];
    const keys = isInputObjectType(order) && typeof sort === 'string' && isOrder(sort) ? order : undefined;
    const read = (name: string, raw: string | string[]) => {
      const parameter = parameters.get(name);
      if (name === 'sort' && keys) variables['orderBy'] = readOrder(keys, raw as string);
      else if (name === 'order' && keys)
        throw new InvalidValue('cannot be combined with this sort; write -field to descend');
      else if (parameter?.toFilter) filters.push(parameter.toFilter(readParameter(name, parameter, raw)));
      else if (parameter) variables[parameter.name] = readParameter(name, parameter, raw);
      else if (name === 'filter' && filtered) filters.push(readFilter(filtered, raw, errors));
      else if (name === 'include' && subresources.length > 0) include = readInclude(raw, subresources);
      else errors.add(name, explainUnknown(name, known));
    };
    for (const [name, raw] of Object.entries(given)) {
      if (errors.isFull) break;
      try {
        read(name, raw);
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
        errors.add(name, error.message);
      }
    }
    for (const name of required) if (!(name in given)) errors.add(name, 'is required');
    if (!errors.isEmpty) throw refuse(errors);
    return { variables: filtered ? { ...variables, filter: mergeFilters(filters) } : variables, include };
  };
}

const explainUnknown = (name: string, known: readonly string[]) =>
  `is not a parameter here${suggest(name, known, parameterName({ name, extensions: {} }))}`;

const refuse = ({ found }: InputErrors) =>
  badRequest(
    Object.entries(found)
      .map(([name, message]) => `${name}: ${message}`)
      .join('; '),
  );

/** Parses a parameter; one that takes a list accepts values separated by commas or repeated. @throws InvalidValue */
function readParameter(name: string, { type, toFilter }: Parameter, raw: string | string[]): unknown {
  const given = Array.isArray(raw) ? raw : [raw];
  const leaf = getNamedType(type) as GraphQLLeafType;
  const read = (text: string) => readLeaf(leaf, text, 'text', isUuid);
  if (isListType(type)) return given.flatMap(leaf.name === 'String' ? splitTexts : splitValues).map(read);
  if (given.length > 1) throw new InvalidValue('must be given once');
  const value = read(given[0] ?? '');
  if (name === 'limit' && !toFilter && !isPageSize(value))
    throw new InvalidValue(`must be between 1 and ${maxPageSize}`);
  return value;
}

const quotedOrPlain = /\s*(?:"((?:[^"]|"")*)"\s*|([^\s",][^,]*)?)(,|$)/y;

const splitValues = (text: string): string[] => text.split(',').map((value) => value.trim());

/** Splits texts at commas, except those in double quotes, as CSV does. @throws InvalidValue */
function splitTexts(text: string): string[] {
  const values: string[] = [];
  quotedOrPlain.lastIndex = 0;
  for (let end: string | undefined; end !== ''; ) {
    const found = quotedOrPlain.exec(text);
    if (!found) throw new InvalidValue('must have a closing quote at the end of a quoted value');
    const [, quoted, plain = ''] = found;
    values.push(quoted?.replaceAll('""', '"') ?? plain.trim());
    end = found[3];
  }
  return values;
}

const isPageSize = (value: unknown) => Number(value) >= 1 && Number(value) <= maxPageSize;
