import type { FastifyRequest } from 'fastify';
import { type GraphQLField, type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql';
import type { Context } from '../context.ts';
import { validationError } from '../errors.ts';
import { inRestNames } from './envelope.ts';
import { type Includable, readInclude } from './include.ts';
import type { RestOperation } from './operations.ts';
import { readBody, readPath, readQuery } from './read.ts';
import { shownFields } from './rest-schema.ts';

/** Variables of an operation, by GraphQL's names. */
export type Values = Readonly<Record<string, unknown>>;

/** What the address of a request says. */
export interface Parameters {
  readonly variables: Values;
  /** The sub-resources to show inside each row. */
  readonly include: readonly Includable[];
}

/**
 * Reads the path and the query of a request.
 * @throws ServiceError BAD_REQUEST
 */
export function readParameters({ field, subresources }: RestOperation, request: FastifyRequest): Parameters {
  const query = request.query as Readonly<Record<string, string | string[]>>;
  const ids = readPath(field, request.params as Record<string, string>);
  const includes = subresources.length > 0;
  const variables = { ...ids, ...readQuery(field, ids, query, includes ? ['include'] : []) };
  const asked = includes ? query['include'] : undefined;
  return { variables, include: asked === undefined ? [] : readInclude(asked, subresources) };
}

/**
 * Reads the body of a request, if its operation takes one. Whatever is wrong with it is told at once: with its form, and with what
 * it says.
 * @throws ServiceError BAD_REQUEST when it is no JSON object, VALIDATION_ERROR
 */
export async function readInput(
  { field, route, schema }: RestOperation,
  request: FastifyRequest,
  context: Context,
): Promise<Values> {
  const type = inputOf(field);
  if (!type) return {};
  const { operation } = route;
  const { input, faults } = readBody(type, request.body, shownFields(schema, operation.type));
  if (Object.keys(faults).length === 0) return { input };
  const others = (await operation.inspect?.(input, context, request.params as Record<string, string>)) ?? {};
  throw validationError({ ...inRestNames(others), ...faults });
}

function inputOf({ args }: GraphQLField<unknown, unknown>): GraphQLInputObjectType | undefined {
  const argument = args.find(({ name }) => name === 'input');
  const type = argument && getNamedType(argument.type);
  return isInputObjectType(type) ? type : undefined;
}
