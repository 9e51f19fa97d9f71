// Checks that migrations are additive, so that older instances keep working beside newer ones, and that keys do not
// change: npm run lint:migrations
import { readMigrations } from '../src/database/schema-engine.ts';

/** The last migrations from before each rule. */
const lastUnchecked = { additive: '20261122030000_time_clock_rules', keys: '20261126094500_jobs' };

/** A comment before a statement that states why it does not affect older instances. */
const exemption = /^--\s*older instances: \S/im;

/** What older instances cannot cope with, and why. */
const rules: readonly [statement: RegExp, reason: string][] = [
  [/^(DROP (TABLE|TYPE|FUNCTION|VIEW|SCHEMA)|TRUNCATE)\b/i, 'older instances still use what it removes'],
  [/^ALTER .*\bRENAME\b/i, 'older instances use the old name'],
  [
    /^ALTER TABLE .*\bDROP (COLUMN\b|(?!CONSTRAINT|NOT NULL|DEFAULT|IDENTITY|EXPRESSION)\S+$)/i,
    'older instances still use the column',
  ],
  [/^ALTER TABLE .*\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b/i, 'older instances expect the old type'],
  [/^ALTER TABLE .*\bALTER (COLUMN )?\S+ (SET NOT NULL|DROP DEFAULT)\b/i, 'older instances leave the column out'],
  [
    /^ALTER TABLE .*\bADD (COLUMN )?(?!CONSTRAINT)\S+ (?!.*\bDEFAULT\b).*\bNOT NULL\b/i,
    'older instances leave the column out',
  ],
  [
    /^ALTER TABLE .*\bADD (CONSTRAINT \S+ )?(CHECK|UNIQUE|EXCLUDE|FOREIGN KEY|PRIMARY KEY)\b/i,
    'older instances do not keep the constraint',
  ],
  [/^CREATE UNIQUE INDEX\b/i, 'older instances do not keep the constraint'],
  [/^ALTER TYPE .*\bADD VALUE\b/i, 'older instances cannot read the value'],
];

/**
 * Finds the statements of a migration that break older instances. Tables and columns that the migration itself adds are
 * unknown to them, so everything is allowed there.
 *
 * @returns a description of each, empty for an additive migration
 */
export function findBreakingStatements(sql: string): string[] {
  const statements = splitStatements(sql);
  const added = statements.flatMap(({ text }) => [
    ...(/^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)/i.exec(text)?.slice(1) ?? []),
    ...[...text.matchAll(/\bADD COLUMN "?(\w+)/gi)].map(([, column]) => String(column)),
  ]);
  const concernsAdded = (clause: string) => added.some((name) => new RegExp(`\\b${name}\\b`).test(clause));
  return statements
    .filter(({ comments }) => !exemption.test(comments))
    .flatMap(({ text }) => clausesOf(text))
    .flatMap((clause) => {
      const [, reason] = rules.find(([statement]) => statement.test(clause)) ?? [];
      const isAllowed =
        /\bADD (CONSTRAINT|CHECK|UNIQUE|FOREIGN)|^CREATE UNIQUE INDEX/i.test(clause) && concernsAdded(clause);
      return reason === undefined || isAllowed ? [] : [`${clause.slice(0, 120)}: ${reason}`];
    });
}

/**
 * Finds the foreign keys of a migration that pass on changes of the key. A key is what names a row in the log, in
 * backups and in other systems, so it never changes; Prisma writes CASCADE where a relation does not say otherwise.
 *
 * @returns a description of each
 */
export const findKeyCascades = (sql: string): string[] =>
  splitStatements(sql)
    .filter(({ text }) => /\bON UPDATE (CASCADE|SET)\b/i.test(text))
    .map(({ text }) => `${text.slice(0, 120)}: keys do not change; declare onUpdate: NoAction in the relation`);

interface SqlStatement {
  /** In one line, without comments and the contents of strings. */
  readonly text: string;
  readonly comments: string;
}

function splitStatements(sql: string): SqlStatement[] {
  const statements: SqlStatement[] = [];
  let text = '';
  let comments = '';
  const tokens = sql.match(/--[^\n]*|\/\*[^]*?\*\/|\$(\w*)\$[^]*?\$\1\$|'(?:[^']|'')*'|"[^"]*"|[^]/g) ?? [];
  for (const token of [...tokens, ';']) {
    if (/^(--|\/\*)/.test(token)) comments += `${token}\n`;
    else if (/^['$]./.test(token)) text += `''`;
    else if (token !== ';') text += token;
    else {
      const line = text.replace(/\s+/g, ' ').trim();
      if (line) statements.push({ text: line, comments });
      text = comments = '';
    }
  }
  return statements;
}

/** The changes of an `ALTER TABLE`, each as a statement of its own. */
function clausesOf(statement: string): string[] {
  const [, head, changes] = /^(ALTER TABLE (?:IF EXISTS |ONLY )*\S+ )(.*)$/i.exec(statement) ?? [];
  if (head === undefined || changes === undefined) return [statement];
  return changes.split(/, ?(?=(?:ADD|ALTER|DROP|RENAME)\b)/i).map((change) => head + change);
}

if (process.argv[1] === import.meta.filename) {
  const { migrationDirectories } = await readMigrations();
  for (const { path, migrationFile } of migrationDirectories) {
    const sql = migrationFile.content.tag === 'ok' ? migrationFile.content.value : '';
    const found = [
      ...(path > lastUnchecked.additive ? findBreakingStatements(sql) : []),
      ...(path > lastUnchecked.keys ? findKeyCascades(sql) : []),
    ];
    for (const each of found) {
      console.error(`${path}: ${each}`);
      process.exitCode = 1;
    }
  }
}
