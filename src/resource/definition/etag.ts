import { hash } from 'node:crypto';
import { ServiceError, shorten } from '../../errors.ts';
import { itemOrder, type Row } from './model.ts';

/** The content of a row's body, and so of its ETag. */
export interface EtagParts {
  readonly columns: readonly string[];
  /**
   * The nested items, and the selection of other rows that virtual fields show: Prisma's selection of each relation.
   */
  readonly relations: Readonly<Record<string, object>>;
}

/** The content of a resource's bodies. @param relations the selection of other rows that virtual fields show */
export function etagParts(
  columns: readonly string[],
  nestedItems: Readonly<Record<string, readonly string[]>> = {},
  relations: EtagParts['relations'] = {},
): EtagParts {
  const shown: Record<string, object> = { ...relations };
  for (const [relation, names] of Object.entries(nestedItems)) {
    // In the order of the field that shows them, so that one query serves both.
    shown[relation] = {
      select: Object.fromEntries(names.map((column) => [column, true])),
      orderBy: itemOrder,
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
 * The ETag of a row that was loaded with `etagSelection`. It is a hash of the body's content rather than of
 * `updatedAt`: two changes may happen in one millisecond, and a body may show content of other rows.
 */
export function etagOf({ columns, relations }: EtagParts, row: Row): string {
  const selected = Object.entries(relations).map(([relation, selection]) => pick(row[relation], selection));
  return etagOfText(JSON.stringify([columns.map((column) => row[column]), selected]));
}

/** The ETag of a text. */
export const etagOfText = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

/** Reduces loaded data to a selection, in the selection's order: a query may have loaded more. */
function pick(value: unknown, selection: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => pick(each, selection));
  const select = (selection as { select?: Row }).select;
  if (!select || typeof value !== 'object' || value === null) return value;
  return Object.entries(select).map(([name, inner]) => pick((value as Row)[name], inner));
}

/** How an ETag of this service looks. */
const form = /^[\w-]{22}$/;

/**
 * Checks `If-Match`: an ETag in GraphQL, or the header's value in HTTP. Weak ETags never match.
 *
 * @param noun what people call the row
 * @throws ServiceError PRECONDITION_FAILED, which says so where an ETag cannot be one that this service has sent: the
 *   client would fetch and retry for ever
 */
export function checkMatch(ifMatch: string, etag: string, noun: string): void {
  const given = ifMatch.includes('"')
    ? [...ifMatch.matchAll(/(W\/)?"([^"]*)"/g)].map(([written, weak, tag = '']) => ({ written, weak, tag }))
    : [{ written: ifMatch, weak: undefined, tag: ifMatch }];
  if (given.some(({ weak, tag }) => !weak && tag === etag)) return;
  const changed = given.find(({ weak, tag }) => weak || !form.test(tag));
  throw preconditionFailed(
    changed
      ? `${shorten(changed.written, 100)} is not an ETag as this service sends them${changed.weak ? ', but a weak one, which never matches' : ''}. ` +
          'A proxy that compresses responses may have changed it; fetching again would not help.'
      : `This ${noun} changed since you last fetched it. Fetch it and retry.`,
  );
}

/** 412: the resource is not in the state that the request requires. */
export const preconditionFailed = (reason: string) => new ServiceError('PRECONDITION_FAILED', reason);
