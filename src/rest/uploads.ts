// The routes of the tus protocol, by which files are sent in parts: https://tus.io/protocols/resumable-upload

import { contextOf } from '../context.ts';
import { badRequest, type ErrorCode, ServiceError } from '../errors.ts';
import { exposedHeaders } from '../http/headers.ts';
import { bodyOf, chunksOf, endConnection, type FileDependencies, readRequest, type UploadRoute } from './files.ts';
import type { Handler } from './handler.ts';
import type { TusAnswer } from './tus.ts';

/** The version of the protocol, and what of it is served. */
const version = '1.0.0';
const extensions = ['creation', 'creation-with-upload', 'termination', 'expiration'];

/** The media type of a part. */
const partType = 'application/offset+octet-stream';

/** How long (ms) a request may take once its part has arrived: the last one puts all of them together. */
export const uploadDeadlineMs = 300_000;

/** Headers of the protocol that responses may have. */
const answered = ['location', 'upload-offset', 'upload-length', 'upload-metadata', 'upload-expires'];

/** The headers of every response of these routes. @param maxBytes how many bytes a file may have */
export const uploadHeaders = (maxBytes: number): Readonly<Record<string, string>> => ({
  'tus-resumable': version,
  'tus-version': version,
  'tus-extension': extensions.join(','),
  'tus-max-size': String(maxBytes),
  'access-control-expose-headers': [
    ...exposedHeaders,
    ...['Location', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Expires'],
    ...['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size'],
  ].join(', '),
});

/** Creates the handler of a route of uploads. */
export function createUploadHandler(
  file: UploadRoute,
  { database, basePath, maxBytes: { file: maxBytes } }: Pick<FileDependencies, 'database' | 'basePath' | 'maxBytes'>,
): Handler {
  const { method } = file;
  return async (request, reply) => {
    try {
      const { path, query } = readRequest(request, file.parameters ?? []);
      const { headers } = request;
      if (headers['tus-resumable'] !== version)
        throw new ServiceError('PRECONDITION_FAILED', `Tus-Resumable: must be ${version}`);
      if (headers['idempotency-key'] !== undefined) throw badRequest('Idempotency-Key: uploads have none');
      if (method === 'PATCH' && headers['content-type'] !== partType)
        throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${partType}.`);
      if (method === 'PATCH' && headers['upload-offset'] === undefined) throw badRequest('Upload-Offset: is required');
      const uploads = file.open({ query, maxBytes }, contextOf(request, database));
      const sends = headers['content-type'] === partType && (method === 'POST' || method === 'PATCH');
      let cut: unknown;
      const body = sends ? arriving(chunksOf(bodyOf(request, maxBytes)), (error) => (cut = error)) : undefined;
      // Loaded with the first upload.
      const { answerTus } = await import('./tus.ts');
      const {
        status,
        headers: found,
        text,
      } = await answerTus({
        ...{ method, headers, body, uploads, extensions, maxBytes, id: path['id']?.toLowerCase() },
        addressOf: (id) => basePath + uploads.addressOf(id),
      });
      if (status >= 400) throw errorOf(status, text);
      // A slow client learns why; one that has gone learns nothing.
      if (cut instanceof ServiceError) throw cut;
      for (const name of answered) if (found.has(name)) reply.header(name, found.get(name));
      endConnection(request, reply);
      return reply.status(status).send();
    } catch (error) {
      endConnection(request, reply);
      throw error;
    }
  };
}

/** What comes of a body until it ends, or is cut. */
async function* arriving(body: AsyncIterable<Buffer>, onCut: (error: unknown) => void): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    onCut(error);
  }
}

/** The codes of what the protocol's library answers. */
const codes: Readonly<Record<number, ErrorCode>> = {
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'GONE',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  500: 'INTERNAL_ERROR',
};

/** An error that the library has found in a request; what it does not know is also 400 here. */
const errorOf = (status: TusAnswer['status'], text: string): ServiceError =>
  new ServiceError(codes[status] ?? 'BAD_REQUEST', text.trim());
