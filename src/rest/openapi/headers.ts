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

/** A number of bytes. */
const size: JsonSchema = { type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1, examples: [1_000_000] };

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
  'X-RowLimit-Limit': {
    description: 'Rows that the company may write per hour by requests that write many.',
    schema: integer(1, 100_000),
  },
  'X-RowLimit-Remaining': { description: 'Rows left in the current window.', schema: integer(0, 99_000) },
  'X-RowLimit-Reset': {
    description: 'End of the current window of rows, as a Unix timestamp in seconds.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1, examples: [1772445600] },
  },
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: integer(0, 30) },
  'WWW-Authenticate': {
    description: 'The authentication scheme to use.',
    required: true,
    schema: { type: 'string', maxLength: 500, examples: ['Bearer'] },
  },
  'Preference-Applied': {
    description:
      'The preference of `Prefer` that was applied: the whole resource, lenient handling, or how long (s) to wait at most.',
    schema: { type: 'string', pattern: '^(return=representation|handling=lenient|wait=\\d{1,2})$', maxLength: 30 },
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
    description: 'The name of the file.',
    schema: { type: 'string', maxLength: 2000, examples: ['attachment; filename="service-requests.csv"'] },
  },
  'Accept-Ranges': {
    description: 'That `Range` asks for a part of the file, by its bytes.',
    schema: { type: 'string', enum: ['bytes'] },
  },
  'Content-Range': {
    description: 'The part of the file, and its size.',
    schema: { type: 'string', maxLength: 100, examples: ['bytes 0-499/1234'] },
  },
  Location: {
    description: 'The address of what was added.',
    schema: { type: 'string', maxLength: 500, examples: ['/api/v1/files/019b6f3c-0000-7000-8000-000000000000'] },
  },
  'Tus-Resumable': { description: 'The version of tus.', schema: { type: 'string', enum: ['1.0.0'] } },
  'Tus-Version': { description: 'The versions of tus that are served.', schema: { type: 'string', enum: ['1.0.0'] } },
  'Tus-Extension': {
    description: 'The extensions of tus that are served.',
    schema: { type: 'string', maxLength: 200, examples: ['creation,termination'] },
  },
  'Tus-Max-Size': { description: 'How many bytes a file may have.', schema: size },
  'Upload-Offset': { description: 'How many bytes have arrived.', schema: size },
  'Upload-Length': { description: 'How many bytes the file has.', schema: size },
  'Upload-Metadata': {
    description: 'What was said of the file when the upload began.',
    schema: { type: 'string', maxLength: 2000, examples: ['filename ZG9vci5qcGc='] },
  },
  'Upload-Expires': {
    description: 'When the upload is gone that has not ended.',
    schema: { type: 'string', maxLength: 40, examples: ['Fri, 01 May 2026 12:00:00 GMT'] },
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

/** The headers of the limit of rows. */
export const rowLimitHeaders = ['X-RowLimit-Limit', 'X-RowLimit-Remaining', 'X-RowLimit-Reset'];

/** The headers that every response has, and `more`. */
export const headersOf = (...more: readonly string[]): Part =>
  Object.fromEntries([...common, ...more].map((name) => [name, ref('headers', name)]));
