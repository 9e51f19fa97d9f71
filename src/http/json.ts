import type { FastifyInstance } from 'fastify';
import { badRequest, ServiceError } from '../schema/resource/errors.ts';

/** The largest body that is read, in bytes. */
export const bodyLimit = 1024 * 1024;

const jsonInUtf8 = /^application\/([\w.-]+\+)?json\s*(;\s*charset="?utf-?8"?\s*)?$/i;

/** Bodies are JSON in UTF-8 (spec §5), not compressed; an empty one is none. */
export function readJsonOnly(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(jsonInUtf8, { parseAs: 'buffer' }, ({ headers }, body, done) => {
    if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
      return done(new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.'));
    }
    try {
      done(null, body.length === 0 ? undefined : JSON.parse(utf8.decode(body as Buffer)));
    } catch {
      done(badRequest('The body is not JSON in UTF-8.'));
    }
  });
}
