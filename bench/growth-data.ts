/** The database of the growth benchmark: one company whose service requests grow, beside one with 10,000. */
import { userInfo } from 'node:os';
import pg from 'pg';
import { createToken } from '../src/auth/tokens.ts';
import { openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import { createDatabase } from './data.ts';

/** The database, and a token of the company that grows. */
export interface GrowthData {
  readonly url: string;
  readonly token: string;
  /** Adds service requests until the company has this many. Prints progress to stderr. */
  grow(size: number): Promise<void>;
  /** @param keeps whether the database is kept; a later run continues with it */
  close(keeps: boolean): Promise<void>;
}

const others = 10_000;
const batch = 100_000;

/**
 * Opens the database, and creates and migrates it where needed.
 *
 * @param server the connection string of a PostgreSQL server; the database's name is its own with `_growth`
 */
export async function createGrowthData(server: string): Promise<GrowthData> {
  const url = new URL(server);
  url.username ||= userInfo().username;
  const name = `${url.pathname.slice(1) || 'premises_bench'}_growth`;
  url.pathname = `/${name}`;
  await createDatabase(url);
  const database = await openDatabase({ databaseUrl: url.href, dataDir: '' });
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await migrate(database);
    // The references are right by construction, and the log of changes is not measured.
    await client.query(`SET session_replication_role = replica; SET maintenance_work_mem = '1GB'`);
    const companyId = await companyOf(client, 'growth');
    const { rows } = await client.query<{ id: string }>('SELECT id FROM users WHERE company_id = $1', [companyId]);
    await add(client, await companyOf(client, 'other'), others);
    const { token } = await createToken(database.prisma, {
      companyId,
      userId: rows[0]!.id,
      name: 'Benchmark',
      scopes: ['*'],
      live: true,
      rateLimit: 1_000_000_000,
    });
    return {
      url: url.href,
      token,
      grow: (size) => add(client, companyId, size),
      async close(keeps) {
        await client.end();
        if (!keeps) await drop(url);
      },
    };
  } catch (error) {
    await client.end();
    throw error;
  } finally {
    await database.close();
  }
}

/** The company of a slug, with five users; created where there is none. */
async function companyOf(client: pg.Client, slug: string): Promise<string> {
  const find = async () =>
    (await client.query<{ id: string }>('SELECT id FROM companies WHERE slug = $1', [slug])).rows[0]?.id;
  const found = await find();
  if (found) return found;
  await client.query(`
    INSERT INTO companies (id, name, slug) VALUES (gen_random_uuid(), '${slug}', '${slug}');
    INSERT INTO people (id, full_name, email)
      SELECT gen_random_uuid(), 'User ' || n, '${slug}' || n || '@example.com' FROM generate_series(1, 5) AS n;
    INSERT INTO users (company_id, id, full_name, email, role)
      SELECT companies.id, people.id, people.full_name, people.email, 'admin' FROM companies, people
      WHERE slug = '${slug}' AND people.email LIKE '${slug}%'`);
  return (await find())!;
}

/**
 * Adds service requests of the last two years, oldest first, until a company has a number of them. Indexes are created
 * afterwards where that is faster.
 */
async function add(client: pg.Client, companyId: string, size: number): Promise<void> {
  const count = `SELECT count(*)::int AS count FROM service_requests WHERE company_id = $1`;
  const { count: from } = (await client.query<{ count: number }>(count, [companyId])).rows[0]!;
  if (from >= size) return;
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE tablename = 'service_requests' AND indexname NOT LIKE '%pkey' AND $1`,
    [size - from > batch],
  );
  for (const { name } of indexes) await client.query(`DROP INDEX "${name}"`);
  for (let done = from; done < size; done += batch) {
    await client.query(insertion, [companyId, done + 1, Math.min(done + batch, size), size]);
    process.stderr.write(`\r${Math.min(done + batch, size)} of ${size} service requests`);
  }
  for (const { name, definition } of indexes) {
    process.stderr.write(`\r\x1b[2Kindex ${name}`);
    await client.query(definition);
  }
  process.stderr.write('\r\x1b[2K');
  await client.query('VACUUM (ANALYZE) service_requests');
}

/** Titles have five words, descriptions 25, of 40. A fifth of the titles has "flickers"; ten in a million another. */
const insertion = `
  INSERT INTO service_requests (company_id, id, title, description, status, priority, category, created_by, floor, room,
    completed_at, created_at, updated_at)
  SELECT $1::uuid, gen_random_uuid(),
    concat_ws(' ', words.some[1 + abs(hashint4(n)) % 40], words.some[1 + abs(hashint4(-n)) % 40],
      words.some[1 + n % 40], words.some[1 + n / 40 % 40],
      CASE WHEN n % 5 = 0 THEN 'flickers' WHEN n % 100000 = 7 THEN 'chandelier' ELSE 'leaks' END),
    (SELECT string_agg(words.some[1 + abs(hashint4(n * 25 + i)) % 40], ' ') FROM generate_series(1, 25) AS i),
    (ARRAY['pending', 'in-progress', 'completed', 'completed', 'completed'])[1 + n % 5]::request_status,
    (ARRAY['low', 'normal', 'high', 'urgent'])[1 + n / 5 % 4]::request_priority,
    (ARRAY['electrical', 'plumbing', 'cleaning', 'heating', NULL])[1 + n / 20 % 5],
    (SELECT id FROM users WHERE company_id = $1::uuid ORDER BY id OFFSET n % 5 LIMIT 1), (n % 9)::text,
    'Room ' || n % 200, CASE WHEN n % 5 > 1 THEN at + interval '3 hours' END, at, at
  FROM generate_series($2::int, $3::int) AS n,
    LATERAL (SELECT date_trunc('milliseconds', now() - make_interval(secs => 63072000 * (1 - n / ($4::float8 + 1)))) AS at) AS time,
    (SELECT ARRAY['light', 'door', 'window', 'carpet', 'printer', 'chair', 'desk', 'lamp', 'heater', 'fan', 'sink', 'tap',
      'toilet', 'lift', 'stairs', 'wall', 'paint', 'ceiling', 'floor', 'kitchen', 'fridge', 'coffee', 'machine', 'screen',
      'cable', 'socket', 'switch', 'lock', 'key', 'badge', 'alarm', 'camera', 'smoke', 'water', 'noise', 'smell', 'dust',
      'broken', 'stuck', 'missing'] AS some) AS words`;

async function drop(url: URL): Promise<void> {
  const client = new pg.Client({ connectionString: new URL('/postgres', url).href });
  await client.connect();
  await client.query(`DROP DATABASE "${url.pathname.slice(1)}" WITH (FORCE)`);
  await client.end();
}
