import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { itemBody } from '../../http/envelope.ts';
import { allowOnly } from '../../http/errors.ts';
import { UnsubscribeTokens, unsubscribe } from '../unsubscribe.ts';
import { basePath } from './auth.ts';
import { countAttempt, unsubscribeLimits } from './brute-force.ts';
import type { SessionDependencies } from './sessions.ts';

const url = `${basePath}/unsubscribe`;

/**
 * Serves the links in emails that stop further ones: by POST, as mail programs do with one click (RFC 8058). A GET, as
 * scanners of links make, only leads to the page. The token is all that counts, so the request may come from anywhere.
 */
export function serveUnsubscribe(
  app: FastifyInstance,
  { config: { publicUrl }, database, limiter }: SessionDependencies,
): void {
  const tokens = new UnsubscribeTokens(database);
  app.register(async (scope) => {
    // Mail programs send a form, which contains nothing that the URL does not.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
    scope.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });
    scope.post(url, async (request, reply) => {
      await countAttempt(limiter, unsubscribeLimits(request.ip), reply);
      const found = await tokens.read(tokenOf(request));
      if (!found) throw new ServiceError('NOT_FOUND', 'This link is incomplete.');
      await unsubscribe(database, found);
      return itemBody({ kinds: found.kinds }, request.id);
    });
    scope.get(url, async (request, reply) =>
      reply.redirect(`${publicUrl}/unsubscribe?token=${encodeURIComponent(tokenOf(request))}`),
    );
    allowOnly(scope, url, ['GET', 'POST']);
  });
}

function tokenOf({ query }: FastifyRequest): string {
  // Fastify's parser makes an object of every query.
  const { token } = query as { token?: unknown };
  return typeof token === 'string' ? token : '';
}
