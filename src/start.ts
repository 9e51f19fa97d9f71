import { type AddressInfo, createServer } from 'node:net';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import { createLimiter, type Limiter } from './auth/limits.ts';
import { isHttpOnThisMachine } from './auth/sessions/index.ts';
import { Clock } from './background/clock.ts';
import { FileScans } from './background/file-scans.ts';
import { GuestMail } from './background/guest-mail.ts';
import { Jobs } from './background/jobs.ts';
import { LogTurns } from './background/log-turns.ts';
import { Notifications } from './background/notifications/notifications.ts';
import { savedQueryMail } from './background/saved-queries/mail.ts';
import { queryProblemMail } from './background/saved-queries/problem.ts';
import { QuerySchedules } from './background/saved-queries/schedules.ts';
import { StoredFiles } from './background/stored-files.ts';
import { turnedOffMail } from './background/webhooks/turned-off-mail.ts';
import { Webhooks } from './background/webhooks/webhooks.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { refreshCollations } from './database/collations.ts';
import { currentOperation, type Database } from './database/index.ts';
import { hasSearchIndexes, MigrationError, openMigrated } from './database/prepare.ts';
import { warmTextSearch } from './database/text-search.ts';
import { beginGeneration, watchGeneration } from './events/generation.ts';
import { type Files, openFiles } from './files/index.ts';
import { importFile } from './import/index.ts';
import type { JobDefinition } from './jobs/index.ts';
import { createLogger } from './log.ts';
import { createMailer, type Mailer } from './mail/index.ts';
import { createRefresher, type Refresher } from './resource/index.ts';
import { occurrences } from './schema/changes/occurrences.ts';
import { previewFile } from './schema/files/preview-job.ts';
import { indexTexts, readDocument } from './schema/files/text-job.ts';
import { api } from './schema/index.ts';
import { createFirstDemo } from './seed/first.ts';
import { analyzeDemo, type DemoAccess } from './seed/index.ts';
import { openTracer, type Tracer } from './tracing/index.ts';

/** How long (ms) disconnecting from the database and Redis may take after a signal to stop. */
const disconnectTimeoutMs = 4000;

