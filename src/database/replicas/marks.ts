import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { connectToRedis } from '../../redis.ts';

/** A place in the log of a server's writes (WAL), on one of its timelines. */
export interface LogPlace {
  readonly timeline: number;
  /** Bytes since the server's first write. */
  readonly lsn: number;
}

/** What the marks say of a company's writes. */
export type Found =
  /** None is being committed, and these are the places of the last ones: of the company, and of everybody. */
  | { readonly state: 'written'; readonly places: readonly LogPlace[] }
  /** One is being committed. */
  | { readonly state: 'writing' }
  /** One was begun so long ago that its end will not be reported. */
  | { readonly state: 'abandoned' }
  /** The marks were lost, or are those of another Redis. */
  | { readonly state: 'lost' };

/** Stands for writes that any company may read. */
export const everybody = 'everybody';

/** How long (s) a write may take from its mark to its end. After that a reader looks for its place itself. */
const writingSeconds = 120;

/** How long (s) a mark is kept, which is far longer than a replica that is used may lag. */
const keptSeconds = 3600;

/** Redis may neither delete marks early nor be another one than the primary names. The first key names the present. */
const ifPresent = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'lost' end
local now = tonumber(redis.call('TIME')[1])`;

const begin = `${ifPresent}
for n = 2, #KEYS do
  redis.call('HSET', KEYS[n], 'w:' .. ARGV[2], now + ARGV[3])
  redis.call('EXPIRE', KEYS[n], ARGV[4])
end
return 'begun'`;

// Numbers are passed on as texts, as Lua would shorten them.
const raise = `
local function raise(key)
  local place = redis.call('HMGET', key, 'timeline', 'lsn')
  local timeline, lsn = tonumber(place[1] or 0), tonumber(place[2] or 0)
  if tonumber(ARGV[2]) > timeline or (tonumber(ARGV[2]) == timeline and tonumber(ARGV[3]) > lsn) then
    redis.call('HSET', key, 'timeline', ARGV[2], 'lsn', ARGV[3])
  end
  redis.call('EXPIRE', key, ARGV[4])
end`;

const end = `${ifPresent}${raise}
for n = 2, #KEYS do
  redis.call('HDEL', KEYS[n], 'w:' .. ARGV[5])
  if ARGV[3] ~= '' then raise(KEYS[n]) end
end
return 'ended'`;

/** A place that follows all writes that were abandoned stands for them; one on another timeline is replaced. */
const settle = `${ifPresent}${raise}
for n = 2, #KEYS do
  local fields = redis.call('HGETALL', KEYS[n])
  for m = 1, #fields, 2 do
    if fields[m]:sub(1, 2) == 'w:' and tonumber(fields[m + 1]) <= tonumber(ARGV[5]) then redis.call('HDEL', KEYS[n], fields[m]) end
  end
  raise(KEYS[n])
