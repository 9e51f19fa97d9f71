import type { FastifyRequest } from 'fastify';
import {
  type GraphQLField,
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
import { type Includable, readInclude } from './include.ts';
import { defaultSort, fieldName, parameterName } from './names.ts';
import type { RestOperation } from './operations.ts';

/** Variables of an operation, by GraphQL's names. */
export type Values = Readonly<Record<string, unknown>>;

/** A query parameter, and the argument or filter condition that it sets. */
export interface Parameter {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly filter: boolean;
  readonly required: boolean;
  readonly description?: string | null;
  readonly defaultValue?: unknown;
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** The query parameters of a root field, by REST's names. @param inPath whether an argument is in the path */
export function queryParameters(
  { args }: GraphQLField<unknown, unknown>,
  inPath: (argument: string) => boolean,
): Map<string, Parameter> {
  const filterType = args.find(({ name }) => name === 'filter')?.type;
  const filters = isInputObjectType(filterType) ? Object.values(filterType.getFields()) : [];
  const parameters = new Map<string, Parameter>();
  for (const { name, type, description, extensions } of filters)
    parameters.set(fieldName(name), { name, type, description, extensions, filter: true, required: false });
  for (const argument of args) {
    const { name, type, description, defaultValue, extensions } = argument;
    // Some are headers in REST.
    if (extensions['rest'] === false || ['filter', 'input', 'id'].includes(name) || inPath(name)) continue;
    const required = isRequiredArgument(argument);
    const parameter = { name, type, description, defaultValue, extensions, filter: false, required };
    parameters.set(parameterName(argument), parameter);
  }
  return parameters;
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
export function createAddressReader({ field, route, subresources }: RestOperation) {
  const inPath = new Set([...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name));
  const parameters = queryParameters(field, (argument) => inPath.has(argument));
  const required = [...parameters].flatMap(([name, parameter]) => (parameter.required ? [name] : []));
  const known = [...parameters.keys(), ...(subresources.length > 0 ? ['include'] : [])];
  const takesFilter = field.args.some(({ name }) => name === 'filter');
  const isText = (name: string) =>
    field.args.some((arg) => arg.name === name && getNamedType(arg.type).name === 'String');

  return ({ params, query }: FastifyRequest): AddressInput => {
    const errors = new InputErrors();
    const ids = params as Readonly<Record<string, string>>;
    for (const [name, value] of Object.entries(ids))
      if (!isText(name) && !isUuid(value)) errors.add(name, 'must be a uuid');

    const variables: Record<string, unknown> = { ...(parameters.has('sort') && defaultSort), ...ids };
    const filter: Record<string, unknown> = {};
    let include: readonly Includable[] = [];
    const given = query as Readonly<Record<string, string | string[]>>;
    for (const [name, raw] of Object.entries(given)) {
      if (errors.isFull) break;
      const parameter = parameters.get(name);
      try {
        if (parameter) (parameter.filter ? filter : variables)[parameter.name] = readParameter(name, parameter, raw);
        else if (known.includes(name)) include = readInclude(raw, subresources);
        else errors.add(name, explainUnknown(name, known));
      } catch (error) {
        if (!(error instanceof InvalidValue)) throw error;
        errors.add(name, error.message);
      }
    }
    for (const name of required) if (!(name in given)) errors.add(name, 'is required');
    if (!errors.isEmpty) throw refuse(errors);
    return { variables: takesFilter ? { ...variables, filter } : variables, include };
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
function readParameter(name: string, { type, filter }: Parameter, raw: string | string[]): unknown {
  const given = Array.isArray(raw) ? raw : [raw];
  const leaf = getNamedType(type) as GraphQLLeafType;
  const read = (text: string) => readLeaf(leaf, text, 'text', isUuid);
  if (isListType(type)) return given.flatMap(leaf.name === 'String' ? splitTexts : splitValues).map(read);
  if (given.length > 1) throw new InvalidValue('must be given once');
  const value = read(given[0] ?? '');
  if (name === 'limit' && !filter && !isPageSize(value)) throw new InvalidValue(`must be between 1 and ${maxPageSize}`);
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
