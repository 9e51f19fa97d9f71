import { z } from 'zod';
import { isAddress, splitHosts } from './formats.ts';
import { isRedisUrl } from './redis.ts';
import { findProblem, isClamdUrl } from './store-urls.ts';

/** The service's configuration from its environment, validated and with defaults filled in. */
export interface Config {
  /** The address to listen on. */
  host: string;
  /** The port to listen on; 0 lets the system choose. */
  port: number;
  /** A URL of PostgreSQL, of one or several servers; without one the embedded database in `dataDir` is used. */
  databaseUrl?: string;
  /** The same database as a role that may change its tables; without one `databaseUrl` is used for migrations too. */
  migrationDatabaseUrl?: string;
  /** The most connections to PostgreSQL. */
  databasePoolSize: number;
  /** Whether statements are prepared in PostgreSQL; off behind a pooler that does not carry them. */
  preparesStatements: boolean;
  /** The servers that follow the one of `databaseUrl`, on which reads may run. */
  databaseReplicaUrls?: readonly string[] | undefined;
  /** The standby that BI tools read; their roles are created only with one. */
  biDatabaseUrl?: string | undefined;
  /** The folder of the embedded database. */
  dataDir: string;
  /** Whether the first start on an empty database creates the demo company. */
  demo: boolean;
  /** A Redis that counts requests; without one the database does. */
  redisUrl?: string;
  /** The address that people and clients reach the service at, without a trailing slash. */
  publicUrl: string;
  /** Signs the cookies of sessions; without one the service creates one in the database. */
  authSecret?: string;
  /** Another secret whose cookies are accepted too, while `authSecret` replaces it. */
  previousAuthSecret?: string;
  /** The token that `/metrics` requires; without one there are no metrics. */
  metricsToken?: string;
  /** The collector that gets traces, how, and of which requests; without one there are none. */
  tracing?: { url: string; protocol: string; sampler: string; ratio: number; delayMs: number };
  /** From how long (ms) on an operation is logged as slow; never without one. */
  slowOperationMs?: number;
  /** The server that sends email, and the address it is sent from; without one no email is sent. */
  smtp?: { url: string; from: string };
  /** The OpenID provider that people can sign in with. */
  oidc?: { issuer: string; clientId: string; clientSecret: string; name: string };
  /** The proxies whose `X-Forwarded-*` headers are trusted; the value of Fastify's `trustProxy`. */
  trustProxy: boolean | number | string;
  /** Maximum size (bytes) of a response in JSON. */
  maxResponseBytes: number;
  /** Maximum size (bytes) of a file that is imported. */
  maxImportBytes: number;
  /** Where the bytes of files are; without it a folder in `dataDir`. */
  filesUrl?: string;
  /** The keys of S3; without them it is looked for those of the machine. */
  s3Keys?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined };
  /** The host that sends contents of files and nothing else, without a trailing slash. */
  filesOrigin?: string;
  /** Whether contents of files are sent by S3 itself. */
  redirectsToFiles: boolean;
  /** The scanner for malware; without it files are not scanned. */
  clamdUrl?: string;
  /** Maximum size (bytes) of a file, and of all files of a company. */
  maxFileBytes: number;
  maxCompanyFileBytes: number;
  /** The most requests in flight, of the process and of one connection. */
  inFlight: { total: number; perConnection: number };
  /** The most requests that wait for changes. */
  waiting: { total: number; perCaller: number };
  /** The hosts of webhooks that may be private, and without TLS. */
  webhookAllowedHosts: string[];
  /** How many days the log of changes is kept; forever without. */
  changesKeptDays?: number;
  /** How long (ms) the service waits for requests in flight when it is stopped. */
  shutdownTimeoutMs: number;
  /** The least severe level that is logged. */
  logLevel: string;
  /** Whether `npm start` started the process. */
  startedByNpm: boolean;
  /**
   * Requests per hour of an API token, of an IP address without a caller, of one that looks up packages, of a signed-in
   * session, and of all callers of a company together, if they have a limit; rows that a company writes by requests
   * with many; and bytes that the signed links of a caller read.
   */
  rateLimits: {
    token: number;
    public: number;
    lookup: number;
    session: number;
    company?: number;
    rows: number;
    bytes: number;
  };
}

