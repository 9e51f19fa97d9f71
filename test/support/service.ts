import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createLimiter, type Limiter } from '../../src/auth/limits.ts';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/database/index.ts';
import { type Files, openFiles } from '../../src/files/index.ts';
import { createMailer, type Mailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { openTracer, type Tracer } from '../../src/tracing/index.ts';
import { Client } from './client.ts';
import { testDatabase } from './database.ts';
import { insertTenant, type Tenant } from './tenant.ts';

export type { Tenant } from './tenant.ts';

/** A running service with its own database. */
export interface Service {
  readonly origin: string;
  readonly database: Database;
  /**
   * All SQL statements so far, except those that find tokens and count requests: they run in the background too. Clear
   * it to count the following ones.
   */
  readonly statements: string[];
  /** Traces what its workers do, where `env` has a collector. */
  readonly tracer: Tracer;
  /** A client without a token. */
  readonly anonymous: Client;
  /** Creates a company with its sandbox and three members. */
  tenant(slug?: string): Promise<Tenant>;
  close(): Promise<void>;
}

/**
 * Starts a service on its own port, without rate limits unless `env` sets them.
 * @param env settings, as `src/config.ts` reads them
 * @param open opens its database; by default an empty one, migrated
 */
export async function startService(env: Record<string, string> = {}, open = testDatabase): Promise<Service> {
  const statements: string[] = [];
  let parts: Parts | undefined = await startParts(env, open, statements);
  const origin = `http://127.0.0.1:${(parts.app.server.address() as AddressInfo).port}`;
  const database = () => {
    if (!parts) throw new Error('The service is closed.');
    return parts.database;
  };
  let tenants = 0;
  return {
    origin,
    get database() {
      return database();
    },
    statements,
    tracer: parts.tracer,
    anonymous: new Client(origin),
    tenant: (slug = `company-${++tenants}`) => insertTenant(origin, database(), slug),
    async close() {
      if (!parts) return;
      const { app, mailer, limiter, tracer, database } = parts;
      // Node keeps the modules of a test file, and with them this object; its parts take 45 MB.
      parts = undefined;
      statements.length = 0;
      await app.close();
      await mailer.close();
      await limiter.close();
      await tracer.close();
      await database.close();
    },
  };
}

/** The folder of the files of all services of a process. */
export const filesFolder = mkdtempSync(join(tmpdir(), 'premises-files-'));
process.on('exit', () => rmSync(filesFolder, { recursive: true, force: true }));
const filesUrl = pathToFileURL(filesFolder).href;

/** The files of these services, or of others, with another store or address. */
export const filesOf = (env: Record<string, string> = {}): Files =>
  openFiles(readConfig({ FILES_URL: filesUrl, ...env }));

/** What a service is made of. */
interface Parts {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly limiter: Limiter;
  readonly mailer: Mailer;
  readonly tracer: Tracer;
}

async function startParts(
  env: Record<string, string>,
  open: typeof testDatabase,
  statements: string[],
): Promise<Parts> {
  const plenty = '1000000';
  const config = readConfig({
    RATE_LIMIT_TOKEN_PER_HOUR: plenty,
    RATE_LIMIT_PUBLIC_PER_HOUR: plenty,
    RATE_LIMIT_LOOKUP_PER_HOUR: plenty,
    FILES_URL: filesUrl,
    ...env,
  });
  const database = await open({
    onQuery: (sql) => {
      if (!/api_tokens|rate_limits/.test(sql)) statements.push(sql);
    },
  });
  const limiter = createLimiter(database, config.redisUrl);
  const logger = pino({ level: process.env.LOG_LEVEL ?? 'silent' });
  const mailer = await createMailer(config, logger);
  const tracer = await openTracer(config, logger);
  const app = await createApp({ api, config, database, limiter, logger, mailer, tracer });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, database, limiter, mailer, tracer };
}
