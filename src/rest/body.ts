import type { FastifyRequest } from 'fastify';
import { coerceInputValue, type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import type { Context } from '../context.ts';
import { badRequest, validationError } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { type Idiom, readInput } from '../input/index.ts';
import { inRestNames } from './envelope.ts';
import { fieldName } from './names.ts';
import type { RestOperation } from './operations.ts';
import type { Values } from './parameters.ts';
import { shownFields } from './rest-schema.ts';

/** Reads the body of a request into the variable `input`; into none where the operation takes no body. */
export type ReadBody = (request: FastifyRequest, context: Context) => Promise<Values>;

/**
 * Makes what reads the bodies of an operation's requests.
 * @returns a function that throws a ServiceError: BAD_REQUEST for a body that is no JSON object, VALIDATION_ERROR with
 *   everything that is wrong with its fields
 */
export function createBodyReader({ field, schema, route: { operation } }: RestOperation): ReadBody {
  const argument = field.args.find(({ name }) => name === 'input');
  const type = argument && getNamedType(argument.type);
  if (!isInputObjectType(type)) return async () => ({});
  const shown = new Set(shownFields(schema, operation.type));
  const idiom: Idiom = {
    nameOf: fieldName,
    isId: isUuid,
    wrapsSingleItems: false,
    shows: (input, name) => input === type && shown.has(name),
  };

  return async ({ body, params }, context) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw badRequest('The body must be a JSON object.');
    const { value, errors } = readInput(type, body, idiom);
    if (errors.isEmpty) return { input: value };
    // A readable body may still be invalid: all errors are returned at once.
    const inspect = errors.isFull ? undefined : operation.inspect;
    const others = (await inspect?.(coerce(value, type), context, params as Record<string, string>)) ?? {};
    throw validationError({ ...errors.found, ...inRestNames(others), ...errors.found });
  };
}

/** The values of an input as operations receive them. Missing values have been reported already. */
const coerce = (value: unknown, type: GraphQLInputObjectType) =>
  coerceInputValue(value, type, () => {}) as Record<string, unknown>;
