/** The benchmark's database: created and filled once, reused as long as the row counts match. */
import { userInfo } from 'node:os';
import pg from 'pg';
import { createToken } from '../src/auth/tokens.ts';
import { openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';

/** How many service requests the benchmark has where nothing else is asked for. */
export const usualRequests = 200_000;

/** Number of rows of each table in a seeded database. @param requests the service requests; a multiple of 100 */
const sizesOf = (requests: number) => ({
  companies: 20,
  users: 1000,
  buildings: 100,
  service_requests: requests,
  comments: 3 * requests,
  watchers: 2 * requests,
});
type Sizes = ReturnType<typeof sizesOf>;

/** Tokens of each company. */
const tokensEach = 10;

/** Title of the requests that the benchmark creates, by which it deletes them afterwards. */
export const createdTitle = 'Made by the benchmark';

/** A database that is ready to be measured. */
export interface Data {
  /** The connection string for the servers. */
  url: string;
  /** A connection for the benchmark's own queries. */
  client: pg.Client;
  /** Callers of all companies in turn, each with a token that has every scope and a rate limit that no run reaches. */
  callers: Caller[];
}

/** A caller, and rows of its company. */
export interface Caller {
  companyId: string;
  token: string;
  userIds: string[];
  buildingIds: string[];
  /** Service requests from all over the table. */
  serviceRequestIds: string[];
}

/**
 * Creates, migrates and fills the database where that is still needed, and issues tokens.
 *
 * @param server the connection string of a PostgreSQL server, and of the database if it is not `premises_bench`
 * @param requests how many service requests there are, of all companies together
 */
export async function prepare(server: string, requests = usualRequests): Promise<Data> {
  const sizes = sizesOf(requests);
  const url = new URL(server);
  url.username ||= userInfo().username;
  if (url.pathname.length <= 1) url.pathname = '/premises_bench';
  await createDatabase(url);

  const database = await openDatabase({ databaseUrl: url.href, dataDir: '' });
  const client = new pg.Client({ connectionString: url.href });
  try {
    await migrate(database);
    await client.connect();
    await client.query('DELETE FROM service_requests WHERE title = $1', [createdTitle]);
    await client.query('DELETE FROM rate_limits');
    if (!(await isFilled(client, sizes))) await fill(client, sizes);
    // Without this, whether a count uses an index-only scan would depend on the previous run.
    await client.query('VACUUM (ANALYZE)');

    await client.query('DELETE FROM api_tokens');
    const companies = (await client.query<{ id: string }>('SELECT id FROM companies ORDER BY id')).rows;
    const callers: Caller[] = [];
    for (let n = 0; n < tokensEach; n++) {
      for (const { id: companyId } of companies) {
        const idsOf = async (table: string, limit: number) => {
          const text = `SELECT id FROM ${table} WHERE company_id = $1 ORDER BY md5(id::text || $2) LIMIT ${limit}`;
          return (await client.query<{ id: string }>(text, [companyId, n])).rows.map(({ id }) => id);
        };
        const userIds = await idsOf('users', 10);
        const { token } = await createToken(database.prisma, {
          companyId,
          userId: userIds[0]!,
          name: `Benchmark ${n}`,
          scopes: ['*'],
          live: true,
          rateLimit: 1_000_000_000,
        });
        const [buildingIds, serviceRequestIds] = [await idsOf('buildings', 5), await idsOf('service_requests', 20)];
        callers.push({ companyId, token, userIds, buildingIds, serviceRequestIds });
      }
    }
    return { url: url.href, client, callers };
  } catch (error) {
    await client.end();
    throw error;
  } finally {
    await database.close();
  }
}

/** The tables that the measured requests write. */
export const writtenTables = ['service_requests', 'activity_entries'];

/** The schema of the tables that are written without a log of changes. */
export const unloggedSchema = 'by_hand';

/** Copies the tables that are written, with their indexes and references, but without triggers. */
export async function copyWithoutLog(client: pg.Client): Promise<void> {
  await client.query(`
    DROP SCHEMA IF EXISTS ${unloggedSchema} CASCADE;
    CREATE SCHEMA ${unloggedSchema};
    DO $$
    DECLARE
      written CONSTANT text[] := '{${writtenTables.join()}}';
      -- Read before the search path changes, so that they refer to the copies afterwards.
      keys CONSTANT text[] := ARRAY(
        SELECT format('ALTER TABLE ${unloggedSchema}.%I ADD CONSTRAINT %I %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
        FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
        WHERE contype = 'f' AND conrelid = ANY (written::regclass[]));
      one text;
    BEGIN
      FOREACH one IN ARRAY written LOOP
        EXECUTE format('CREATE TABLE ${unloggedSchema}.%1$I (LIKE public.%1$I INCLUDING ALL)', one);
        EXECUTE format('INSERT INTO ${unloggedSchema}.%1$I SELECT * FROM public.%1$I', one);
      END LOOP;
      PERFORM set_config('search_path', '${unloggedSchema}, public', true);
      FOREACH one IN ARRAY keys LOOP
        EXECUTE one;
      END LOOP;
    END $$`);
  for (const table of writtenTables) await client.query(`VACUUM (ANALYZE) ${unloggedSchema}.${table}`);
}

/** Creates the database that a connection string names, where there is none, with settings for benchmarks. */
export async function createDatabase(url: URL): Promise<void> {
  const client = new pg.Client({ connectionString: new URL('/postgres', url).href });
  await client.connect();
  try {
    const name = url.pathname.slice(1);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (!rowCount) await client.query(`CREATE DATABASE ${name}`);
    // Background workers would add noise, the same for every server.
    await client.query(`ALTER DATABASE ${name} SET max_parallel_workers_per_gather = 0`);
    // Prisma's adapter reads every timestamp as UTC.
    await client.query(`ALTER DATABASE ${name} SET timezone = 'UTC'`);
  } finally {
    await client.end();
  }
}

async function isFilled(client: pg.Client, sizes: Sizes): Promise<boolean> {
  const counts = Object.keys(sizes).map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  const { rows } = await client.query<Sizes>(`SELECT ${counts.join(', ')}`);
  return Object.entries(sizes).every(([table, size]) => rows[0]![table as keyof Sizes] === size);
}

async function fill(client: pg.Client, sizes: Sizes): Promise<void> {
  console.log('filling premises_bench ...');
  await client.query(`
    BEGIN;
    -- The references are right by construction, and checking them takes longer than writing the rows.
    DO $$ BEGIN
      PERFORM set_config('session_replication_role', 'replica', true);
    EXCEPTION WHEN insufficient_privilege THEN -- then they are checked
    END $$;
    TRUNCATE companies, people CASCADE;
    SELECT setseed(0.5);
    -- UUID version 7 of a time, so that ids lie in the indexes as those of a service that has run for two years.
    CREATE FUNCTION pg_temp.id_at(t timestamptz) RETURNS uuid LANGUAGE sql AS $$
      SELECT (lpad(to_hex((extract(epoch FROM t) * 1000)::bigint), 12, '0')
        || '7' || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid
    $$;
    CREATE FUNCTION pg_temp.time_of(n int) RETURNS timestamptz LANGUAGE sql AS $$
      SELECT date_trunc('milliseconds', now() - interval '1 day' - (${sizes.service_requests} - n) * interval '5 minutes')
    $$;

    INSERT INTO companies (id, name, slug)
      SELECT pg_temp.id_at(pg_temp.time_of(n)), 'Company ' || n, 'company-' || n
      FROM generate_series(1, ${sizes.companies}) n;
    INSERT INTO people (id, full_name, email, created_at)
      SELECT pg_temp.id_at(pg_temp.time_of(n)), 'User ' || n, 'user' || n || '@example.com', pg_temp.time_of(n)
      FROM generate_series(1, ${sizes.users}) n;
    CREATE TEMPORARY TABLE company ON COMMIT DROP AS
      SELECT id, row_number() OVER (ORDER BY id) - 1 AS number FROM companies;
    INSERT INTO users (company_id, id, full_name, email, role, created_at)
      SELECT c.id, p.id, p.full_name, p.email, 'admin', p.created_at
      FROM people p JOIN company c ON c.number = substring(p.email from '[0-9]+')::int % ${sizes.companies};
    INSERT INTO buildings (company_id, id, name, code, floors, created_at)
      SELECT c.id, pg_temp.id_at(pg_temp.time_of(n)), 'Building ' || n, 'B' || n, 4, pg_temp.time_of(n)
      FROM generate_series(1, ${sizes.buildings}) n JOIN company c ON c.number = n % ${sizes.companies};

    -- The companies take turns; n numbers the requests of each.
    CREATE TEMPORARY TABLE numbered ON COMMIT DROP AS
      SELECT (i - 1) / ${sizes.companies} AS n, (i - 1) % ${sizes.companies} AS company, pg_temp.time_of(i) AS created_at,
        pg_temp.id_at(pg_temp.time_of(i)) AS id
      FROM generate_series(1, ${sizes.service_requests}) i;
    CREATE TEMPORARY TABLE known ON COMMIT DROP AS
      SELECT c.id AS company_id, c.number, (SELECT array_agg(id) FROM users WHERE company_id = c.id) AS users,
        (SELECT array_agg(id) FROM buildings WHERE company_id = c.id) AS buildings
      FROM company c;

    INSERT INTO service_requests (company_id, id, title, description, status, priority, category, assigned_to,
        created_by, building_id, floor, room, completed_at, created_at, updated_at)
      SELECT k.company_id, r.id, 'Request ' || r.n || ': the light by the window flickers',
        'It started last week and is worse in the morning. Somebody should look at it before the next storm.',
        s.status::request_status, (ARRAY['low', 'normal', 'high', 'urgent'])[1 + r.n % 4]::request_priority,
        (ARRAY['electrical', 'plumbing', 'cleaning', NULL])[1 + r.n / 4 % 4],
        CASE WHEN r.n % 10 > 0 THEN k.users[1 + r.n * 7 % cardinality(k.users)] END, k.users[1 + r.n * 11 % cardinality(k.users)],
        k.buildings[1 + r.n % cardinality(k.buildings)], (r.n % 4)::text, 'Room ' || r.n % 200,
        CASE s.status WHEN 'completed' THEN r.created_at + interval '3 hours' END, r.created_at, r.created_at
      FROM known k JOIN numbered r ON r.company = k.number, LATERAL (
        SELECT CASE WHEN r.n / 5 % 10 < 2 THEN 'pending' WHEN r.n / 5 % 10 < 3 THEN 'in-progress' ELSE 'completed' END AS status
      ) s;
    -- Some requests have none and some have more than the five that the nested query shows.
    INSERT INTO comments (company_id, id, service_request_id, comment, user_id, created_at, updated_at)
      SELECT k.company_id, pg_temp.id_at(t), r.id, 'Comment ' || i || ': had a look, the part is on its way.',
        k.users[1 + (r.n + i) % cardinality(k.users)], t, t
      FROM known k JOIN numbered r ON r.company = k.number, LATERAL generate_series(1, (ARRAY[0, 1, 2, 4, 8])[1 + r.n % 5]) i,
        LATERAL (SELECT r.created_at + i * interval '1 minute' AS t) at;
    INSERT INTO watchers (company_id, id, service_request_id, user_id, created_at, updated_at)
      SELECT k.company_id, pg_temp.id_at(t), r.id, k.users[1 + (r.n + i * 13) % cardinality(k.users)], t, t
      FROM known k JOIN numbered r ON r.company = k.number, LATERAL generate_series(1, (ARRAY[0, 0, 1, 2, 7])[1 + r.n * 3 % 5]) i,
        LATERAL (SELECT r.created_at + i * interval '1 second' AS t) at;
    COMMIT`);
}
