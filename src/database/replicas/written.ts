import facts from '../generated/facts.ts';

/** What a statement writes: nothing, what no list reads, rows of one company, or perhaps of several. */
export type Written = 'nothing' | 'unread' | 'company' | 'everybody';

/** From the least to the most. */
const order: readonly Written[] = ['nothing', 'unread', 'company', 'everybody'];

const models: Readonly<
  Record<string, { readonly table: string; readonly columns: Readonly<Record<string, unknown>> }>
> = facts.models;

/**
 * The tables that no list reads, which are written most often. What is not named here counts as read: a statement too
 * many that is marked does no harm.
 */
const unread: ReadonlySet<string> = new Set([
  'rate_limits',
  'sessions',
  'accounts',
  'two_factors',
  'verifications',
  'idempotency_keys',
  'password_resets',
  'change_logs',
  'change_horizons',
  'clock_marks',
  'counters',
  'duties',
  'guest_mails',
  'jobs',
  'notification_positions',
  'webhook_earlier_secrets',
  'write_marks',
]);

/** A person may be a member of several companies, which read what one of them has written. */
const writtenTables: ReadonlyMap<string, Written> = new Map(
  Object.values(models).map(({ table, columns }) => [
    table,
    unread.has(table) ? 'unread' : 'companyId' in columns && table !== 'users' ? 'company' : 'everybody',
  ]),
);

const target = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO)\s+(?:ONLY\s+)?(?:"?public"?\.)?"?(\w+)"?/gi;

/** The functions of the migrations that write rows, other than triggers. */
const writers = /\b(erase_user|replace_members|replace_text|begin_company_deletion|delete_company_changes)\s*\(/;

/** The result for known texts; a service has a few hundred. */
const known = new Map<string, Written>();
const maxKnown = 2000;

/** What two statements write together. */
export const widest = (one: Written, other: Written): Written =>
  order.indexOf(one) < order.indexOf(other) ? other : one;

/** Finds what a statement writes. */
export function writtenBy(sql: string): Written {
  let written = known.get(sql);
  if (written === undefined) {
    written = examine(sql);
    if (known.size < maxKnown) known.set(sql, written);
  }
  return written;
}

function examine(sql: string): Written {
  if (writers.test(sql)) return 'everybody';
  let written: Written = 'nothing';
  for (const [, name = ''] of sql.matchAll(target)) {
    // What is no table is a word, as in "FOR UPDATE SKIP LOCKED".
    written = widest(written, writtenTables.get(name) ?? 'nothing');
  }
  return written;
}
