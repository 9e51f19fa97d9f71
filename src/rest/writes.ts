// Lenient handling of a list of writes: one that cannot be read is refused alone.
import type { FastifyRequest } from 'fastify';
import {
  assertInputType,
  type GraphQLField,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { badRequest, validationError } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { type InputConventions, isObject, readInput } from '../input/index.ts';
import { fieldName } from './names.ts';
import type { Values } from './parameters.ts';

/** What became of one write, as a response has it. */
type Result = Readonly<Record<string, unknown>>;

/** The writes of a body. */
interface LenientWrites {
  /** The variable with those that can be read. */
  readonly input: Values;
  /** Adds the results of the others to those of these. */
  readonly merge: (results: readonly Result[]) => readonly Result[];
}

const conventions: InputConventions = { nameOf: fieldName, isId: isUuid, wrapsSingleItems: false };

/** The names in REST of the fields of an operation's body. */
function fieldsOfBody({ args }: GraphQLField<unknown, unknown>): string[] {
  const type = getNamedType(args.find(({ name }) => name === 'input')?.type);
  return isInputObjectType(type) ? Object.keys(type.getFields()).map(fieldName) : [];
}

/**
 * Creates the function that tells whether a body is a list of writes, where a route also takes other bodies.
 *
 * @param own the operation for the others
 * @returns a function that finds those with a field of the list, and none of the others
 */
export function createWritesFinder(
  own: GraphQLField<unknown, unknown>,
  writes: GraphQLField<unknown, unknown>,
): (body: unknown) => boolean {
  const [others, listed] = [fieldsOfBody(own), fieldsOfBody(writes)];
  return (body) => isObject(body) && listed.some((name) => name in body) && !others.some((name) => name in body);
}

/**
 * Reads the writes of a body one by one.
 *
 * @throws ServiceError BAD_REQUEST for a body that is not a JSON object, VALIDATION_ERROR for one without a list of
 *   writes
 */
export function readWrites({ args }: GraphQLField<unknown, unknown>, { body }: FastifyRequest): LenientWrites {
  const type = getNamedType(args.find(({ name }) => name === 'input')?.type);
  const [list] = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  const items = getNullableType(list?.type);
  if (!isInputObjectType(type) || !list || !isListType(items)) throw new Error('The operation takes no list.');
  if (!isObject(body)) throw badRequest('The body must be a JSON object.');
  const given = body[list.name];
  const { maxItems = 0 } = list.extensions;
  const isRead = Array.isArray(given) && given.length > 0 && given.length <= maxItems && Object.keys(body).length === 1;
  // What is wrong with the list itself is no matter of one row.
  if (!isRead) throw validationError(readInput(type, body, conventions).errors.found);
  const writes = given.map((write: unknown) => readInput(assertInputType(items.ofType), write, conventions));
  return {
    input: { input: { [list.name]: writes.flatMap(({ value, errors }) => (errors.isEmpty ? [value] : [])) } },
    merge(results) {
      const rest = results[Symbol.iterator]();
      return writes.map(({ errors }): Result => {
        if (errors.isEmpty) return rest.next().value ?? {};
        const { code, reason: message, fieldErrors: details } = validationError(errors.found);
        return { action: 'refused', id: null, etag: null, row: null, error: { code, message, details } };
      });
    },
  };
}
