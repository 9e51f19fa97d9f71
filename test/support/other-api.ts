import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createLimiter } from '../../src/auth/limits.ts';
import { readConfig } from '../../src/config.ts';
import { buildApi, type Definition } from '../../src/resource/index.ts';
import type { Service } from './service.ts';

/**
 * Serves an API of other definitions beside a service, over its database.
 *
 * @returns what takes requests by `inject`, and `close`, which also closes its limiter
 */
export async function serveBeside(
  { database }: Service,
  definitions: readonly Definition[],
): Promise<Pick<FastifyInstance, 'inject' | 'close'>> {
  const limiter = createLimiter(database);
  const app = await createApp({
    api: buildApi(definitions),
    // As of the service beside it, which reserves its share of the limit.
    config: readConfig({ RATE_LIMIT_TOKEN_PER_HOUR: '1000000' }),
    database,
    limiter,
    logger: pino({ level: 'silent' }),
  });
  app.addHook('onClose', () => limiter.close());
  return app;
}
