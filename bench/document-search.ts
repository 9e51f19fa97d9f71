/** `npm run bench:document-search`: searches among the texts of many documents; see README.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createToken } from '../src/auth/tokens.ts';
import { type Database, openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import { createDatabase } from './data.ts';
import { servers, start, stop } from './servers.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string' },
    pages: { type: 'string', default: '10' },
    words: { type: 'string', default: '100' },
    others: { type: 'string', default: '0' },
    embedded: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const documents = Number(options.documents ?? (options.embedded ? 5000 : 100_000));
const [pages, words] = [Number(options.pages), Number(options.words)];
const batch = 1000;

/** What is searched for; other words are of 20,000, the first of which are the most common ones. */
const searches: Record<string, string> = {
  'a word of one page': 'chandelier',
  'a word of a hundred documents': 'escalator',
  'a word that no document has': 'zeppelin',
  'two words of one page, one of them common': 'chandelier a',
  'a word of a tenth of the documents': 'turbine',
};

/** The company that is searched, and another one whose texts have all of its words too. */
async function fill(database: Database): Promise<string> {
  const { rows: found } = await database.query({ text: `SELECT id::text FROM companies WHERE slug = 'searched'` });
  if (found[0]) return String(found[0]['id']);
  const companies: string[] = [];
  for (const [slug, size] of [
    ['searched', documents],
    ['other', Number(options.others)],
  ] as const) {
    const { rows } = await database.query({
      text: `INSERT INTO companies (id, name, slug) VALUES (gen_random_uuid(), $1, $1) RETURNING id::text`,
      values: [slug],
    });
    const companyId = String(rows[0]?.['id']);
    companies.push(companyId);
    // The references are right by construction, and neither the log of changes nor the reading of files is measured.
    await database.inOneTransaction(async ({ execute }) => {
      await execute(`SET LOCAL session_replication_role = replica; DROP INDEX IF EXISTS file_pages_terms_idx`);
      for (let done = 0; done < size; done += batch) {
        await execute(insertion(companyId, done + 1, Math.min(done + batch, size)));
        process.stderr.write(`\r${done + batch} of ${size} documents`);
      }
    });
  }
  process.stderr.write('\r\x1b[2Kindexes');
  await database.inOneTransaction(({ execute }) =>
    execute(`SET LOCAL maintenance_work_mem = '512MB';
      CREATE INDEX file_pages_terms_idx ON file_pages USING GIN (terms) WITH (fastupdate = off)`),
  );
  await database.inOneTransaction(({ execute }) => execute('ANALYZE'));
  process.stderr.write('\r\x1b[2K');
  return companies[0] ?? '';
}

const insertion = (companyId: string, from: number, until: number) => `
  WITH file AS (
    INSERT INTO files (company_id, id, name, media_type, size, sha256, unheld_since)
    SELECT '${companyId}', gen_random_uuid(), n::text, 'application/pdf', 1, repeat('0', 64), NULL
    FROM generate_series(${from}, ${until}) AS n RETURNING id, name::int AS n
  ), document AS (
    INSERT INTO documents (company_id, id, title, description, file_name, file_type, file_id, processing_status, created_at)
    SELECT '${companyId}', gen_random_uuid(), 'Manual ' || n, 'Of the machine ' || n, 'manual-' || n || '.pdf', 'pdf', id,
      'processed', now() - make_interval(mins => n) FROM file
  ), page AS (
    SELECT id, n, part, (
      SELECT string_agg(translate((7919 * (floor(20000 * power(random(), 3))::int + 0 * i))::text, '0123456789', 'aeioubdlnr'), ' ')
      FROM generate_series(1, ${words} + 0 * n * part) AS i
    ) || CASE WHEN n = 777 AND part = 7 THEN ' chandelier' ELSE '' END
      || CASE WHEN n % ${documents / 100} = 5 AND part = 3 THEN ' escalator' ELSE '' END
      || CASE WHEN n % 10 = 5 AND part = 2 THEN ' turbine' ELSE '' END AS text
    FROM file, generate_series(1, ${pages}) AS part
  )
  INSERT INTO file_pages (company_id, file_id, part, page, text, terms)
  SELECT '${companyId}', id, part, part, text, page_terms('${companyId}', text) FROM page`;

/** Opens a database, fills it, and makes a token of its company. */
async function prepare(where: { databaseUrl?: string; dataDir: string }): Promise<string> {
  const database = await openDatabase(where);
  try {
    await migrate(database);
    const companyId = await fill(database);
    const { rows } = await database.query({
      text: `WITH person AS (
          INSERT INTO people (id, full_name, email)
          SELECT id, 'Ann', id || '@example.com' FROM gen_random_uuid() AS id RETURNING *
        ) INSERT INTO users (company_id, id, full_name, email, role)
        SELECT $1, id, full_name, email, 'admin' FROM person RETURNING id::text`,
      values: [companyId],
    });
    const userId = String(rows[0]?.['id']);
    const facts = {
      companyId,
      userId,
      name: 'Benchmark',
      scopes: ['*'],
      live: true,
      rateLimit: 1_000_000_000,
    } as const;
    return (await createToken(database.prisma, facts)).token;
  } finally {
    await database.close();
  }
}

async function measure(url: string, token: string): Promise<void> {
  const server = await start(servers[0]!, url, token);
  const search = async (text: string) => {
    const from = performance.now();
    const response = await fetch(`${server.url}/api/v1/documents?limit=25&search=${encodeURIComponent(text)}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const body = await response.text();
    const ms = performance.now() - from;
    if (!response.ok) throw new Error(body);
    return { ms, ...(JSON.parse(body) as { meta: { total: number; matches: unknown[] } }).meta };
  };
  try {
    console.log(
      `| ${documents} documents of ${pages} pages | found | first (ms) | median (ms) |\n| --- | --: | --: | --: |`,
    );
    for (const [name, text] of Object.entries(searches)) {
      const first = await search(text);
      const times: number[] = [];
      for (let n = 0; n < 9; n++) times.push((await search(text)).ms);
      times.sort((one, other) => one - other);
      console.log(`| ${name} | ${first.total} | ${first.ms.toFixed(0)} | ${times[4]?.toFixed(0)} |`);
    }
  } finally {
    await stop(server);
  }
}

if (options.embedded) {
  const dataDir = mkdtempSync(join(tmpdir(), 'premises-search-'));
  process.env['DATA_DIR'] = dataDir;
  try {
    await measure('', await prepare({ dataDir }));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
} else {
  const url = new URL(process.env['BENCH_DATABASE_URL'] ?? 'postgresql://127.0.0.1:5432/');
  url.username ||= userInfo().username;
  url.pathname = `${url.pathname.slice(1) || 'premises_bench'}_documents`;
  await createDatabase(url);
  try {
    await measure(url.href, await prepare({ databaseUrl: url.href, dataDir: '' }));
  } finally {
    if (!options.keep) await dropDatabase(url);
  }
}

async function dropDatabase(url: URL): Promise<void> {
  const name = url.pathname.slice(1);
  const database = await openDatabase({ databaseUrl: new URL('/postgres', url).href, dataDir: '' });
  await database.query({ text: `DROP DATABASE "${name}" WITH (FORCE)` });
  await database.close();
}
