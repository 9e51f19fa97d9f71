import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import { badRequest, publicError, ServiceError, statusOf } from '../errors.ts';

/** The error a GraphQL client reads: REST's codes in `extensions.code`, failing fields in `extensions.details` (spec §7). */
export function readableError(error: GraphQLError): GraphQLError {
  const { nodes, source, positions, path } = error;
  // An error with a path was thrown by a resolver; one without was found in the request before any ran.
  const told = path || error instanceof ServiceError ? publicError(error) : requestError(error);
  return new GraphQLError(told.message, {
    nodes,
    source,
    positions,
    path,
    extensions: { ...told.extensions, ...(!path && { http: httpOf(error, told) }) },
  });
}

/**
 * The response to a request that was not run, as Yoga keeps it; it does not go out. With `spec` the status is for clients
 * that take `application/graphql-response+json`, and JSON has 200: there was a query to answer.
 */
function httpOf(
  { extensions: { http }, originalError }: GraphQLError,
  { code }: ServiceError,
): GraphQLErrorExtensions['http'] {
  return { spec: !http && !(originalError instanceof SyntaxError), ...http, status: statusOf[code] };
}

function requestError({ message, originalError, extensions }: GraphQLError): ServiceError {
  // Yoga's word on a mutation that is not a POST.
  if (extensions.http?.status === 405) return new ServiceError('METHOD_NOT_ALLOWED', message);
  if (originalError instanceof RangeError) return badRequest('The query is nested too deeply.');
  // A GET has them as text. What is wrong with the query itself is a GraphQLError.
  if (originalError instanceof SyntaxError) return badRequest('Variables and extensions in the address must be JSON.');
  // The limits call themselves syntax errors, which they are not.
  return badRequest(message.replace(/^Syntax Error: (?=.* limit of )/, ''));
}
