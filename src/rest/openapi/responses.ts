import { type ErrorCode, insufficientScope, notFound, publicError, statusOf, validationError } from '../../errors.ts';
import { exampleRequestId, headersOf, rowLimitHeaders } from './headers.ts';
import { type Part, ref } from './types.ts';

/** An error response, and when it occurs. */
export interface ErrorResponse {
  readonly code: ErrorCode;
  readonly description: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, string>>;
  readonly headers?: readonly string[];
}

/** Error responses, by component name. */
export const errors = {
  BadRequest: {
    code: 'BAD_REQUEST',
    description:
      'The request is malformed: an unknown parameter, a parameter of the wrong type, an id that is not a uuid, or a body that is not a JSON object.',
    message: 'status: must be one of pending, in-progress, completed',
    headers: ['Idempotent-Replayed'],
  },
  Unauthorized: {
    code: 'INVALID_TOKEN',
    description: 'The API token is missing or invalid, or the operation requires a signed-in session.',
    message: 'The API token is not valid.',
    headers: ['WWW-Authenticate'],
  },
  Forbidden: {
    code: 'INSUFFICIENT_SCOPE',
    description: 'The token lacks the required scope, or the user lacks the required role.',
    message: insufficientScope('paint:write').message,
  },
  NotFound: {
    code: 'NOT_FOUND',
    description: 'The resource does not exist in the company of the caller.',
    message: notFound('paint').message,
    headers: ['Idempotent-Replayed'],
  },
  Conflict: {
    code: 'CONFLICT',
    headers: ['Retry-After', 'Idempotent-Replayed'],
    description:
      'The request conflicts with the current state: a unique value is taken, other resources refer to this one, the status cannot change this way, a request with the same `Idempotency-Key` is still in progress, or `Premises-Company` or `Premises-Person` names another one.',
    message: 'Such a building already exists.',
    details: { code: 'is taken' },
  },
  Gone: {
    code: 'GONE',
    description:
      'The log of changes no longer has the changes after the position. Begin again with `GET /snapshot` and continue from its `position`: without a position, the log lacks the rows whose changes were deleted.',
    message:
      'after: The changes after this position have been deleted; begin again with a snapshot and continue from its position.',
  },
  PreconditionFailed: {
    code: 'PRECONDITION_FAILED',
    description: 'The resource does not match `If-Match`. Nothing was changed.',
    message: 'This paint changed since you last fetched it. Fetch it and retry.',
  },
  PayloadTooLarge: {
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The request body is larger than 1 MiB, or than 16 KiB under `/public`.',
    message: 'The body is larger than 1048576 bytes.',
  },
  UnsupportedMediaType: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The request body is not JSON in UTF-8, or it is compressed.',
    message: 'The body must be application/json in UTF-8.',
  },
  ValidationError: {
    code: 'VALIDATION_ERROR',
    headers: ['Idempotent-Replayed'],
    description:
      'Validation failed. `error.details` lists every invalid field; nested fields are identified by their path. Also returned if the `Idempotency-Key` was used for a different request.',
    message: validationError({}).message,
    details: { title: 'is required', priority: 'must be one of low, normal, high, urgent' },
  },
  TooManyRequests: {
    code: 'RATE_LIMITED',
    description: 'The rate limit is exceeded. This request does not count toward it.',
    message: 'Too many requests; try again in 30 seconds.',
    headers: ['Retry-After'],
  },
  InternalError: {
    code: 'INTERNAL_ERROR',
    description: 'An internal error occurred. The log has the details under the ID of the request.',
    message: publicError(undefined).message,
  },
  ServiceUnavailable: {
    code: 'SERVICE_UNAVAILABLE',
    description:
      'The service is temporarily unavailable: the database does not respond in time, too many requests are in flight, or the service is stopping.',
    message: 'The database is temporarily unavailable; try again shortly.',
    headers: ['Retry-After'],
  },
} satisfies Record<string, ErrorResponse>;

/** The name of an error response. */
export type ErrorName = keyof typeof errors;

/** The error responses of an operation, by status. */
export const errorResponses = (names: readonly ErrorName[]): Readonly<Record<string, Part>> =>
  Object.fromEntries(names.map((name) => [String(statusOf[errors[name].code]), ref('responses', name)]));

/** Describes an error response. @param more headers that it also has */
export const errorResponse = (
  { code, description, message, details, headers = [] }: ErrorResponse,
  more: readonly string[] = [],
): Part => ({
  description,
  // Any operation on many rows can have any of them.
  headers: headersOf(...rowLimitHeaders, ...headers, ...more),
  content: {
    'application/json': {
      schema: ref('schemas', 'ErrorBody'),
      example: {
        error: { code, message, status: statusOf[code], ...(details && { details }) },
        meta: { request_id: exampleRequestId },
      },
    },
  },
});

/** The responses that operations share. */
export const responses: Readonly<Record<string, Part>> = {
  Deleted: { description: 'The resource was deleted.', headers: headersOf() },
  NotModified: {
    description: 'The resource still matches `If-None-Match`.',
    headers: headersOf('ETag', 'Preference-Applied'),
  },
  ...Object.fromEntries(Object.entries<ErrorResponse>(errors).map(([name, error]) => [name, errorResponse(error)])),
};
