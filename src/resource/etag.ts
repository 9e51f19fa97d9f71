import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { words } from '../names.ts';
import type { Lines } from './lines.ts';
import type { Row } from './lists.ts';

/** What the body of a row is made of. */
export interface Shown {
  readonly type: string;
  readonly columns: readonly string[];
  /** The rows that are shown with it, and what of other rows is: Prisma's selection of each relation. */
  readonly relations: Readonly<Record<string, object>>;
}

/** What the bodies of a resource are made of. @param shows the relations that its own fields look at */
export function shownOf(
  type: string,
  columns: readonly string[],
  lines: Lines = {},
  shows: Shown['relations'] = {},
): Shown {
  const relations: Record<string, object> = { ...shows };
  for (const [relation, shown] of Object.entries(lines)) {
    // Ordered as the field that shows them, so that both are one query.
    relations[relation] = {
      select: Object.fromEntries(shown.map((column) => [column, true])),
      orderBy: { position: 'asc' },
    };
  }
  return { type, columns, relations };
}

/** Prisma's selection of all that a row's ETag depends on. */
export const etagSelection = ({ columns, relations }: Shown): Record<string, true | object> => ({
  ...Object.fromEntries(columns.map((column) => [column, true])),
  ...relations,
});

/**
 * The ETag of a row that was loaded with `etagSelection`. It is made of the body's content and not of `updatedAt` alone:
 * two changes may come in one millisecond, and a body may show what other rows hold.
 */
export function etagOf({ columns, relations }: Shown, row: Row): string {
  const selected = Object.entries(relations).map(([relation, selection]) => pick(row[relation], selection));
  return etagOfText(JSON.stringify([columns.map((column) => row[column]), selected]));
}

/** The ETag of a text. */
export const etagOfText = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Of what was loaded, just what was selected, in the selection's order: a query may have asked for more. */
function pick(value: unknown, selection: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, selection));
  const select = (selection as { select?: Row }).select;
  if (!select || typeof value !== 'object' || value === null) return value;
  return Object.entries(select).map(([name, inner]) => pick((value as Row)[name], inner));
}

/**
 * Checks `If-Match`: an ETag as GraphQL has it, or the header as HTTP has it. Weak ETags never match.
 * @throws ServiceError PRECONDITION_FAILED
 */
export function checkMatch(ifMatch: string, etag: string, type: string): void {
  const strong = ifMatch.includes('"')
    ? [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag]) => (weak ? [] : [tag]))
    : [ifMatch];
  if (!strong.includes(etag))
    throw preconditionFailed(`This ${words(type)} is not as you have read it; read it again.`);
}

/** 412: what the request was made for is not what is there. */
export const preconditionFailed = (reason: string) => new ServiceError('PRECONDITION_FAILED', reason);
