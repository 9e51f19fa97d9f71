import type { FastifyRequest } from 'fastify';
import { coerceInputValue, type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import type { Context } from '../context.ts';
import { badRequest, validationError } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { type InputConventions, isObject, readInput } from '../input/index.ts';
import { inRestNames } from './envelope.ts';
import { fieldName } from './names.ts';
import type { RestOperation } from './operations.ts';
import { pathValues, type Values } from './parameters.ts';
import { shownFields } from './rest-schema.ts';

/** Reads a request body into the variable `input`; no variable for operations without a body. */
type ReadBody = (request: FastifyRequest, context: Context) => Promise<Values>;

/**
 * Creates the function that reads the bodies of an operation's requests.
 * @returns a function that throws a ServiceError: BAD_REQUEST for a body that is not a JSON object, VALIDATION_ERROR
 *   with the errors of all fields
 */
export function createBodyReader({ field, schema, route: { operation } }: RestOperation): ReadBody {
  const argument = field.args.find(({ name }) => name === 'input');
  const type = argument && getNamedType(argument.type);
  if (!isInputObjectType(type)) return async () => ({});
  const shown = new Set(shownFields(schema, operation.type));
  const conventions: InputConventions = {
    nameOf: fieldName,
    isId: isUuid,
    wrapsSingleItems: false,
    shows: (input, name) => input === type && shown.has(name),
  };

  return async (request, context) => {
    const { body } = request;
    if (!isObject(body)) throw badRequest('The body must be a JSON object.');
    const { value, errors } = readInput(type, body, conventions);
    if (errors.isEmpty) return { input: value };
    // A readable body may still be invalid: all errors are reported at once.
    const inspect = errors.isFull ? undefined : operation.inspect;
    const others = (await inspect?.(coerce(value, type), context, pathValues(request))) ?? {};
    // The reader's errors come first, and stay where a later check knows only that the value was not accepted.
    throw validationError({ ...errors.found, ...inRestNames(others), ...errors.found });
  };
}

/** Converts an input to the values that resolvers receive. Missing values have been reported already. */
const coerce = (value: unknown, type: GraphQLInputObjectType) =>
  // The value of an input object is one.
  coerceInputValue(value, type, () => {}) as Record<string, unknown>;
