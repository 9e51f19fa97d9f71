import type { UserRole } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import type { Caller } from './caller.ts';
import { hashOf, isWellFormed } from './tokens.ts';

/** How long (ms) a look-up is valid: a token that was revoked is refused within a second, on every instance. */
const validForMs = 900;

/** How often (ms) the tokens in use are looked up again, all in one statement. */
const refreshIntervalMs = 400;

/** How long (ms) after its last use a token still counts as in use. */
const inUseMs = 10_000;

/** How many tokens in use are remembered; the others are looked up for each request. */
const maxKnown = 10_000;

/** A token that was found. */
interface Known {
  readonly caller: Caller;
  /** When it was looked up and last used, in ms of the monotonic clock. */
  foundAt: number;
  usedAt: number;
}

const useIsStale = `(last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;

/** The statement that finds the tokens of a condition, as long as they are valid. */
const findWhere = (condition: string) => ({
  isPrepared: true,
  text: `
    SELECT t.hash, t.id, t.company_id, t.user_id, t.scopes, t.rate_limit, upper(u.role::text COLLATE "C") AS role, c.time_zone,
           ${useIsStale} AS use_is_stale
    FROM api_tokens t JOIN users u ON u.company_id = t.company_id AND u.id = t.user_id JOIN companies c ON c.id = t.company_id
    WHERE ${condition} AND t.revoked_at IS NULL AND u.deactivated_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`,
});

const findTokens = findWhere('t.hash = ANY($1)');
const findToken = findWhere('t.company_id = $1 AND t.id = $2');

const recordUse = `UPDATE api_tokens SET last_used_at = now() WHERE company_id = $1 AND id = $2 AND ${useIsStale}`;

/** What `findTokens` selects. */
interface TokenRow {
  readonly hash: Buffer;
  readonly id: string;
  readonly company_id: string;
  readonly user_id: string;
  readonly scopes: string[];
  readonly rate_limit: number | null;
  readonly role: UserRole;
  readonly time_zone: string;
  readonly use_is_stale: boolean;
}

/**
 * Finds the callers of tokens. Callers are remembered for less than a second; while their tokens are in use they are
 * looked up again in the background, so that few requests wait for a look-up.
 */
export class TokenCallers {
  private readonly known = new Map<string, Known>();
  private readonly searches = new Map<string, Promise<Caller | null>>();
  /** Changes with every `forget`, so that no earlier look-up is remembered after it. */
  private generation = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param rateLimit requests per hour of a token without a rate limit of its own */
  constructor(
    private readonly database: Database,
    private readonly rateLimit: number,
  ) {}

  /**
   * Finds the caller that a token stands for. Records when the token was last used, to the minute, without making the
   * request wait for it.
   *
   * @returns null for a token that is malformed (which costs no statement), unknown, revoked or expired
   */
  async find(token: string): Promise<Caller | null> {
    if (!isWellFormed(token)) return null;
    const recalled = this.recall(token);
    if (recalled) return recalled;
    const hash = hashOf(token);
    let search = this.searches.get(hash);
    if (!search) {
      search = this.search([hash]).then((found) => found.get(hash)?.caller ?? null);
      this.searches.set(hash, search);
      void search.catch(() => {}).finally(() => this.searches.delete(hash));
    }
    return search;
  }

  /** Finds the caller that the token with an id stands for; null for one that is unknown, revoked or expired. */
  async findById({ companyId, id }: Pick<Caller, 'companyId' | 'id'>): Promise<Caller | null> {
    const { rows } = await this.database.query({ ...findToken, values: [companyId, id] });
    // Its columns are those of the statement.
    const [row] = rows as unknown as TokenRow[];
    if (!row) return null;
    if (row.use_is_stale) this.recordUse(row);
    return this.callerOf(row);
  }

  /** The caller that a token stands for, if it was looked up a moment ago. */
  recall(token: string): Caller | undefined {
    const known = this.known.get(hashOf(token));
    const now = performance.now();
    if (!known || now - known.foundAt >= validForMs) return undefined;
    known.usedAt = now;
    return known.caller;
  }

  /** Forgets all callers, so that the next request of each looks its token up. */
  forget(): void {
    this.generation++;
    this.known.clear();
    this.searches.clear();
  }

  /** Stops looking tokens up in the background. */
  close(): void {
    this.forget();
    clearTimeout(this.timer);
  }

  /** Looks tokens up by their hashes, and remembers those that it finds. */
  private async search(hashes: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const { generation } = this;
    const foundAt = performance.now();
    const values = [hashes.map((hash) => Buffer.from(hash, 'base64'))];
    const { rows } = await this.database.query({ ...findTokens, values });
    // Their columns are those of the statement.
    const found = new Map((rows as unknown as TokenRow[]).map((row) => [row.hash.toString('base64'), row]));
    const result = new Map<string, Known>();
    for (const [hash, row] of found) {
      const usedAt = this.known.get(hash)?.usedAt ?? foundAt;
      if (row.use_is_stale) this.recordUse(row);
      result.set(hash, { caller: this.callerOf(row), foundAt, usedAt });
    }
    if (generation === this.generation) this.remember(hashes, result);
    return result;
  }

  private remember(hashes: readonly string[], found: ReadonlyMap<string, Known>): void {
    for (const hash of hashes) {
      const one = found.get(hash);
      if (!one) this.known.delete(hash);
      else if (this.known.size < maxKnown || this.known.has(hash)) this.known.set(hash, one);
    }
    this.timer ??= setTimeout(() => void this.refresh(), refreshIntervalMs).unref();
  }

  /** Looks up again what is in use, and forgets the rest. */
  private async refresh(): Promise<void> {
    const now = performance.now();
    for (const [hash, { usedAt }] of this.known) if (now - usedAt > inUseMs) this.known.delete(hash);
    try {
      if (this.known.size > 0) await this.search([...this.known.keys()]);
    } catch {
      // Until the database responds again, each request looks up its token and reports the failure.
    }
    this.timer = undefined;
    if (this.known.size > 0) this.timer = setTimeout(() => void this.refresh(), refreshIntervalMs).unref();
  }

  private callerOf({
    id,
    company_id: companyId,
    user_id: userId,
    scopes,
    role,
    time_zone,
    rate_limit,
  }: TokenRow): Caller {
    const rateLimit = rate_limit ?? this.rateLimit;
    return { kind: 'token', id, companyId, timeZone: time_zone, userId, scopes, role, rateLimit };
  }

  /** The request does not fail when this fails. */
  private recordUse({ company_id: companyId, id }: TokenRow): void {
    this.database.query({ text: recordUse, values: [companyId, id], isReadLate: true }).catch(() => {});
  }
}
