import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { words } from '../names.ts';
import type { Row } from './model.ts';

/** What the body of a row is made of, and so its ETag. */
export interface EtagParts {
  readonly columns: readonly string[];
  /** The rows that are shown with it, and what of other rows is: Prisma's selection of each relation. */
  readonly relations: Readonly<Record<string, object>>;
}

/** What the bodies of a resource are made of. @param relations what virtual fields show of other rows */
export function etagParts(
  columns: readonly string[],
  nestedItems: Readonly<Record<string, readonly string[]>> = {},
  relations: EtagParts['relations'] = {},
): EtagParts {
  const shown: Record<string, object> = { ...relations };
  for (const [relation, names] of Object.entries(nestedItems)) {
    // Ordered as the field that shows them, so that both are one query.
    shown[relation] = {
      select: Object.fromEntries(names.map((column) => [column, true])),
      orderBy: { position: 'asc' },
    };
  }
  return { columns, relations: shown };
}

/** Prisma's selection of all that a row's ETag depends on. */
export const etagSelection = ({ columns, relations }: EtagParts): Record<string, true | object> => ({
  ...Object.fromEntries(columns.map((column) => [column, true])),
  ...relations,
});

/**
 * The ETag of a row that was loaded with `etagSelection`. It is made of the body's content and not of `updatedAt` alone:
 * two changes may come in one millisecond, and a body may show what other rows hold.
 */
export function etagOf({ columns, relations }: EtagParts, row: Row): string {
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
    throw preconditionFailed(`This ${words(type)} changed since you last fetched it. Fetch it and retry.`);
}

/** 412: what the request was made for is not what is there. */
export const preconditionFailed = (reason: string) => new ServiceError('PRECONDITION_FAILED', reason);
