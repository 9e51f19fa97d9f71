/** What a trace tells of a statement. */
export interface StatementSummary {
  /** What it does: `SELECT`. */
  readonly operation: string;
  /** What it does with which table: `SELECT paints`. */
  readonly summary: string;
  /** Its text with a `?` in place of each text that it contains. */
  readonly text: string;
}

/** How many characters of a statement are told. */
const maxTextLength = 4000;

/** How many statements are remembered. A service has a few hundred. */
const maxKnown = 1000;

const known = new Map<string, StatementSummary>();

/** Tells what a statement does, without any value: also without those that are no parameters of it. */
export function summarize(sql: string): StatementSummary {
  let found = known.get(sql);
  if (!found) {
    found = read(sql);
    if (known.size < maxKnown) known.set(sql, found);
  }
  return found;
}

function read(sql: string): StatementSummary {
  const text = withoutTexts(sql);
  const [, first = ''] = /^\W*(\w+)/.exec(text) ?? [];
  const written = first.toUpperCase() === 'WITH' ? writes.exec(text)?.[0] : undefined;
  const operation = (written ?? (/^with$/i.test(first) ? 'SELECT' : first)).toUpperCase();
  const from = text.slice(written === undefined ? 0 : text.indexOf(written));
  const [, table] = /\b(?:FROM|INTO|UPDATE)\s+(?:"?public"?\.)?"?([a-z_]\w*)"?/.exec(from) ?? [];
  const summary = table === undefined ? operation : `${operation} ${table}`;
  return { operation, summary, text: text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text };
}

/** The part of a WITH that writes; rows that are only locked are read. */
const writes = /\b(INSERT|(?<!FOR |KEY |DO )UPDATE|DELETE|MERGE)\b/i;

/** Replaces texts, and leaves comments out, in which a quote would begin none. Names are kept. */
const withoutTexts = (sql: string): string =>
  sql.replace(/--[^\n]*|\/\*[^]*?\*\/|"(?:[^"]|"")*"|'(?:[^']|'')*'|(\$\w*\$)[^]*?\1/g, (part) =>
    part.startsWith('"') ? part : part.startsWith("'") || part.startsWith('$') ? '?' : '',
  );
