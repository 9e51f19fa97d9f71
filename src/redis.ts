import { Redis, type RedisOptions } from 'ioredis';
import { splitHosts } from './formats.ts';

/** How long (ms) Redis may take to answer. */
const answerTimeoutMs = 200;

const options = {
  // Drops an unresponsive connection, so that only the first requests wait for it.
  socketTimeout: answerTimeoutMs,
  commandTimeout: answerTimeoutMs + 50,
  connectTimeout: 1000,
  disconnectTimeout: answerTimeoutMs,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
} as const satisfies RedisOptions;

/**
 * Connects to Redis, and again whenever the connection is lost. Commands fail while there is none.
 *
 * @param url of one server, `redis://:password@host:6379/0`, or of the Sentinels that know which server writes:
 *   `redis+sentinel://:password@one:26379,two:26379/name/0?sentinelPassword=…`, where the password is that of the
 *   servers. With `rediss` both speak TLS.
 */
export const connectToRedis = (url: string): Redis => {
  const sentinels = sentinelsOf(url);
  return sentinels ? new Redis({ ...options, ...sentinels }) : new Redis(url, options);
};

/** Whether a URL is one that `connectToRedis` takes. */
export const isRedisUrl = (url: string): boolean =>
  sentinelUrl.test(url)
    ? splitHosts(url).every((one) => URL.canParse(one))
    : /^rediss?:\/\//.test(url) && URL.canParse(url, 'redis://base') && splitHosts(url).length === 1;

/** The scheme of a URL that lists Sentinels, and in its path the name of the servers and the number of a database. */
const sentinelUrl = /^(rediss?)\+sentinel:\/\/[^/?#]+\/([^/?#]+)(?:\/(\d+))?\/?(?:\?|$)/;

/** The options of a connection by Sentinels; undefined if the URL is that of a server. */
function sentinelsOf(url: string): RedisOptions | undefined {
  const [isSentinels, scheme, name = '', db = '0'] = sentinelUrl.exec(url) ?? [];
  if (isSentinels === undefined) return undefined;
  const urls = splitHosts(url).map((one) => new URL(one));
  // Each of them has the same credentials and parameters.
  const { username = '', password = '', searchParams } = urls[0] ?? {};
  return {
    sentinels: urls.map(({ hostname, port }) => ({ host: withoutBrackets(hostname), port: Number(port) || 26379 })),
    name: decodeURIComponent(name),
    db: Number(db),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    sentinelPassword: searchParams?.get('sentinelPassword') ?? undefined,
    sentinelCommandTimeout: options.connectTimeout,
    ...(scheme === 'rediss' && { enableTLSForSentinelMode: true, tls: {}, sentinelTLS: {} }),
  };
}

/** The host of an IPv6 address, which a URL puts in brackets. */
const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');
