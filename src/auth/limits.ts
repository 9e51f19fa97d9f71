import type { Redis } from 'ioredis';
import {
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterStoreAbstract,
} from 'rate-limiter-flexible';
import { deletePages } from '../database/delete-pages.ts';
import type { Database } from '../database/index.ts';
import { connectToRedis } from '../redis.ts';
import { noLog, type OutageLog, OutageReport } from './outage-report.ts';
import { type RateLimitStatus, Reservations } from './reservations.ts';

export type { RateLimitStatus } from './reservations.ts';

/** Counts requests per key in fixed windows of an hour, each of which starts with its first request. */
export interface Limiter {
  /** Counts one request of `key`, or several, if `limit` allows all of them: refused requests do not count. */
  consume(key: string, limit: number, requests?: number): Promise<RateLimitStatus>;
  /** Does the same synchronously if the request can be counted without the store; otherwise it does nothing. */
  take(key: string, limit: number): RateLimitStatus | undefined;
  /** Reverts the counting of one request by `consume`. */
  refund(key: string, limit: number): Promise<void>;
  /** Reads the status of `key` without counting a request. */
  peek(key: string, limit: number): Promise<RateLimitStatus>;
  /** Disconnects from Redis; the database stays open. */
  close(): Promise<void>;
}

const hourSeconds = 3600;
const cleanupIntervalMs = 5 * 60_000;
/** Until when a start waits for Redis before it counts elsewhere: so many failed connections, or so long (ms). */
const startAttempts = 3;
const startTimeoutMs = 2000;

// Windows end on whole seconds, so that the reported reset time does not vary with the time that counting takes.

/** Reads and counts in one step on the server, which other instances cannot interrupt. */
const countInRedis = `
local used = tonumber(redis.call('GET', KEYS[1]) or 0) + ARGV[1]
if used <= tonumber(ARGV[3]) then
  redis.call('INCRBY', KEYS[1], ARGV[1])
  if redis.call('PTTL', KEYS[1]) < 0 then redis.call('EXPIREAT', KEYS[1], redis.call('TIME')[1] + ARGV[2]) end
end
return { used, redis.call('PTTL', KEYS[1]) }`;

/** Counts in the database. Rejected requests are not counted. */
class DatabaseLimiter extends RateLimiterPostgres {
  override async consume(key: string | number, requests = 1): Promise<RateLimiterRes> {
    try {
      return await super.consume(key, requests, { customDuration: hourSeconds - (Date.now() % 1000) / 1000 });
    } catch (refused) {
      // Not in the last second of the hour, as it could then be subtracted from the next hour.
      throw refused instanceof RateLimiterRes && refused.msBeforeNext > 1000
        ? await this.reward(key, requests)
        : refused;
    }
  }
}

/**
 * Creates a limiter that counts in Redis, or in the database without Redis. Both count exactly across all processes
 * that share the store; high limits are counted in blocks (`Reservations`). When Redis cannot be reached, the database
 * counts for the following hour: whatever happens to the counts in Redis, nobody gets more than twice the limit.
 *
 * @param redisUrl counts in the database only, unless given
 * @param log logs when Redis cannot be reached, which callers of the limiter do not notice
 */
