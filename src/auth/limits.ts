import { Redis } from 'ioredis';
import { RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Database } from '../database/index.ts';

/** The hour a caller is in, and what is left of its limit. */
export interface Window {
  /** Requests an hour. */
  limit: number;
  /** Requests left in this hour. */
  remaining: number;
  /** When the hour ends, in Unix seconds. */
  resetsAt: number;
  /** Whether the request may go on; of a peek, whether one made now could. */
  allowed: boolean;
  /** Seconds until one may be made again; 0 while allowed. */
  retryAfter: number;
}

/** Counts requests in fixed hours, each of which starts with its first request. Specification, section 8. */
export interface Limiter {
  /** Counts one request of `key`, unless that is more than `limit` an hour: what is refused does not count. */
  take(key: string, limit: number): Promise<Window>;
  /** Takes back one that `take` counted. */
  giveBack(key: string, limit: number): Promise<void>;
  /** Tells where `key` stands and counts nothing. */
  peek(key: string, limit: number): Promise<Window>;
  /** Lets go of Redis; the database stays open. */
  close(): Promise<void>;
}

const hour = 3600;
const sweepEvery = 5 * 60_000;
/** How long Redis may stay silent (ms) before the database is asked instead. */
const patience = 200;

// Hours end on whole seconds, so that the announced reset does not flicker with the time an answer takes.

/** One step on the server, so that instances cannot come between reading and counting. */
const countInRedis = `
local used = tonumber(redis.call('GET', KEYS[1]) or 0) + ARGV[1]
if used <= tonumber(ARGV[3]) then
  redis.call('INCRBY', KEYS[1], ARGV[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('EXPIREAT', KEYS[1], redis.call('TIME')[1] + ARGV[2]) end
end
return { used, redis.call('PTTL', KEYS[1]) }`;

/** Counts in the database, and takes back what it refused. */
class DatabaseLimiter extends RateLimiterPostgres {
  override async consume(key: string | number): Promise<RateLimiterRes> {
    try {
      return await super.consume(key, 1, { customDuration: hour - (Date.now() % 1000) / 1000 });
    } catch (refused) {
      // In the hour's last second there is nothing worth taking back, and it could reach into the next hour.
      throw refused instanceof RateLimiterRes && refused.msBeforeNext > 1000 ? await this.reward(key) : refused;
    }
  }
}

/**
 * Makes the limiter. It counts in Redis when there is one, and in the database otherwise and for as long as Redis does
 * not answer; either count is exact over all the processes that share the store.
 * @param onRedisError told of every failure to reach Redis, none of which reaches a caller
 */
export function createLimiter(
  database: Database,
  redisUrl?: string,
  onRedisError: (error: Error) => void = () => {},
): Limiter {
  const redis = redisUrl === undefined ? undefined : connect(redisUrl, onRedisError);
  const ready = redis && firstAnswer(redis);
  const limiters = new Map<number, RateLimiterPostgres | RateLimiterRedis>();

  // A limiter of the library has one limit, so there is one for each; they share the prefix, hence the counts.
  function limiterOf(points: number) {
    const known = limiters.get(points);
    if (known) return known;
    const common = { points, duration: hour, keyPrefix: 'premises' };
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

  const sweep = setInterval(() => {
    const statement = { text: 'DELETE FROM rate_limits WHERE expire < $1', values: [Date.now()] };
    database.query(statement).catch(() => {}); // The next sweep takes what this one left.
  }, sweepEvery).unref();

  return {
    async take(key, limit) {
      await ready;
      try {
        return windowOf(limit, await limiterOf(limit).consume(key), true);
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return windowOf(limit, refused, false);
        throw refused;
      }
    },
    async giveBack(key, limit) {
      await ready;
      await limiterOf(limit).reward(key);
    },
    async peek(key, limit) {
      await ready;
      const state = (await limiterOf(limit).get(key)) ?? new RateLimiterRes(limit, hour * 1000);
      return windowOf(limit, state, state.remainingPoints > 0);
    },
    async close() {
      clearInterval(sweep);
      redis?.disconnect();
    },
  };
}

function windowOf(limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): Window {
  const resetsAt = Math.round((Date.now() + msBeforeNext) / 1000);
  const retryAfter = allowed ? 0 : Math.max(1, Math.ceil(msBeforeNext / 1000));
  return { limit, remaining: remainingPoints, resetsAt, allowed, retryAfter };
}

function connect(url: string, onError: (error: Error) => void): Redis {
  const options = {
    // Drops a connection that has fallen silent, so that only the first requests wait for it.
    socketTimeout: patience,
    commandTimeout: patience + 50,
    connectTimeout: 1000,
    disconnectTimeout: patience,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
  };
  return new Redis(url, options).on('error', onError);
}

/** Resolves once Redis can be asked or cannot be reached, so that the first requests count where the later ones do. */
function firstAnswer(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    redis.once('ready', resolve).once('close', resolve);
    setTimeout(() => setImmediate(resolve), patience); // Busy with other things, we may just not have read the answer.
  });
}
