import { type ErrorCode, statusOf } from '../../errors.ts';
import type { JsonSchema } from './schemas.ts';

/** A part of the document that is no schema. */
export type Part = Readonly<Record<string, unknown>>;

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The id that examples have. */
const exampleRequestId = '5c2efc7c-2c39-42c1-9c5e-0a3f6f1d8f0e';

const whole = (minimum: number, example: number): JsonSchema => ({
  type: 'integer',
  format: 'int32',
  minimum,
  maximum: 2 ** 31 - 1,
  examples: [example],
});

/** Headers of answers, by their names. */
export const headers: Record<string, Part> = {
  'X-Request-Id': {
    description:
      'The id of the request, the same as `meta.request_id` and as in the log. One that the client sends is kept when it is well formed.',
    required: true,
    schema: { type: 'string', maxLength: 128, pattern: '^[\\w.:~-]{1,128}$', examples: [exampleRequestId] },
  },
  'X-RateLimit-Limit': { description: 'How many requests an hour the caller has.', schema: whole(1, 100) },
  'X-RateLimit-Remaining': { description: 'How many of them are left in this window.', schema: whole(0, 97) },
  'X-RateLimit-Reset': {
    description: 'When the window ends, in Unix seconds.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1, examples: [1772445600] },
  },
  'RateLimit-Policy': {
    description: 'The same limit in the words of the IETF: how many (`q`) in how many seconds (`w`).',
    schema: { type: 'string', maxLength: 500, examples: ['"hour";q=100;w=3600'] },
  },
  RateLimit: {
    description: 'How many requests are left (`r`), and for how many seconds this window goes on (`t`).',
    schema: { type: 'string', maxLength: 500, examples: ['"hour";r=97;t=2391'] },
  },
  'Retry-After': { description: 'After how many seconds to try again.', schema: whole(0, 30) },
  'WWW-Authenticate': {
    description: 'How to say who calls.',
    required: true,
    schema: { type: 'string', maxLength: 500, examples: ['Bearer'] },
  },
  'Preference-Applied': {
    description: 'Says that the answer is the whole resource, as `Prefer` asked.',
    schema: { type: 'string', enum: ['return=representation'] },
  },
  ETag: {
    description: 'The version of the resource, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string', maxLength: 500, examples: ['"q3Zk8Yw1T0u5VbN2xRc7Lg"'] },
  },
  'Idempotent-Replayed': {
    description: 'Says that this is the answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Access-Control-Allow-Origin': {
    description: 'Any origin may call.',
    required: true,
    schema: { type: 'string', enum: ['*'] },
  },
  'Content-Disposition': {
    description: 'The name of the file, of a list as CSV.',
    schema: { type: 'string', maxLength: 500, examples: ['attachment; filename="service-requests.csv"'] },
  },
};

const everywhere = [
  'X-Request-Id',
  'Access-Control-Allow-Origin',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];

/** The headers of an answer to a request that was counted, and `more`. */
export const headersOf = (...more: string[]): Part =>
  Object.fromEntries([...everywhere, ...more].map((name) => [name, ref('headers', name)]));

/** A failure and when it comes. */
interface Failure {
  readonly code: ErrorCode;
  readonly description: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, string>>;
  readonly headers?: readonly string[];
}

/** Failures by the names that operations refer to them by. */
const failures = {
  BadRequest: {
    code: 'BAD_REQUEST',
    description:
      'The request cannot be read: a parameter that is unknown or not of its type, an id that is no uuid, a body that is no JSON object.',
    message: 'status: must be one of pending, in-progress, completed',
    headers: ['Idempotent-Replayed'],
  },
  Unauthorized: {
    code: 'INVALID_TOKEN',
    description: 'There is no API token, or none that is valid; or a signed-in session is needed.',
    message: 'The API token is not valid.',
    headers: ['WWW-Authenticate'],
  },
  Forbidden: {
    code: 'INSUFFICIENT_SCOPE',
    description:
      'The caller may not do this: the token lacks the scope, or the role of whoever is signed in does not suffice.',
    message: 'This needs the scope paint:write.',
  },
  NotFound: {
    code: 'NOT_FOUND',
    description: 'There is no such thing in the caller’s company.',
    message: 'There is no such paint.',
    headers: ['Idempotent-Replayed'],
  },
  Conflict: {
    code: 'CONFLICT',
    headers: ['Retry-After', 'Idempotent-Replayed'],
    description:
      'What is there forbids it: something that must be unique is taken, others still refer to it, or a status cannot follow another; or a request with the same `Idempotency-Key` is still running.',
    message: 'There is such a building already.',
    details: { code: 'is taken' },
  },
  PreconditionFailed: {
    code: 'PRECONDITION_FAILED',
    description: 'It is not as `If-Match` says. Nothing was changed.',
    message: 'This paint is not as you have read it; read it again.',
  },
  PayloadTooLarge: {
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body is larger than 1 MiB.',
    message: 'The body is larger than 1048576 bytes.',
  },
  UnsupportedMediaType: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The body is not JSON in UTF-8, or it is compressed.',
    message: 'The body must be application/json in UTF-8.',
  },
  ValidationError: {
    code: 'VALIDATION_ERROR',
    headers: ['Idempotent-Replayed'],
    description:
      'The body has wrong fields: all of them are named in `error.details`, nested ones by their path. Or its `Idempotency-Key` was used for another request.',
    message: 'Validation failed.',
    details: { title: 'is required', priority: 'must be one of low, normal, high, urgent' },
  },
  TooManyRequests: {
    code: 'RATE_LIMITED',
    description: 'The caller has made all the requests of this hour. This one does not count.',
    message: 'Too many requests; try again in 30 seconds.',
    headers: ['Retry-After'],
  },
  InternalError: {
    code: 'INTERNAL_ERROR',
    description: 'Something went wrong in the service. The log has it under the request’s id.',
    message: 'Something went wrong on our side.',
  },
  ServiceUnavailable: {
    code: 'SERVICE_UNAVAILABLE',
    description: 'The database cannot answer just now.',
    message: 'The database cannot answer just now; try again shortly.',
    headers: ['Retry-After'],
  },
} satisfies Record<string, Failure>;

