import { GraphQLError } from 'graphql';
import { badRequest, publicError, ServiceError } from '../schema/resource/errors.ts';

/** The error a GraphQL client reads: REST's codes in `extensions.code`, failing fields in `extensions.details` (spec §7). */
export function readableError(error: GraphQLError): GraphQLError {
  const { nodes, source, positions, path, extensions } = error;
  // An error with a path was thrown by a resolver; one without was found in the request before any ran.
  const told = path || error instanceof ServiceError ? publicError(error) : requestError(error);
  // `http` is how Yoga keeps the response's status; it does not go out.
  const http = extensions['http'];
  return new GraphQLError(told.message, { nodes, source, positions, path, extensions: { ...told.extensions, ...(http ? { http } : {}) } });
}

function requestError({ message, originalError, extensions }: GraphQLError): ServiceError {
  // Yoga's word on a mutation that is not a POST.
  if (extensions.http?.status === 405) return new ServiceError('METHOD_NOT_ALLOWED', message);
  if (originalError instanceof RangeError) return badRequest('The query is nested too deeply.');
  // The limits call themselves syntax errors, which they are not.
  return badRequest(message.replace(/^Syntax Error: (?=.* limit of )/, ''));
}
