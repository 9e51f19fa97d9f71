import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { isKnown } from './headers.ts';

const gzip = promisify(gzipCallback);

/** A static response, compressed once. */
interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  /** Without quotes. */
  readonly etag: string;
}

/** Creates a file from its content. */
export async function createFile(type: string, content: string | Buffer): Promise<StaticFile> {
  const plain = Buffer.from(content);
  const etag = createHash('sha256').update(plain).digest('base64url').slice(0, 16);
  return { type, plain, gzipped: await gzip(plain), etag };
}

/** Sends a file, or 304 to a client that has it. */
export function sendFile(
  { type, plain, gzipped, etag }: StaticFile,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.headers({ etag: `"${etag}"`, 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' });
  if (isKnown(request, etag)) return reply.status(304).send();
  reply.type(type);
  return acceptsGzip(request) ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(plain);
}

/**
 * Sends a text, compressed where the client accepts it. It must not contain both a secret and text that a client chose.
 */
export async function sendCompressed(
  text: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return acceptsGzip(request) ? reply.header('content-encoding', 'gzip').send(await gzip(text)) : reply.send(text);
}

const acceptsGzip = ({ raw }: FastifyRequest): boolean => new Negotiator(raw).encoding(['gzip', 'identity']) === 'gzip';
