import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The GraphiQL page, compressed once: it carries all its scripts with it, some megabytes. */
export interface Page {
  readonly plain: string;
  readonly gzipped: Buffer;
  readonly etag: string;
}

/** Makes the page of its HTML. */
export async function makePage(plain: string): Promise<Page> {
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`;
  return { plain, gzipped: await promisify(gzip)(plain), etag };
}

/** Sends the page, or 304 to a browser that has it. */
export function sendPage({ plain, gzipped, etag }: Page, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'Accept, Accept-Encoding' });
  if (headers['if-none-match'] === etag) return reply.status(304).send();
  reply.type('text/html; charset=utf-8');
  const compressed = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  return compressed ? reply.header('content-encoding', 'gzip').send(gzipped) : reply.send(plain);
}