/** An invalid configuration. The message lists every invalid variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /** @param problems what is wrong with each invalid variable, by its name */
  constructor(readonly problems: Record<string, string>) {
    const lines = Object.entries(problems).map(([name, problem]) => `  ${name} ${problem}`);
    super(`Invalid configuration:\n${lines.join('\n')}`);
  }
}

const url = (...schemes: string[]) =>
  z.string().refine(
    // The address of a Unix socket has no host: postgresql:///premises?host=/run/postgresql
    (value) =>
      schemes.some((scheme) => value.startsWith(`${scheme}://`)) && URL.canParse(value, `${schemes[0]}://base`),
    // The message leaves out the value, which may contain a password.
    `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  );

/** A URL that may list several hosts. */
const databaseUrl = z
  .string()
  .refine(
    (value) => splitHosts(value).every((one) => url('postgresql', 'postgres').safeParse(one).success),
    'must be a URL that starts with postgresql:// or postgres://',
  );

/** URLs of one host each, separated by commas or spaces. */
const replicaUrls = z
  .string()
  .transform((value) => value.split(/\s*,\s*(?=postgres)|\s+/))
  .refine(
    (urls) => urls.every((one) => url('postgresql', 'postgres').safeParse(one).success && splitHosts(one).length === 1),
    'must be URLs that start with postgresql:// or postgres:// and name one host, separated by commas',
  );

const redisUrl = z
  .string()
  .refine(
    isRedisUrl,
    'must be a URL that starts with redis:// or rediss://, or lists Sentinels: redis+sentinel://host,host/name',
  );

/** A folder, or where objects are in S3. */
const filesUrl = z.string().superRefine((value, { addIssue }) => {
  const isFolder = url('file').safeParse(value).success;
  const folder = isFolder ? undefined : 'must be a URL that starts with file:// or s3://';
  const message = value.startsWith('s3:') ? findProblem(value) : folder;
  if (message !== undefined) addIssue({ code: 'custom', message });
});

const integer = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, message).transform(Number).pipe(z.number().min(min, message).max(max, message));
};

const requestsPerHour = integer(1, 1_000_000_000);

const trustProxy = z
  .string()
  .transform((value) => {
    if (value === 'true') return true;
    if (value === 'false') return false;
    return /^\d+$/.test(value)
      ? Number(value)
      : value
          .split(',')
          .map((address) => address.trim())
          .join(',');
  })
  .refine(
    (value) => typeof value !== 'string' || value.split(',').every(isAddress),
    'must be true, false, a number of hops, or a comma-separated list of addresses (10.0.0.1, 10.0.0.0/8, loopback, linklocal, uniquelocal)',
  );

const secret = z.string().min(32, 'must be at least 32 characters');

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const otlpProtocol = z.enum(['http/protobuf', 'http/json'], 'must be http/protobuf or http/json');

/** Those of OpenTelemetry's specification. */
const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);

/** The variables, as texts, with their defaults. */
export const environment = z.object({
  // Loopback, by IPv4 and IPv6: reachable from this machine only.
  HOST: z.string().default('localhost'),
  PORT: integer(0, 65_535).default(4000),
  DATABASE_URL: databaseUrl.optional(),
  MIGRATION_DATABASE_URL: databaseUrl.optional(),
  DATABASE_REPLICA_URLS: replicaUrls.optional(),
  BI_DATABASE_URL: url('postgresql', 'postgres').optional(),
  DATABASE_POOL_SIZE: integer(6, 1000).default(20),
  DATABASE_PREPARE: z.enum(['true', 'false'], 'must be true or false').default('true'),
  DATA_DIR: z.string().default('./data'),
  DEMO: z.enum(['true', 'false'], 'must be true or false').optional(),
  REDIS_URL: redisUrl.optional(),
  PUBLIC_URL: url('http', 'https')
    .refine((value) => !/[?#]/.test(value), 'must not have a query or a fragment')
    .optional(),
  AUTH_SECRET: secret.optional(),
  AUTH_SECRET_PREVIOUS: secret.optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must consist of visible ASCII characters')
    .optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('http', 'https').optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol.default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otlpProtocol.optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp'),
  OTEL_TRACES_SAMPLER: z.enum(samplers, `must be one of ${samplers.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((value) => Number(value) >= 0 && Number(value) <= 1, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1),
  OTEL_BSP_SCHEDULE_DELAY: integer(10, 600_000).default(5000),
  SLOW_OPERATION_MS: integer(0, 3_600_000).default(2000),
  SMTP_URL: url('smtp', 'smtps').optional(),
  SMTP_FROM: z.email('must be an email address').optional(),
  OIDC_ISSUER: url('https', 'http').optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(50, 'must be at most 50 characters').default('SSO'),
  TRUST_PROXY: trustProxy.default(false),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  MAX_RESPONSE_BYTES: integer(100_000, 1_000_000_000).default(20_000_000),
  MAX_IMPORT_BYTES: integer(10_000, 1_000_000_000).default(100_000_000),
  FILES_URL: filesUrl.optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  FILES_REDIRECT: z.enum(['true', 'false'], 'must be true or false').default('false'),
  FILES_ORIGIN: url('http', 'https')
    .refine((value) => /^https?:\/\/[^/?#@]+\/?$/.test(value), 'must be https://host, or http://host')
    .optional(),
  CLAMD_URL: z.string().refine(isClamdUrl, 'must be tcp://host:port or unix:///path').optional(),
  MAX_FILE_BYTES: integer(10_000, 1_000_000_000_000).default(2_000_000_000),
  MAX_COMPANY_FILE_BYTES: integer(10_000, 1_000_000_000_000_000).default(50_000_000_000),
  MAX_REQUESTS_IN_FLIGHT: integer(10, 1_000_000).default(1000),
  MAX_REQUESTS_PER_CONNECTION: integer(1, 10_000).default(16),
  MAX_REQUESTS_WAITING: integer(10, 1_000_000).default(2000),
  MAX_REQUESTS_WAITING_PER_TOKEN: integer(1, 10_000).default(5),
  WEBHOOK_ALLOW_HOSTS: z
    .string()
    .regex(/^[\w.:[\]-]+(\s*,\s*[\w.:[\]-]+)*$/, 'must be host names, separated by commas')
    .optional(),
  CHANGES_KEPT_DAYS: integer(0, 36_500).default(365),
  SHUTDOWN_GRACE_SECONDS: integer(0, 3600).default(10),
  RATE_LIMIT_TOKEN_PER_HOUR: requestsPerHour.default(100),
  RATE_LIMIT_PUBLIC_PER_HOUR: requestsPerHour.default(60),
  RATE_LIMIT_LOOKUP_PER_HOUR: requestsPerHour.default(600),
  RATE_LIMIT_SESSION_PER_HOUR: requestsPerHour.default(5000),
  RATE_LIMIT_COMPANY_PER_HOUR: requestsPerHour.optional(),
  ROW_LIMIT_COMPANY_PER_HOUR: requestsPerHour.default(100_000),
  BYTE_LIMIT_LINKS_PER_HOUR: integer(100_000, 1_000_000_000_000).default(10_000_000_000),
});

/** The variables of the OpenID provider, which are set together or not at all. */
const oidcVariables = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/** The keys of S3 are set together, too. */
const keyVariables = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/**
 * Reads and validates the configuration. A variable that is empty or only spaces counts as unset.
 *
 * @param env the variables by name
 * @throws {ConfigError} with every invalid variable, but not its value
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim()] as const);
  const set = Object.fromEntries(trimmed.filter(([, value]) => value));
  const result = environment.safeParse(set);
  const problems = Object.fromEntries(result.error?.issues.map((issue) => [issue.path.join('.'), issue.message]) ?? []);
  for (const name of ['MIGRATION_DATABASE_URL', 'DATABASE_REPLICA_URLS', 'BI_DATABASE_URL'])
    if (name in set && !('DATABASE_URL' in set)) problems['DATABASE_URL'] ??= `is required when ${name} is set`;
  if (set['FILES_REDIRECT'] === 'true' && !set['FILES_URL']?.startsWith('s3:'))
    problems['FILES_REDIRECT'] ??= 'is for files in S3: FILES_URL must be s3://bucket/prefix';
  for (const group of [oidcVariables, keyVariables]) {
    const given = group.find((name) => name in set);
    for (const name of group) if (given && !(name in set)) problems[name] ??= `is required when ${given} is set`;
  }
  if (!result.success || Object.keys(problems).length > 0) throw new ConfigError(problems);
  const values = result.data;
  const publicUrl = values.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://localhost:${values.PORT}`;
  if (values.FILES_ORIGIN !== undefined && new URL(values.FILES_ORIGIN).hostname === new URL(publicUrl).hostname)
    throw new ConfigError({ FILES_ORIGIN: 'must be another host than that of PUBLIC_URL' });
  const defaultFrom = `premises@${new URL(publicUrl).hostname}`;
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = values;
  const keys = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return {
    host: values.HOST,
    port: values.PORT,
    databaseUrl: values.DATABASE_URL,
    migrationDatabaseUrl: values.MIGRATION_DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    preparesStatements: values.DATABASE_PREPARE === 'true',
    databaseReplicaUrls: values.DATABASE_REPLICA_URLS,
    biDatabaseUrl: values.BI_DATABASE_URL,
    dataDir: values.DATA_DIR,
    // A server's database is somebody's own; the embedded one is there to try the service.
    demo: values.DEMO === undefined ? values.DATABASE_URL === undefined : values.DEMO === 'true',
    redisUrl: values.REDIS_URL,
    publicUrl,
    authSecret: values.AUTH_SECRET,
    previousAuthSecret: values.AUTH_SECRET_PREVIOUS,
    metricsToken: values.METRICS_TOKEN,
    tracing: tracingOf(values),
    slowOperationMs: values.SLOW_OPERATION_MS || undefined,
    smtp: values.SMTP_URL === undefined ? undefined : { url: values.SMTP_URL, from: values.SMTP_FROM ?? defaultFrom },
    oidc: issuer && clientId && clientSecret ? { issuer, clientId, clientSecret, name: values.OIDC_NAME } : undefined,
    trustProxy: values.TRUST_PROXY,
    maxResponseBytes: values.MAX_RESPONSE_BYTES,
    maxImportBytes: values.MAX_IMPORT_BYTES,
    filesUrl: values.FILES_URL,
    s3Keys: keys && { ...keys, sessionToken: values.AWS_SESSION_TOKEN },
    filesOrigin: values.FILES_ORIGIN && new URL(values.FILES_ORIGIN).origin,
    redirectsToFiles: values.FILES_REDIRECT === 'true',
    clamdUrl: values.CLAMD_URL,
    maxFileBytes: values.MAX_FILE_BYTES,
    maxCompanyFileBytes: values.MAX_COMPANY_FILE_BYTES,
    inFlight: { total: values.MAX_REQUESTS_IN_FLIGHT, perConnection: values.MAX_REQUESTS_PER_CONNECTION },
    waiting: { total: values.MAX_REQUESTS_WAITING, perCaller: values.MAX_REQUESTS_WAITING_PER_TOKEN },
    webhookAllowedHosts: values.WEBHOOK_ALLOW_HOSTS?.toLowerCase().split(/\s*,\s*/) ?? [],
    changesKeptDays: values.CHANGES_KEPT_DAYS || undefined,
    shutdownTimeoutMs: values.SHUTDOWN_GRACE_SECONDS * 1000,
    logLevel: values.LOG_LEVEL,
    startedByNpm: env['npm_lifecycle_event'] !== undefined,
    rateLimits: {
      token: values.RATE_LIMIT_TOKEN_PER_HOUR,
      public: values.RATE_LIMIT_PUBLIC_PER_HOUR,
      lookup: values.RATE_LIMIT_LOOKUP_PER_HOUR,
      session: values.RATE_LIMIT_SESSION_PER_HOUR,
      company: values.RATE_LIMIT_COMPANY_PER_HOUR,
      rows: values.ROW_LIMIT_COMPANY_PER_HOUR,
      bytes: values.BYTE_LIMIT_LINKS_PER_HOUR,
    },
  };
}

/** Where traces go, by OpenTelemetry's variables: the endpoint of all signals has the path of traces appended. */
function tracingOf(values: z.infer<typeof environment>): Config['tracing'] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = values;
  const url = own ?? (all && `${all.replace(/\/+$/, '')}/v1/traces`);
  const isOff = values.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || values.OTEL_TRACES_EXPORTER === 'none';
  if (url === undefined || isOff) return undefined;
  const protocol = values.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? values.OTEL_EXPORTER_OTLP_PROTOCOL;
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio, OTEL_BSP_SCHEDULE_DELAY: delayMs } = values;
  return { url, protocol, sampler, ratio, delayMs };
}
