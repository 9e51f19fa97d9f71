import { type JsonSchema, type Part, ref } from './types.ts';

/** The request id in examples. */
export const exampleRequestId = '5c2efc7c-2c39-42c1-9c5e-0a3f6f1d8f0e';

/** A request id. */
export const requestIdSchema: JsonSchema = {
  type: 'string',
  maxLength: 128,
  pattern: '^[\\w.:~-]{1,128}$',
  examples: [exampleRequestId],
};

const integer = (minimum: number, example: number): JsonSchema => ({
  type: 'integer',
  format: 'int32',
  minimum,
  maximum: 2 ** 31 - 1,
  examples: [example],
});

/** Response headers, by name. */
export const headers: Readonly<Record<string, Part>> = {
  'X-Request-Id': {
    description:
      'ID of the request, as in `meta.request_id` and in the log. A well-formed ID sent by the client is kept.',
    required: true,
    schema: requestIdSchema,
  },
  'X-RateLimit-Limit': { description: 'Requests that the caller may make per hour.', schema: integer(1, 100) },
  'X-RateLimit-Remaining': { description: 'Requests left in the current window.', schema: integer(0, 97) },
  'X-RateLimit-Reset': {
    description: 'End of the current window, as a Unix timestamp in seconds.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1, examples: [1772445600] },
  },
  'RateLimit-Policy': {
    description: 'The rate limit in the IETF format: the quota (`q`) and the window in seconds (`w`).',
    schema: { type: 'string', maxLength: 500, examples: ['"hour";q=100;w=3600'] },
  },
  RateLimit: {
    description: 'Requests left (`r`) and seconds until the window resets (`t`), in the IETF format.',
    schema: { type: 'string', maxLength: 500, examples: ['"hour";r=97;t=2391'] },
  },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: integer(0, 30) },
  'WWW-Authenticate': {
    description: 'The authentication scheme to use.',
    required: true,
    schema: { type: 'string', maxLength: 500, examples: ['Bearer'] },
  },
  'Preference-Applied': {
    description: 'The preference of `Prefer` that was applied: the whole resource, or how long (s) to wait at most.',
    schema: { type: 'string', pattern: '^(return=representation|wait=\\d{1,2})$', maxLength: 30 },
  },
  ETag: {
    description: 'The version of the resource, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string', maxLength: 500, examples: ['"q3Zk8Yw1T0u5VbN2xRc7Lg"'] },
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Access-Control-Allow-Origin': {
    description: 'Cross-origin requests are allowed from any origin.',
    required: true,
    schema: { type: 'string', enum: ['*'] },
  },
  'Content-Disposition': {
    description: 'The file name of a list in CSV format.',
    schema: { type: 'string', maxLength: 500, examples: ['attachment; filename="service-requests.csv"'] },
  },
};

const common = [
  'X-Request-Id',
  'Access-Control-Allow-Origin',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];

/** The headers that every response has, and `more`. */
export const headersOf = (...more: readonly string[]): Part =>
  Object.fromEntries([...common, ...more].map((name) => [name, ref('headers', name)]));
