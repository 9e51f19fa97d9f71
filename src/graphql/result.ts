import type { FastifyBaseLogger } from 'fastify';
import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions, locatedError } from 'graphql';
import { JsonText } from '../http/json-text.ts';
import { stringifyJson } from '../json.ts';
import { limitErrors, maxErrors, toGraphqlError } from './errors.ts';

/** An HTTP response to a GraphQL request. */
interface GraphqlResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Converts a result to a response, and all its errors to those that clients get: of parsing, validation and resolvers.
 *
 * @param isJson whether the client gets `application/json`, where the errors of GraphQL itself are 200
 */
export function toResponse(result: ExecutionResult, isJson: boolean, log: FastifyBaseLogger): GraphqlResponse {
  if (!result.errors) return { status: 200, headers: {}, body: stringify(result) };
  const found = result.errors.slice(0, maxErrors).map((error) => {
    const clientError = toGraphqlError(error);
    if (clientError.extensions['code'] === 'INTERNAL_ERROR') log.error({ err: error }, 'field failed');
    return clientError;
  });
  const errors = limitErrors(found);
  const https = errors.flatMap(({ extensions: { http } }) => (http ? [http] : []));
  const statuses = https.flatMap(({ status, spec }) => (status !== undefined && !(isJson && spec) ? [status] : []));
  return {
    status: Math.max(200, ...statuses),
    // Yoga and its plugins set headers to text.
    headers: Object.assign({}, ...https.map(({ headers }) => headers)) as Record<string, string>,
    body: stringifyJson({ ...result, errors: errors.map(withoutHttp) }),
  };
}

/** The JSON of a result without errors. */
function stringify({ data, ...others }: ExecutionResult): string {
  if (!(data instanceof JsonText)) return stringifyJson({ data, ...others });
  const rest = stringifyJson(others);
  return `{"data":${data.text}${rest === '{}' ? '' : ','}${rest.slice(1)}`;
}

/** An error without its options for the HTTP response. */
function withoutHttp(error: GraphQLError): object {
  const { extensions = {}, ...shown } = error.toJSON();
  // graphql-js types what toJSON returns as any object.
  const { http: _, ...rest } = extensions as GraphQLErrorExtensions;
  return { ...shown, extensions: rest };
}

/** The result of a request that failed before Yoga parsed it. */
export const failedResult = (error: unknown): ExecutionResult => ({
  errors: [error instanceof GraphQLError ? error : locatedError(error, undefined)],
});

/** Whether a field of a result has no error, so that a mutation may have written something. */
export function hasSucceeded({ data, errors = [] }: ExecutionResult): boolean {
  const failed = new Set(errors.map(({ path }) => path?.[0]));
  return Object.keys(data ?? {}).some((key) => !failed.has(key));
}
