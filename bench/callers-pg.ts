/** The callers in PostgreSQL, through pg. */
import pg from 'pg';
import type { CallerStore, Token } from './callers.ts';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });

const names = new Map<string, string>();

/** Runs a named statement, which PostgreSQL parses once per connection. */
export async function rowsOf<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
  const name = names.get(text) ?? `s${names.size}`;
  names.set(text, name);
  return (await pool.query<Row>({ name, text, values })).rows;
}

export const callersInPg: CallerStore = {
  async findToken(hash) {
    const [token] = await rowsOf<Token>(
      `SELECT id, company_id AS "companyId", user_id AS "userId", scopes, rate_limit AS "rateLimit",
         expires_at AS "expiresAt", revoked_at AS "revokedAt"
       FROM api_tokens WHERE hash = $1`,
      [hash],
    );
    return token ?? null;
  },

  async takePoints(key, points) {
    const now = Date.now();
    const [row] = await rowsOf<{ points: number; expire: string }>(
      `INSERT INTO rate_limits AS r (key, points, expire) VALUES ($1, $3::int, $2::bigint + 3600000)
       ON CONFLICT (key) DO UPDATE SET
         points = CASE WHEN r.expire <= $2 THEN $3 ELSE r.points + $3 END,
         expire = CASE WHEN r.expire <= $2 THEN excluded.expire ELSE r.expire END
       RETURNING points, expire`,
      [key, now, points],
    );
    return { points: row!.points, expire: Number(row!.expire) };
  },
};
