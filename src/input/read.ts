import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { ServiceError } from '../errors.ts';
import { ExactNumber } from '../json.ts';
import { ErrorCollector } from './error-collector.ts';
import { readLeaf } from './leaves.ts';
import { Literal, readLiteral } from './literals.ts';
import { messages } from './messages.ts';
import { suggest } from './suggest.ts';

/** The conventions of an API's input. */
export interface InputConventions {
  /** The API's name of a schema field. */
  readonly nameOf: (field: string) => string;
  /** Whether the API accepts a value as an ID. */
  readonly isId: (value: unknown) => boolean;
  /** Whether a single value is accepted as a list of one. */
  readonly wrapsSingleItems: boolean;
  /**
   * Whether the API shows a field, by the API's name, in the resource that this input writes: if it does but cannot be
   * written, it is read-only.
   */
  readonly shows?: (type: GraphQLInputObjectType, name: string) => boolean;
  /** Maximum number of items of a list without `extensions.maxItems`; 500 by default. */
  readonly maxItems?: number;
}

/** Maximum depth of values, far deeper than any input type nests. */
const maxDepth = 32;

type Values = Record<string, unknown>;

/** The position of a value. */
interface ValuePosition {
  /** Field names and positions, `line_items.3.quantity`; empty for the whole input. */
  readonly path: string;
  readonly depth: number;
  /** The input field that the value is for. */
  readonly field?: Pick<GraphQLInputField, 'extensions'>;
}

/**
 * Reads a value strictly as an input type, and reports all errors at once.
 *
 * @param value JSON, or what `literalOf` returns
 * @param path prefix of the field names in errors, if any
 * @param errors receives the errors, by path
 * @returns the value by the schema's names, as a variable of an operation, without its invalid parts
 */
export function readInput(
  type: GraphQLInputType,
  value: unknown,
  conventions: InputConventions,
  errors: ErrorCollector = new ErrorCollector(),
  path = '',
): { value: unknown; errors: ErrorCollector } {
  return { value: readValue(type, value, { path, depth: 0 }, conventions, errors), errors };
}

/** Reads one value; undefined when it is invalid. */
function readValue(
  type: GraphQLInputType,
  value: unknown,
  position: ValuePosition,
  conventions: InputConventions,
  errors: ErrorCollector,
): unknown {
  if (value instanceof Literal && value.isVariable) return value;
  if (isNonNullType(type)) {
    if (value !== null) return readValue(type.ofType, value, position, conventions, errors);
    return refuse(position, messages.notNull, errors);
  }
  if (value === null) return null;
  if (position.depth > maxDepth) return refuse(position, 'is nested too deeply', errors);
  if (isListType(type)) {
    if (Array.isArray(value)) return readList(type.ofType, value, position, conventions, errors);
    if (conventions.wrapsSingleItems) return readValue(type.ofType, value, position, conventions, errors);
    return refuse(position, 'must be an array', errors);
  }
  if (isInputObjectType(type)) {
    if (isObject(value)) return readObject(type, value, position, conventions, errors);
    return refuse(position, 'must be an object', errors);
  }
  try {
    return value instanceof Literal
      ? readLiteral(type, value, conventions.isId)
      : readLeaf(type, value, 'json', conventions.isId);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return refuse(position, error.reason, errors);
  }
}

function readList(
  type: GraphQLInputType,
  items: unknown[],
  position: ValuePosition,
  conventions: InputConventions,
  errors: ErrorCollector,
): unknown {
  const { minItems = 0, maxItems = conventions.maxItems ?? 500 } = position.field?.extensions ?? {};
  // Before any item is read, as there may be very many.
  if (items.length > maxItems) return refuse(position, messages.tooManyValues(maxItems), errors);
  if (items.length < minItems)
    return refuse(position, minItems === 1 ? messages.notEmpty : `must have at least ${minItems} values`, errors);
  const read: unknown[] = [];
  for (const [index, item] of items.entries()) {
    if (errors.isFull) break;
    read.push(readValue(type, item, inside(position, String(index)), conventions, errors));
  }
  return read;
}

function readObject(
  type: GraphQLInputObjectType,
  given: Values,
  position: ValuePosition,
  conventions: InputConventions,
  errors: ErrorCollector,
): Values {
  const fields = Object.values(type.getFields());
  const byName = new Map(fields.map((field) => [conventions.nameOf(field.name), field]));
  const read: Values = {};
  for (const [name, field] of byName)
    if (isRequiredInputField(field) && !Object.hasOwn(given, name))
      refuse(inside(position, name), messages.required, errors);
  for (const [name, value] of Object.entries(given)) {
    if (errors.isFull) break;
    const field = byName.get(name);
    if (!field) {
      refuse(inside(position, name), explainUnknown(type, name, [...byName.keys()], conventions), errors);
      continue;
    }
    const result = readValue(field.type, value, { ...inside(position, name), field }, conventions, errors);
    if (result !== undefined) read[field.name] = result;
  }
  return read;
}

const explainUnknown = (
  type: GraphQLInputObjectType,
  name: string,
  known: readonly string[],
  conventions: InputConventions,
) =>
  conventions.shows?.(type, name)
    ? 'is read-only here'
    : messages.unknownField(suggest(name, known, conventions.nameOf(name)));

const inside = ({ path, depth }: ValuePosition, name: string): ValuePosition => ({
  path: path === '' ? name : `${path}.${name}`,
  depth: depth + 1,
});

function refuse({ path }: ValuePosition, message: string, errors: ErrorCollector): undefined {
  errors.add(path, message);
}

/** Whether a value that is read as input is an object. */
export const isObject = (value: unknown): value is Values =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Literal) &&
  !(value instanceof ExactNumber);
