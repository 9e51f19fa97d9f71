import { isIP } from 'node:net';
import { z } from 'zod';

/** What the service reads from its environment, checked and with defaults filled in. */
export interface Config {
  /** The address to listen on. */
  host: string;
  /** The port to listen on; 0 lets the system choose. */
  port: number;
  /** A PostgreSQL connection string; without one the embedded database in `dataDir` is used. */
  databaseUrl?: string;
  /** The folder of the embedded database. */
  dataDir: string;
  /** A Redis that counts requests; without one the database does. */
  redisUrl?: string;
  /** The address people and clients reach the service at, without a slash at its end. */
  publicUrl: string;
  /** Signs the cookies of sessions; without one the service makes one and keeps it in the database. */
  authSecret?: string;
  /** The OpenID provider that people may sign in with. */
  oidc?: { issuer: string; clientId: string; clientSecret: string; name: string };
  /** Whose `X-Forwarded-*` headers are believed, as Fastify's `trustProxy` takes it. */
  trustProxy: boolean | number | string;
  /** The least severe level that is logged. */
  logLevel: string;
  /** Whether `npm start` started the process. */
  startedByNpm: boolean;
  /** Requests an hour: of an API token, of an address without a caller, of a signed-in session (decisions: limits). */
  rateLimits: { token: number; public: number; session: number };
}

/** The environment does not make a configuration. The message names every variable at fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /** @param faults what is wrong, by the variable's name */
  constructor(readonly faults: Record<string, string>) {
    const lines = Object.entries(faults).map(([name, fault]) => `  ${name} ${fault}`);
    super(`The configuration has faults:\n${lines.join('\n')}`);
  }
}

const url = (...schemes: string[]) =>
  z.string().refine(
    // A socket's address has no host: postgresql:///premises?host=/run/postgresql
    (value) =>
      schemes.some((scheme) => value.startsWith(`${scheme}://`)) && URL.canParse(value, `${schemes[0]}://base`),
    // The value itself stays out of the message: it may hold a password.
    `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  );

const integer = (least: number, most: number, fallback: number) => {
  const fault = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d+$/, fault)
    .transform(Number)
    .pipe(z.number().min(least, fault).max(most, fault))
    .default(fallback);
};

const perHour = (fallback: number) => integer(1, 1_000_000_000, fallback);

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

/** An IP address, a range in CIDR notation, or one of the names that proxy-addr knows. */
function isAddress(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const environment = z.object({
  // Loopback under both its IPv4 and IPv6 address: reachable from this machine, and from nowhere else until
  // somebody decides so.
  HOST: z.string().default('localhost'),
  PORT: integer(0, 65_535, 4000),
  DATABASE_URL: url('postgresql', 'postgres').optional(),
  DATA_DIR: z.string().default('./data'),
  REDIS_URL: url('redis', 'rediss').optional(),
  PUBLIC_URL: url('http', 'https')
    .refine((value) => !/[?#]/.test(value), 'must have no query and no fragment')
    .optional(),
  AUTH_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  OIDC_ISSUER: url('https', 'http').optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(50, 'must have at most 50 characters').default('SSO'),
  TRUST_PROXY: trustProxy.default(false),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  RATE_LIMIT_TOKEN_PER_HOUR: perHour(100),
  RATE_LIMIT_PUBLIC_PER_HOUR: perHour(60),
  RATE_LIMIT_SESSION_PER_HOUR: perHour(5000),
});

/** What an OpenID provider takes; all of it or nothing. */
const ofOidc = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/**
 * Reads the configuration; a variable that is empty or only spaces counts as unset.
 *
 * @param env the variables, by name
 * @throws ConfigError naming every variable that is at fault, never its value
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const given = Object.entries(env).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : []));
  const read = environment.safeParse(Object.fromEntries(given));
  const faults = Object.fromEntries(read.error?.issues.map((issue) => [issue.path.join('.'), issue.message]) ?? []);
  const left = ofOidc.filter((name) => !given.some(([one]) => one === name));
  if (left.length < ofOidc.length)
    for (const name of left)
      faults[name] ??= `must be set too, as ${ofOidc.filter((one) => !left.includes(one)).join(' and ')} is`;
  if (!read.success || Object.keys(faults).length > 0) throw new ConfigError(faults);
  const values = read.data;
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  return {
    host: values.HOST,
    port: values.PORT,
    databaseUrl: values.DATABASE_URL,
    dataDir: values.DATA_DIR,
    redisUrl: values.REDIS_URL,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://localhost:${values.PORT}`,
    authSecret: values.AUTH_SECRET,
    oidc: issuer && clientId && clientSecret ? { issuer, clientId, clientSecret, name: values.OIDC_NAME } : undefined,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
    startedByNpm: env['npm_lifecycle_event'] !== undefined,
    rateLimits: {
      token: values.RATE_LIMIT_TOKEN_PER_HOUR,
      public: values.RATE_LIMIT_PUBLIC_PER_HOUR,
      session: values.RATE_LIMIT_SESSION_PER_HOUR,
    },
  };
}
