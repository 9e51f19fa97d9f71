/**
 * How the reference servers find the caller of a token and count its requests: as premises does, most requests need no
 * statement for either.
 */
import { createHash } from 'node:crypto';

/** The columns of api_tokens that a request needs. */
export interface Token {
  id: string;
  companyId: string;
  userId: string;
  scopes: string[];
  rateLimit: number | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

/** The queries about callers. */
export interface CallerStore {
  /** The token with this SHA-256, or null. */
  findToken(hash: Buffer): Promise<Token | null>;
  /** Counts requests in the caller's hour, in one statement; `expire` is in Unix milliseconds. */
  takePoints(key: string, points: number): Promise<{ points: number; expire: number }>;
}

/** How long (ms) a token is remembered. */
const validForMs = 1000;

/** How many requests are counted at once. */
const blockSize = 1000;

/** The use of a limit: `left` of the `used` requests are counted in the database, but not allowed yet. */
interface Use {
  used: number;
  left: number;
  readonly expire: number;
}

/** The callers that a server knows. */
export class Callers {
  private readonly tokens = new Map<string, { readonly token: Token; readonly foundAt: number }>();
  private readonly uses = new Map<string, Use>();

  constructor(private readonly store: CallerStore) {}

  /** Finds a valid token by its text. */
  async find(bearer: string): Promise<Token | null> {
    const hash = createHash('sha256').update(bearer).digest();
    const key = hash.toString('base64');
    const known = this.tokens.get(key);
    if (known && performance.now() - known.foundAt < validForMs) return known.token;
    const token = await this.store.findToken(hash);
    if (!token || token.revokedAt || (token.expiresAt && token.expiresAt.getTime() <= Date.now())) return null;
    this.tokens.set(key, { token, foundAt: performance.now() });
    return token;
  }

  /** Counts a request. @returns how many are used, and when the hour ends */
  async count({ id, rateLimit }: Token): Promise<{ limit: number; used: number; expire: number }> {
    const limit = rateLimit ?? 100;
    let use = this.uses.get(id);
    if (!use || use.left === 0 || use.expire <= Date.now()) {
      const size = limit > blockSize ? blockSize : 1;
      const { points, expire } = await this.store.takePoints(`reference:${id}`, size);
      use = { used: points, left: size, expire };
      this.uses.set(id, use);
    }
    use.left--;
    return { limit, used: use.used - use.left, expire: use.expire };
  }
}