/** Starts the service, which runs until it receives a signal. Ends the process when it cannot start. */
export async function start(): Promise<void> {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${formatStartError(error)}\n`);
    process.exit(1);
  }
}

async function main(): Promise<void> {
  const config = await resolvePort(readConfig());
  const logger = await createLogger(config.logLevel, process.stdout.isTTY, nameTrace);
  const tracer = await openTracer(config, logger);
  const database = await prepareDatabase(config, logger);
  const limiter = createLimiter(database, config.redisUrl, logger);
  const mailer = await createMailer(config, logger);
  const refreshStale = createRefresher(database, api.resources);
  const files = openFiles(config);
  const app = await createApp({ api, config, database, limiter, logger, files, mailer, refreshStale, tracer });
  const background = createBackground(config, { database, files, mailer, limiter, refreshStale, tracer, log: logger });
  await warnOfLimitations(config, database, logger);
  database.onReplicasUnfit?.((reason) =>
    logger.warn({ reason }, 'reads do not run on replicas; see docs/postgresql.md'),
  );

  // Before it listens, as a client that gets a response may send a signal.
  const stopping = new AbortController();
  let greeting = Promise.resolve(false);
  stopOnSignal(config, logger, async () => {
    stopping.abort();
    await Promise.all([app.close(), greeting, ...background.map((each) => each.close())]);
    await mailer.close();
    await Promise.all([limiter.close(), tracer.close(), files.store.close()]);
    await database.close();
    return app.unanswered === 0;
  });
  await app.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
    throw explainListenError(error, config);
  });
  void files.store
    .check()
    .catch((err: unknown) => logger.error({ err }, 'files can be neither sent nor read; see docs/operations.md#files'));
  // After listening, as a start that fails because the port is in use creates nothing.
  if (config.demo) greeting = greetWithDemo(config, database, logger, stopping.signal);
  const isGreeted = await greeting;
  if (stopping.signal.aborted) return;
  for (const each of background) each.start();
  // It may end with the service, and nobody misses it.
  void warmTextSearch(database).catch(() => {});
  if (isGreeted) return;
  if (!config.demo && (await database.prisma.company.count()) === 0) printFirstSteps(config.publicUrl);
  else if (process.stdout.isTTY)
    process.stdout.write(`\nPremises is running. Sign in at ${config.publicUrl}/sign-in\n\n`);
}

/** Names the trace of the current work in its lines of the log. */
const nameTrace = () => ({ ...currentOperation()?.logged });

/** Whether the database is embedded, in a folder. */
const isInFolder = ({ dataDir }: Config, { kind }: Database) => kind === 'embedded' && !dataDir.startsWith('memory://');

/** Opens the database, migrated, and recognizes one that was restored from a copy. */
async function prepareDatabase(config: Config, logger: Logger): Promise<Database> {
  const { database } = await openMigrated(config, (what) => logger.info(what));
  const reportGeneration = () =>
    logger.info('the database was restored, or another server took over: the log of changes begins another generation');
  if (await beginGeneration(database, isInFolder(config, database) ? config.dataDir : undefined)) reportGeneration();
  watchGeneration(database, reportGeneration);
  return database;
}

/** The kinds of jobs. */
const jobKinds: readonly JobDefinition[] = [
  turnedOffMail,
  savedQueryMail,
  queryProblemMail,
  importFile,
  indexTexts,
  previewFile,
  readDocument,
];

/** Creates what runs without a request. */
function createBackground(
  { changesKeptDays, publicUrl, webhookAllowedHosts }: Config,
  dependencies: {
    readonly database: Database;
    readonly files: Files;
    readonly mailer: Mailer;
    readonly limiter: Limiter;
    readonly refreshStale: Refresher;
    readonly tracer: Tracer;
    readonly log: Logger;
  },
): readonly { start(): void; close(): Promise<void> }[] {
  const webhooks = new Webhooks({ ...dependencies, api, publicUrl, allowedHosts: webhookAllowedHosts });
  const notifications = new Notifications({ ...dependencies, api });
  return [
    new Clock({ ...dependencies, occurrences, changesKeptDays }),
    new LogTurns(dependencies, [webhooks.reader, notifications.reader]),
    webhooks,
    notifications,
    new GuestMail(dependencies),
    new QuerySchedules(dependencies),
    new Jobs({ ...dependencies, api }, jobKinds),
    new StoredFiles(dependencies),
    new FileScans(dependencies),
  ];
}

/** Logs what does not work with this database and these settings. */
async function warnOfLimitations({ publicUrl }: Config, database: Database, logger: Logger): Promise<void> {
  if (!(await hasSearchIndexes(database)))
    logger.warn('searches have no indexes, as the database has no extension pg_trgm; see docs/operations.md');
  const statements = await refreshCollations(database);
  if (statements.length > 0)
    logger.warn(
      { statements },
      'the rules of a collation changed, so that lists and searches may miss rows; see docs/operations.md',
    );
  if (publicUrl.startsWith('http:') && !isHttpOnThisMachine(publicUrl)) {
    logger.warn(
      { publicUrl },
      'browsers do not store session cookies over plain HTTP; serve over HTTPS and set PUBLIC_URL accordingly',
    );
  }
}

/**
 * Ends the process at the first signal to stop.
 * @param close closes everything; resolves to whether all requests were answered
 */
function stopOnSignal(
  { shutdownTimeoutMs, startedByNpm }: Config,
  logger: Logger,
  close: () => Promise<boolean>,
): void {
  let stopping = false;
  const stop = async (signal: string) => {
    // A signal may arrive twice: directly, and because npm ends.
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), shutdownTimeoutMs + disconnectTimeoutMs).unref();
    process.exit((await close()) ? 0 : 1);
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  if (startedByNpm) onParentExit(() => stop('SIGTERM'));
}

/** Replaces port 0 by a free port, which must be known before it is published, for example in the OpenAPI document. */
async function resolvePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await new Promise<number>((resolve, reject) => {
    const probe = createServer()
      .once('error', reject)
      .listen(0, config.host, () => {
        const { port } = probe.address() as AddressInfo; // it listens on a port, not on a pipe
        probe.close(() => resolve(port));
      });
  });
  return { ...config, port, publicUrl: config.publicUrl.replace(/^(http:\/\/localhost):0$/, `$1:${port}`) };
}

/** Calls `stop` when the parent process ends: npm's shell does not forward signals to this process. */
function onParentExit(stop: () => unknown): void {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    stop();
  }, 250).unref();
}

/**
 * Creates the demo company in an empty database, and prints how to sign in.
 *
 * @param signal aborted when the service stops; the next start does what is left
 * @returns whether it has printed that
 */
async function greetWithDemo(
  config: Config,
  database: Database,
  logger: Logger,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await createFirstDemo(database, {
      signal,
      onCreate: () => logger.info('creating the demo company'),
      async onCreated() {
        await analyzeDemo(database);
        // Creating the demo leaves 60 MB of its memory unused.
        if (isInFolder(config, database)) await database.restart?.();
      },
      show: (access) => printAccess(config.publicUrl, access),
    });
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Prints how to make the first company and its admin, on a database without any. */
function printFirstSteps(address: string): void {
  process.stdout.write(`
Premises is running at ${address}, and its database has no company yet. Create the first one and its admin, with a
password of at least 10 characters:

  npm run --silent admin -- company create --slug acme --name 'Acme Ltd'
  echo '<password>' | npm run --silent admin -- user create --company acme --email ann@acme.example --name 'Ann Lee' --role admin --password-stdin

Then sign in at ${address}/sign-in. DEMO=true creates a demo company instead.

`);
}

/** Prints how to sign in and call the API after the first start. */
function printAccess(address: string, { token, signIn: { email, password } }: DemoAccess): Promise<void> {
  const text = `
Premises is running at ${address} with a demo company.

  Sign in    ${address}/sign-in
  Email      ${email}
  Password   ${password}

  GraphiQL   ${address}/graphql
  REST       ${address}/api/v1
  API token  ${token}

Try it:

  curl -s -H 'Authorization: Bearer ${token}' '${address}/api/v1/service-requests?limit=3'

The password and the token are shown only once. \`npm run --silent admin -- --help\` explains how to create others.
`;
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

/** Says what to do where the service cannot listen. */
function explainListenError(error: unknown, { host, port }: Config): unknown {
  const remedies: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use by another process. Stop that one, or choose another PORT.`,
    EACCES: `Port ${port} is reserved for the system. Choose a PORT above 1023.`,
    EADDRNOTAVAIL: `This machine does not have the address ${host}. Choose another HOST.`,
    ENOTFOUND: `The host name ${host} cannot be resolved. Choose another HOST.`,
  };
  // Only errors of the system have a code.
  const remedy = remedies[(error as NodeJS.ErrnoException).code ?? ''];
  return remedy ? new ListenError(remedy, { cause: error }) : error;
}

/** The service cannot listen; the message says what to do. */
class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** The errors whose message says what to do. Some of their classes are only loaded where they are needed. */
const explained = [ConfigError.name, MigrationError.name, ListenError.name, 'FolderInUseError', 'OpenError'];

/** Errors of the environment are shown on one line; bugs with their stack. */
function formatStartError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (explained.includes(error.name)) return error.message;
  // System and database errors have a code; an error for several addresses has no message.
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return code ? `Premises cannot start: ${message || code}` : (stack ?? message);
}