export type FailureName = keyof typeof failures;

/** The answers of the failures that an operation can have, by status. */
export const failing = (names: readonly FailureName[]): Readonly<Record<string, Part>> =>
  Object.fromEntries(names.map((name) => [String(statusOf[failures[name].code]), ref('responses', name)]));

/** The answers that operations share. */
export const responses: Record<string, Part> = Object.fromEntries(
  Object.entries<Failure>(failures).map(([name, { code, description, message, details, headers: more = [] }]) => [
    name,
    {
      description,
      headers: headersOf(...more),
      content: {
        'application/json': {
          schema: ref('schemas', 'ErrorBody'),
          example: {
            error: { code, message, status: statusOf[code], ...(details && { details }) },
            meta: { request_id: exampleRequestId },
          },
        },
      },
    },
  ]),
);

const requestId: JsonSchema = {
  type: 'string',
  maxLength: 128,
  pattern: '^[\\w.:~-]{1,128}$',
  description: 'The id of the request, as in `X-Request-Id`.',
  examples: [exampleRequestId],
};
const total: JsonSchema = {
  type: 'integer',
  format: 'int32',
  minimum: 0,
  maximum: 2 ** 31 - 1,
  description: 'How many rows the filters match on all pages.',
  examples: [1],
};
const limit: JsonSchema = {
  type: 'integer',
  format: 'int32',
  minimum: 1,
  maximum: 100,
  description: 'How many rows a page has at the most.',
  examples: [25],
};

/** The parts of every body that are not the resource's own (spec §1, §4 Pagination, §7). */
export const envelopes: Record<string, JsonSchema> = {
  Meta: {
    type: 'object',
    description: 'What goes with an answer.',
    required: ['request_id'],
    properties: { request_id: requestId },
  },
  ListMeta: {
    type: 'object',
    description: 'What goes with a page of a list.',
    required: ['total', 'limit', 'offset', 'pagination', 'request_id'],
    properties: {
      total,
      limit,
      offset: {
        type: 'integer',
        format: 'int32',
        minimum: 0,
        maximum: 2 ** 31 - 1,
        description: 'How many rows were skipped.',
        examples: [0],
      },
      pagination: { $ref: '#/components/schemas/Pagination' },
      request_id: requestId,
    },
  },
  Pagination: {
    type: 'object',
    description: 'Where a page stands in its list.',
    required: ['total', 'limit', 'has_more', 'next_cursor'],
    properties: {
      total,
      limit,
      has_more: { type: 'boolean', description: 'Whether rows follow.', examples: [false] },
      next_cursor: {
        type: ['string', 'null'],
        maxLength: 60_000,
        description: 'The `cursor` of the next page; null on the last.',
        examples: [null],
      },
    },
  },
  ErrorBody: {
    type: 'object',
    description: 'What went wrong.',
    required: ['error', 'meta'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: {
          code: { type: 'string', enum: Object.keys(statusOf), description: 'What went wrong, for programs.' },
          message: {
            type: 'string',
            maxLength: 20_000,
            description: 'What went wrong, for people.',
            examples: ['Validation failed.'],
          },
          status: {
            type: 'integer',
            format: 'int32',
            minimum: 400,
            maximum: 599,
            description: 'The HTTP status.',
            examples: [422],
          },
          details: {
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 20_000 },
            description: 'What is wrong with each field, by its path: `line_items.3.quantity`.',
            examples: [{ title: 'is required' }],
          },
        },
      },
      meta: { $ref: '#/components/schemas/Meta' },
    },
  },
};
