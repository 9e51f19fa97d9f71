import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A static response, compressed once. */
export interface File {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

/** Creates a file from its content. */
export async function createFile(type: string, content: string | Buffer): Promise<File> {
  const plain = Buffer.from(content);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`;
  return { type, plain, gzipped: await promisify(gzip)(plain), etag };
}

/** Sends a file, or 304 to a client that has it. */
export function sendFile(
  { type, plain, gzipped, etag }: File,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' });
  if (headers['if-none-match'] === etag) return reply.status(304).send();
  reply.type(type);
  const compressed = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  return compressed ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(plain);
}
