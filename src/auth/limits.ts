import { Redis } from 'ioredis';
import { RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../database/index.ts';

/** How much of a rate limit is used. */
export interface RateLimitStatus {
  /** Requests per hour. */
  limit: number;
  /** Requests left in this hour. */
  remaining: number;
  /** When the hour ends, in Unix seconds. */
  resetsAt: number;
  /** Whether the request is allowed; for `peek`, whether one made now would be. */
  allowed: boolean;
  /** Seconds until the next request is allowed; 0 while allowed. */
  retryAfter: number;
}

/** Counts requests per key in fixed windows of an hour, each of which starts with its first request. */
export interface Limiter {
  /** Counts one request of `key`, if `limit` allows it: refused requests do not count. */
  consume(key: string, limit: number): Promise<RateLimitStatus>;
  /** Reverts the counting of one request by `consume`. */
  refund(key: string, limit: number): Promise<void>;
  /** Reads the status of `key` without counting a request. */
  peek(key: string, limit: number): Promise<RateLimitStatus>;
  /** Disconnects from Redis; the database stays open. */
  close(): Promise<void>;
}

const hourSeconds = 3600;
const cleanupIntervalMs = 5 * 60_000;
/** How long Redis may take to reply before requests are counted in the database instead. */
const redisTimeoutMs = 200;

// Windows end on whole seconds, so that the reported reset time does not vary with the time that counting takes.

/** Reads and counts in one step on the server, which other instances cannot interrupt. */
const countInRedis = `
local used = tonumber(redis.call('GET', KEYS[1]) or 0) + ARGV[1]
if used <= tonumber(ARGV[3]) then
  redis.call('INCRBY', KEYS[1], ARGV[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('EXPIREAT', KEYS[1], redis.call('TIME')[1] + ARGV[2]) end
end
return { used, redis.call('PTTL', KEYS[1]) }`;

/** Counts in the database, without rejected requests. */
class DatabaseLimiter extends RateLimiterPostgres {
  override async consume(key: string | number): Promise<RateLimiterRes> {
    try {
      return await super.consume(key, 1, { customDuration: hourSeconds - (Date.now() % 1000) / 1000 });
    } catch (refused) {
      // Not in the hour's last second, as it could then be taken from the next hour.
      throw refused instanceof RateLimiterRes && refused.msBeforeNext > 1000 ? await this.reward(key) : refused;
    }
  }
}

/**
 * Creates a limiter that counts in Redis, or in the database without Redis and while Redis does not answer. Both count
 * exactly across all processes that share the store.
 *
 * @param redisUrl counts in the database only, unless given
 * @param onRedisError called for every failure to reach Redis; callers of the limiter do not get these errors
 */
export function createLimiter(
  database: Database,
  redisUrl?: string,
  onRedisError: (error: Error) => void = () => {},
): Limiter {
  const redis = redisUrl === undefined ? undefined : connect(redisUrl, onRedisError);
  const ready = redis && untilConnected(redis);
  const limiters = new Map<number, RateLimiterPostgres | RateLimiterRedis>();

  // A limiter of rate-limiter-flexible has one limit, so each limit has its own; they share the counts by their prefix.
  function limiterFor(points: number) {
    const known = limiters.get(points);
    if (known) return known;
    const common = { points, duration: hourSeconds, keyPrefix: 'premises' };
    const storage = { storeClient: database, storeType: 'client', tableName: 'rate_limits', tableCreated: true };
    const inDatabase = new DatabaseLimiter({ ...common, ...storage, clearExpiredByTimeout: false });
    const limiter = redis
      ? new RateLimiterRedis({
          ...common,
          storeClient: redis,
          customIncrTtlLuaScript: countInRedis,
          rejectIfRedisNotReady: true,
          insuranceLimiter: inDatabase,
        })
      : inDatabase;
    limiters.set(points, limiter);
    return limiter;
  }

  const cleanup = setInterval(() => {
    const statement = { text: 'DELETE FROM rate_limits WHERE expire < $1', values: [Date.now()] };
    database.query(statement).catch(() => {}); // The next cleanup deletes the rest.
  }, cleanupIntervalMs).unref();

  return {
    async consume(key, limit) {
      await ready;
      try {
        return toStatus(limit, await limiterFor(limit).consume(key), true);
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return toStatus(limit, refused, false);
        throw refused;
      }
    },
    async refund(key, limit) {
      await ready;
      await limiterFor(limit).reward(key);
    },
    async peek(key, limit) {
      await ready;
      const state = (await limiterFor(limit).get(key)) ?? new RateLimiterRes(limit, hourSeconds * 1000);
      return toStatus(limit, state, state.remainingPoints > 0);
    },
    async close() {
      clearInterval(cleanup);
      redis?.disconnect();
    },
  };
}

function toStatus(limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): RateLimitStatus {
  const resetsAt = Math.round((Date.now() + msBeforeNext) / 1000);
  const retryAfter = allowed ? 0 : Math.max(1, Math.ceil(msBeforeNext / 1000));
  return { limit, remaining: remainingPoints, resetsAt, allowed, retryAfter };
}

function connect(url: string, onError: (error: Error) => void): Redis {
  const options = {
    // Drops an unresponsive connection, so that only the first requests wait for it.
    socketTimeout: redisTimeoutMs,
    commandTimeout: redisTimeoutMs + 50,
    connectTimeout: 1000,
    disconnectTimeout: redisTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  };
  return new Redis(url, options).on('error', onError);
}

/** Resolves once Redis is connected or out of reach, so that the first requests count in the same store as later ones. */
function untilConnected(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    redis.once('ready', resolve).once('close', resolve);
    setTimeout(() => setImmediate(resolve), redisTimeoutMs); // The reply may be unread after a busy loop.
  });
}