end
return 'settled'`;

const find = `${ifPresent}
local found = { 'written' }
for n = 2, #KEYS do
  local fields, timeline, lsn = redis.call('HGETALL', KEYS[n]), '', ''
  for m = 1, #fields, 2 do
    local name, value = fields[m], fields[m + 1]
    if name == 'timeline' then timeline = value
    elseif name == 'lsn' then lsn = value
    elseif tonumber(value) > now then return 'writing'
    else found[1] = 'abandoned' end
  end
  if lsn ~= '' then
    found[#found + 1] = timeline
    found[#found + 1] = lsn
  end
end
return found`;

/** Redis with the scripts above as commands. */
interface Scripted extends Redis {
  beginWrite(keys: number, ...rest: (string | number)[]): Promise<unknown>;
  endWrite(keys: number, ...rest: (string | number)[]): Promise<unknown>;
  settleWrites(keys: number, ...rest: (string | number)[]): Promise<unknown>;
  findWrites(keys: number, ...rest: (string | number)[]): Promise<unknown>;
}

/** A write that was marked. */
export interface Mark {
  readonly writers: readonly string[];
  readonly id: string;
}

/**
 * Marks of writes in Redis, by company: one is made before a write is committed, and has the place of its commit
 * afterwards. They belong to one process of Redis: another one, such as one that was restarted, may lack some.
 */
export class WriteMarks {
  private readonly redis: Scripted;
  /** The process that is connected, and may keep marks. */
  private process: string | undefined;
  /** Called with why the one that is connected may not. */
  onUnfit: (reason: string) => void = () => {};

  constructor(redisUrl: string) {
    const redis = connectToRedis(redisUrl);
    redis.defineCommand('beginWrite', { lua: begin });
    redis.defineCommand('endWrite', { lua: end });
    redis.defineCommand('settleWrites', { lua: settle });
    redis.defineCommand('findWrites', { lua: find });
    // The commands that were just defined.
    this.redis = redis as Scripted;
    redis.on('error', () => {}); // Its commands fail.
    redis.on('close', () => (this.process = undefined));
    redis.on('ready', () => void this.identify().catch(() => redis.disconnect(true)));
  }

  /** Whether what the primary names as the keeper of the marks is the process that is connected. */
  isKeptBy(keeper: string | null): keeper is string {
    return this.process !== undefined && keeper !== null && keeper.startsWith(`${this.process}/`);
  }

  /** Lets the process that is connected keep the marks. @returns how the primary names it; undefined if none may */
  async keep(): Promise<string | undefined> {
    const { process } = this;
    if (process === undefined) return undefined;
    const key = keeperKey(process);
    await this.redis.set(key, randomUUID(), 'NX');
    return `${process}/${await this.redis.get(key)}`;
  }

  /** Marks a write, before it is committed. @returns undefined if that is impossible */
  async begin(keeper: string, writers: readonly string[]): Promise<Mark | undefined> {
    const id = randomUUID();
    const answer = await this.redis
      .beginWrite(...keysOf(keeper, writers), id, writingSeconds, keptSeconds)
      .catch(() => undefined);
    return answer === 'begun' ? { writers, id } : undefined;
  }

  /** Reports the end of a write. @param place where it was committed; undefined if it was not */
  async end(keeper: string, { writers, id }: Mark, place?: LogPlace): Promise<void> {
    await this.redis.endWrite(...keysOf(keeper, writers), place?.timeline ?? '', place?.lsn ?? '', keptSeconds, id);
  }

  /** Finds what is known of the writes that a company can read. */
  async find(keeper: string, company: string): Promise<Found> {
    const found = await this.redis.findWrites(...keysOf(keeper, [company, everybody]));
    if (!Array.isArray(found)) return { state: found === 'writing' ? 'writing' : 'lost' };
    // As the script makes it: a state, and pairs of a timeline and a place.
    const [state, ...numbers] = found as ['written' | 'abandoned', ...string[]];
    if (state === 'abandoned') return { state };
    const places: LogPlace[] = [];
    for (let n = 0; n < numbers.length; n += 2)
      places.push({ timeline: Number(numbers[n]), lsn: Number(numbers[n + 1]) });
    return { state, places };
  }

  /** The time of Redis (s), by which writes are abandoned. */
  async now(): Promise<number> {
    const [seconds = 0] = await this.redis.time();
    return seconds;
  }

  /** Lets a place stand for all writes of a company that were begun before a time of Redis, and have ended. */
  async settle(keeper: string, company: string, place: LogPlace, before: number): Promise<void> {
    const { timeline, lsn } = place;
    await this.redis.settleWrites(...keysOf(keeper, [company, everybody]), timeline, lsn, keptSeconds, before);
  }

  close(): void {
    this.redis.disconnect();
  }

  private async identify(): Promise<void> {
    const about = await this.redis.info();
    const read = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(about)?.[1];
    const [policy, limit] = [read('maxmemory_policy'), read('maxmemory')];
    const isFit = limit === '0' || policy === 'noeviction';
    this.process = isFit ? read('run_id') : undefined;
    if (!isFit) this.onUnfit(`Redis may delete keys, as its maxmemory-policy is ${policy}`);
  }
}

const keeperKey = (process: string) => `premises:writes:${process}`;

/** The number of keys, the keys and the first argument of each script. @param keeper as the primary names it */
function keysOf(keeper: string, companies: readonly string[]): [number, ...string[]] {
  const [process = '', id = ''] = keeper.split('/');
  const key = keeperKey(process);
  return [companies.length + 1, key, ...companies.map((company) => `${key}:${company}`), id];
}
