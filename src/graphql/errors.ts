import { GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import { badRequest, publicError, ServiceError, shorten, statusOf } from '../errors.ts';

/** Limits of the errors of one response: their number, the length of a message, and the bytes of all in JSON. */
export const maxErrors = 50;
const maxMessageLength = 500;
const maxBytes = 60_000;

/** The errors sent to a GraphQL client: the first ones, within the limits of a response. The others are left out. */
export function limitErrors(errors: readonly GraphQLError[]): GraphQLError[] {
  let room = maxBytes;
  return errors.slice(0, maxErrors).filter((error, index) => {
    room -= Buffer.byteLength(JSON.stringify(error));
    return index === 0 || room >= 0;
  });
}

/**
 * The error sent to a GraphQL client: REST's codes in `extensions.code`, the invalid fields in `extensions.details`.
 */
export function toGraphqlError(error: GraphQLError): GraphQLError {
  const { nodes, source, positions, path } = error;
  // An error with a path was thrown by a resolver; one without was found in the request before any ran.
  const isOurs = error instanceof ServiceError || error.originalError instanceof ServiceError;
  const clientError = path || isOurs ? publicError(error) : requestError(error);
  return new GraphQLError(shorten(clientError.message, maxMessageLength), {
    nodes,
    source,
    positions,
    path,
    extensions: { ...clientError.extensions, ...(!path && { http: httpOf(error, clientError) }) },
  });
}

/**
 * Yoga's options for the HTTP response to a request that was not executed; they are not sent to the client. With
 * `spec`, the status applies to clients that accept `application/graphql-response+json`, and `application/json`
 * responses keep 200.
 */
function httpOf({ extensions: { http } }: GraphQLError, { code }: ServiceError): GraphQLErrorExtensions['http'] {
  return { spec: !http, ...http, status: statusOf[code] };
}

function requestError({ message, originalError, extensions }: GraphQLError): ServiceError {
  // Yoga rejects mutations by GET like this.
  if (extensions.http?.status === 405) return new ServiceError('METHOD_NOT_ALLOWED', message);
  if (originalError instanceof RangeError) return badRequest('The query is nested too deeply.');
  // graphql-armor reports exceeded limits as syntax errors, which they are not.
  return badRequest(message.replace(/^Syntax Error: (?=.* limit of )/, ''));
}
