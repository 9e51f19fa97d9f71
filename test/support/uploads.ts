// Sends files in parts, by the tus protocol.
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { Upload, type UploadOptions } from 'tus-js-client';
import type { Client, Row } from './client.ts';

type Sender = Pick<Client, 'origin' | 'token'>;

/** The address that uploads begin at. */
export const endpointOf = ({ origin }: Sender) => `${origin}/api/v1/uploads`;

/** The headers of a request of the protocol. */
export const tusHeaders = ({ token }: Sender): Record<string, string> => ({
  'tus-resumable': '1.0.0',
  ...(token && { authorization: `Bearer ${token}` }),
});

/** Sends a request of the protocol. @param path below `/uploads` */
export async function tus(
  by: Sender,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: RequestInit['body'],
) {
  const reply = await fetch(endpointOf(by) + path, {
    method,
    headers: { ...tusHeaders(by), ...headers },
    ...(body != null && { body }),
  });
  const text = await reply.text();
  const { error = {} } = (text === '' ? {} : JSON.parse(text)) as { error?: Row };
  return { status: reply.status, headers: reply.headers, error };
}

/** Begins an upload. @returns its id */
export async function beginUpload(by: Sender, length: number, metadata?: string): Promise<string> {
  const { status, headers, error } = await tus(by, 'POST', '', {
    'upload-length': String(length),
    ...(metadata !== undefined && { 'upload-metadata': metadata }),
  });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(error)}`);
  return /^\/api\/v1\/uploads\/([\w-]{36})$/.exec(headers.get('location') ?? '')?.[1] ?? '';
}

/** Sends a part. */
export const sendPart = (by: Sender, id: string, offset: number, body: RequestInit['body']) =>
  tus(
    by,
    'PATCH',
    `/${id}`,
    { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body,
  );

/** How much of an upload has arrived, as a client asks for it. */
export async function offsetOf(by: Sender, id: string): Promise<number> {
  const { status, headers } = await tus(by, 'HEAD', `/${id}`);
  if (status !== 200) throw new Error(String(status));
  return Number(headers.get('upload-offset'));
}

/** Begins to send a part, whose rest the test sends. */
export function openPart(by: Sender, id: string, offset: number, length: number) {
  const part = request(`${endpointOf(by)}/${id}`, {
    method: 'PATCH',
    headers: {
      ...tusHeaders(by),
      'upload-offset': offset,
      'content-type': 'application/offset+octet-stream',
      'content-length': length,
    },
  });
  const answered = new Promise<number | undefined>((resolve) => {
    part.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    part.on('error', () => resolve(undefined));
  });
  return { part, answered };
}

/**
 * Sends a file as a client of the protocol's library does.
 *
 * @param options `stopAfter` so many bytes have been sent
 * @returns the address of the upload, and how many bytes each request began at
 */
export function sendByClient(
  by: Sender,
  content: Buffer | Readable,
  { stopAfter, ...options }: UploadOptions & { readonly stopAfter?: number } = {},
): Promise<{ url: string; begunAt: number[] }> {
  const begunAt: number[] = [];
  return new Promise((resolve, reject) => {
    const upload = new Upload(content as Buffer, {
      endpoint: endpointOf(by),
      retryDelays: [0, 500, 1000, 2000, 4000],
      ...(by.token && { headers: { authorization: `Bearer ${by.token}` } }),
      onBeforeRequest: (sent) => {
        if (sent.getMethod() === 'PATCH') begunAt.push(Number(sent.getHeader('Upload-Offset')));
      },
      onProgress(sent) {
        if (stopAfter === undefined || sent < stopAfter) return;
        void upload.abort().then(() => resolve({ url: upload.url ?? '', begunAt }));
      },
      onSuccess: () => resolve({ url: upload.url ?? '', begunAt }),
      onError: reject,
      ...options,
    });
    upload.start();
  });
}

/** The id in the address of an upload. */
export const idIn = (url: string): string => /\/uploads\/([\w-]{36})/.exec(url)?.[1] ?? '';