export function createLimiter(database: Database, redisUrl?: string, log: OutageLog = noLog): Limiter {
  const report = new OutageReport(log);
  const redis =
    redisUrl === undefined
      ? undefined
      : connectToRedis(redisUrl)
          .on('error', (error) => report.fail(error))
          .on('ready', () => report.recover());
  const outage = createOutage(database);
  // Counts may be lost when the connection is; but there are none of this instance before the first connection.
  const ready =
    redis && Promise.all([untilConnected(redis).then(() => redis.on('close', outage.begin)), outage.read()]);

  // A limiter of rate-limiter-flexible has one limit, so each limit has its own; they share the counts by their prefix.
  const common = { duration: hourSeconds, keyPrefix: 'premises' };
  const inDatabase = memoize((points) => {
    const storage = { storeClient: database, storeType: 'client', tableName: 'rate_limits', tableCreated: true };
    return new DatabaseLimiter({ ...common, points, ...storage, clearExpiredByTimeout: false });
  });
  const inRedis = memoize((points) => {
    const storage = { storeClient: redis, customIncrTtlLuaScript: countInRedis, rejectIfRedisNotReady: true };
    return new RateLimiterRedis({ ...common, points, ...storage });
  });

  /** Runs an operation in the store that counts. */
  async function run<T>(limit: number, operation: (limiter: RateLimiterStoreAbstract) => Promise<T>): Promise<T> {
    await ready;
    if (redis && !outage.isRecent()) {
      try {
        return await operation(inRedis(limit));
      } catch (error) {
        if (error instanceof RateLimiterRes) throw error;
        outage.begin();
        report.fail(error);
      }
    }
    return operation(inDatabase(limit));
  }

  const store = {
    async consume(key: string, limit: number, requests: number): Promise<RateLimitStatus> {
      try {
        return toStatus(limit, await run(limit, (limiter) => limiter.consume(key, requests)), true);
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return toStatus(limit, refused, false);
        throw refused;
      }
    },
    async refund(key: string, limit: number, requests: number): Promise<void> {
      await run(limit, (limiter) => limiter.reward(key, requests));
    },
  };
  const reservations = new Reservations(store);

  const deleteExpired = async (size: number) => {
    const text = `DELETE FROM rate_limits WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM rate_limits WHERE expire < $1 ORDER BY expire LIMIT $2
    ))`;
    return (await database.query({ text, values: [Date.now(), size] })).rowCount;
  };
  const cleanup = setInterval(() => {
    reservations.deleteExpired();
    deletePages(deleteExpired).catch(() => {}); // The next cleanup deletes the rest.
  }, cleanupIntervalMs).unref();

  return {
    consume: (key, limit, requests = 1) =>
      requests === 1 ? reservations.consume(key, limit) : store.consume(key, limit, requests),
    take: (key, limit) => reservations.take(key, limit),
    refund: (key, limit) => reservations.refund(key, limit),
    async peek(key, limit) {
      const state = (await run(limit, (limiter) => limiter.get(key))) ?? new RateLimiterRes(limit, hourSeconds * 1000);
      const status = toStatus(limit, state, state.remainingPoints > 0);
      const left = reservations.leftOf(key, limit);
      return left > 0 ? { ...status, remaining: status.remaining + left, allowed: true, retryAfter: 0 } : status;
    },
    async close() {
      clearInterval(cleanup);
      await reservations.close();
      redis?.off('close', outage.begin).disconnect();
    },
  };
}

/** Remembers that Redis could not be reached, also for instances that start later. */
function createOutage(database: Database) {
  const key = 'premises:redis-outage';
  /** The end of the hour that follows the last failure to reach Redis, in Unix ms. */
  let until = 0;
  return {
    isRecent: () => Date.now() < until,
    begin(): void {
      const isStored = until - Date.now() > (hourSeconds - 10) * 1000;
      until = Date.now() + hourSeconds * 1000;
      if (isStored) return;
      const text = `INSERT INTO rate_limits (key, points, expire) VALUES ($1, 0, $2)
                    ON CONFLICT (key) DO UPDATE SET expire = $2`;
      database.query({ text, values: [key, until] }).catch(() => {}); // This instance remembers it even if that failed.
    },
    async read(): Promise<void> {
      const statement = { text: 'SELECT expire FROM rate_limits WHERE key = $1', values: [key] };
      const { rows } = await database.query(statement).catch(() => ({ rows: [] }));
      until = Math.max(until, Number(rows[0]?.['expire'] ?? 0));
    },
  };
}

/** Calls a function once for each number. */
function memoize<T>(create: (key: number) => T): (key: number) => T {
  const known = new Map<number, T>();
  return (key) => {
    const value = known.get(key) ?? create(key);
    known.set(key, value);
    return value;
  };
}

function toStatus(limit: number, { remainingPoints, msBeforeNext }: RateLimiterRes, allowed: boolean): RateLimitStatus {
  const resetsAt = Math.round((Date.now() + msBeforeNext) / 1000);
  const retryAfter = allowed ? 0 : Math.max(1, Math.ceil(msBeforeNext / 1000));
  return { limit, remaining: remainingPoints, resetsAt, allowed, retryAfter };
}

/**
 * Resolves once Redis is connected or out of reach. A single failure is no outage yet: it may be that this process was
 * too busy starting to read the reply, and counting elsewhere from then on would double the limits of the hour.
 */
function untilConnected(redis: Redis): Promise<void> {
  return new Promise((resolve) => {
    let failures = 0;
    const end = () => {
      redis.off('ready', end).off('close', fail);
      resolve();
    };
    const fail = () => {
      failures += 1;
      if (failures === startAttempts) end();
    };
    redis.on('ready', end).on('close', fail);
    setTimeout(() => setImmediate(end), startTimeoutMs).unref(); // The reply may be unread after a busy loop.
  });
}
