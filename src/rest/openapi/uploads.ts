// Describes the routes of the tus protocol.
import { statusOf } from '../../errors.ts';
import { pathVariable } from '../../names.ts';
import type { ResumeMethod } from '../../resource/index.ts';
import type { UploadRoute } from '../files.ts';
import { headersOf } from './headers.ts';
import { type ErrorResponse, errorResponse, errors as shared } from './responses.ts';
import type { Named } from './shared.ts';
import type { Part } from './types.ts';

/** The headers of every response of these routes. */
const always = ['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size'];

/** What the routes answer besides their errors. */
const successes: Readonly<Record<ResumeMethod, readonly [status: number, description: string, headers: string[]]>> = {
  POST: [201, 'The upload has begun.', ['Location', 'Upload-Offset', 'Upload-Expires']],
  HEAD: [200, 'How much has arrived.', ['Upload-Offset', 'Upload-Length', 'Upload-Metadata']],
  PATCH: [204, 'The part has arrived.', ['Upload-Offset', 'Upload-Expires']],
  DELETE: [204, 'The upload has ended.', []],
};

/** The errors of the protocol. */
const own = {
  otherVersion: {
    code: 'PRECONDITION_FAILED',
    description: '`Tus-Resumable` is not a version that is served.',
    message: 'Tus-Resumable: must be 1.0.0',
  },
  gone: {
    code: 'GONE',
    description: 'The upload did not end within a day.',
    message: 'The file for this url no longer exists',
  },
  locked: {
    code: 'LOCKED',
    description: 'Another request changes the upload, or has held it on an instance that ended a moment ago.',
    message: 'Another request changes the upload; try again in some seconds.',
  },
} as const satisfies Record<string, ErrorResponse>;

const ofUpload = [shared.NotFound, shared.Conflict, own.gone, own.locked];

const ofBody = [shared.PayloadTooLarge, shared.UnsupportedMediaType, shared.ValidationError];

const ofAll = [
  ...[shared.BadRequest, shared.Unauthorized, shared.Forbidden, own.otherVersion],
  ...[shared.TooManyRequests, shared.InternalError, shared.ServiceUnavailable],
];

/** The errors of a route that others do not have. */
const errors: Readonly<Record<ResumeMethod, readonly ErrorResponse[]>> = {
  POST: [shared.Conflict, ...ofBody],
  HEAD: ofUpload,
  PATCH: [...ofUpload, ...ofBody],
  DELETE: ofUpload,
};

/** What a route of uploads answers. */
export function uploadResponses({ method }: UploadRoute): Readonly<Record<string, Part>> {
  const [status, description, headers] = successes[method];
  return {
    [status]: { description, headers: headersOf(...always, ...headers) },
    ...Object.fromEntries(
      [...ofAll, ...errors[method]].map((error) => [statusOf[error.code], errorResponse(error, always)] as const),
    ),
  };
}

const header = (name: string, description: string, schema: Part, required = false): Named => ({
  name: pathVariable(name),
  part: { name, in: 'header', required, description, schema },
});

const bytes = { type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1 };

/** The headers that requests of a route of uploads have. */
export function uploadParameters({ method }: UploadRoute): Named[] {
  const version = header('Tus-Resumable', 'The version of the protocol.', { type: 'string', enum: ['1.0.0'] }, true);
  const length = header('Upload-Length', 'How many bytes the file has.', bytes, true);
  const metadata = header(
    'Upload-Metadata',
    'What is said of the file: keys with values in Base64, of which `filename` is its name.',
    { type: 'string', maxLength: 2000 },
  );
  const offset = header('Upload-Offset', 'How many bytes have arrived.', bytes, true);
  if (method === 'POST') return [version, length, metadata];
  return method === 'PATCH' ? [version, offset] : [version];
}
