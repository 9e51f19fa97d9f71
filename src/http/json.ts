import type { FastifyInstance } from 'fastify';
import { badRequest, ServiceError } from '../errors.ts';

/** Maximum size of a request body, in bytes. */
export const bodyLimit = 1024 * 1024;

/**
 * Maximum nesting depth of a body, far more than any of ours needs: code that recurses deeper would overflow the stack.
 */
const maxDepth = 100;

/** Other parameters of the media type are ignored. */
const jsonInUtf8 = /^application\/([\w.-]+\+)?json\s*(;(\s*charset="?utf-?8"?\s*|(?!\s*charset)[^;]*))*$/i;

/** Accepts only uncompressed JSON bodies in UTF-8. An empty body counts as no body. */
export function readJsonOnly(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(jsonInUtf8, { parseAs: 'buffer' }, ({ headers }, body, done) => {
    if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
      return done(new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.'));
    }
    let read: unknown;
    try {
      read = body.length === 0 ? undefined : JSON.parse(utf8.decode(body as Buffer));
    } catch {
      return done(badRequest('The body is not JSON in UTF-8.'));
    }
    if (isDeeper(read, maxDepth)) return done(badRequest(`The body nests more than ${maxDepth} levels deep.`));
    done(null, read);
  });
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));
