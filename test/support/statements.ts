// The statements of all tests, which are checked at the end; see teardown.mjs.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findUnbound } from './company-conditions.ts';

/** The statements of this process, each once, and those of them that are not saved yet. */
const known = new Set<string>();
let unsaved: string[] = [];

/** Makes the folder in which the processes of a run save their statements. */
export function prepareStatements(): void {
  process.env['TEST_STATEMENTS'] = mkdtempSync(join(tmpdir(), 'premises-statements-'));
}

/** Records a statement of a test. */
export function recordStatement(sql: string): void {
  if (known.has(sql)) return;
  known.add(sql);
  unsaved.push(sql);
}

/** Saves the statements since the last time. */
export function saveStatements(): void {
  const folder = process.env['TEST_STATEMENTS'];
  if (folder === undefined || unsaved.length === 0) return;
  appendFileSync(join(folder, String(process.pid)), unsaved.map((sql) => `${JSON.stringify(sql)}\n`).join(''));
  unsaved = [];
}

/** Takes the statements of all processes, each once. */
function takeStatements(): string[] {
  const folder = process.env['TEST_STATEMENTS'];
  if (folder === undefined) return [];
  const all = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean),
  );
  rmSync(folder, { recursive: true });
  return [...new Set(all)].map((line) => JSON.parse(line) as string);
}

/**
 * The statements of requests that read rows of several companies, or by another secret, on purpose. Migrations, limits
 * and the background, such as webhooks and mail, send theirs for no request.
 */
const exempt: readonly { readonly name: string; readonly statement: RegExp }[] = [
  {
    name: 'memberships: the companies of a person',
    statement: /\bIN \(SELECT t\d+\."company_id" FROM "users" AS t\d+ WHERE t\d+\."id" = \$/,
  },
  { name: 'authentication: sessions, by their token or their person', statement: /\bFROM ("public"\.)?"?sessions"?\b/ },
  {
    name: 'authentication: tokens of a company and its sandbox',
    statement: /\b(FROM|UPDATE) ("public"\.)?"?api_tokens"?\b/,
  },
  {
    name: 'authentication: people of a company and its sandbox',
    statement: /^(SELECT|UPDATE) .*"public"\."users".*"(companies|deactivated_at)"/s,
  },
  { name: 'authentication: the security log of a company and its sandbox', statement: /\bsecurity_events AS event\b/ },
  { name: 'accounts: what belongs to a person in a company and its sandbox', statement: /sandbox_of_id/ },
  {
    name: 'accounts: webhooks of people of a company and its sandbox',
    statement: /^SELECT .*FROM "public"\."webhooks" AS "t0"/s,
  },
  {
    name: 'authentication: answers to repeated requests, by the hash of their caller, company and key',
    statement: /\bFROM "public"\."idempotency_keys" AS "t0" WHERE "t0"\."id" = \$1/,
  },
  {
    name: 'exports: a cursor takes no parameters, so its text has the checked id of the company',
    statement:
      /^\s*(DECLARE exported |SELECT EXISTS \(SELECT FROM |SELECT coalesce\(array_agg\(id).*\bcompany_id = '[\da-f-]{36}'::uuid/s,
  },
  { name: 'calendars: feeds, by the hash of their secret', statement: /FROM calendar_feeds AS feed/ },
  { name: 'guests: packages, by the hash of their token', statement: /"token_hash" = \$/ },
];

/**
 * Checks the statements that the requests of all tests have sent.
 *
 * @throws Error for those that open a table of companies' rows without the condition on the company
 */
export function assertCompanyConditions(): void {
  const found = takeStatements().flatMap((sql) => {
    const unbound = findUnbound(sql);
    if (unbound.length === 0 || exempt.some(({ statement }) => statement.test(sql))) return [];
    return [`${unbound.join(', ')} in: ${sql.trim()}`];
  });
  if (found.length > 0)
    throw new Error(`Statements read rows of all companies; see src/database/read/conditions.ts.\n${found.join('\n')}`);
}
