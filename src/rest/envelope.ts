import { GraphQLError, type GraphQLField } from 'graphql';
import { type FieldErrors, ServiceError } from '../errors.ts';
import { messages } from '../input/index.ts';
import type { SearchMatch } from '../resource/index.ts';
import type { MergedFilter } from './filters.ts';
import { fieldName, parameterName } from './names.ts';

/** The media type of responses. */
export const json = 'application/json; charset=utf-8';

/** Where a page is in its list. */
export interface ListPosition {
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  /** Where the content of rows has the words of a search, if it is one. */
  readonly matches?: readonly SearchMatch[] | null | undefined;
}

/** A list as REST's operations return it. */
export interface List extends ListPosition {
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
}

/** The body of a list, with both pagination shapes in `meta`. @param data its rows in JSON */
export function listBody(
  data: string,
  { totalCount: total, pageInfo, matches }: ListPosition,
  limit: number,
  offset: number,
  requestId: string,
): string {
  const { hasNextPage, endCursor } = pageInfo;
  const pagination = { total, limit, has_more: hasNextPage, next_cursor: hasNextPage ? endCursor : null };
  const meta = { total, limit, offset, pagination, ...(matches && { matches }), request_id: requestId };
  return `{"data":${data},"meta":${JSON.stringify(meta)}}`;
}

/** The data of a PATCH response: the id, the fields that were sent or changed, and the time of the last change. */
export function changedFields(row: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const shown = ['id', ...fields, 'updated_at'];
  return Object.fromEntries(Object.entries(row).filter(([field]) => shown.includes(field)));
}

/** Translates the field names of errors to REST's, also where a message names the field of another row. */
export const inRestNames = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([field, message]) => [
      fieldName(field),
      message.startsWith(messages.sameAs('')) ? fieldName(message) : message,
    ]),
  );

/** Converts an operation's error to REST's names of arguments and fields. */
export function toRestError(error: unknown, { args }: GraphQLField<unknown, unknown>): unknown {
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  if (!(cause instanceof ServiceError)) return error;
  const { code, reason, argument, fieldErrors } = cause;
  // Other names are paths in its filter; a sort with several keys sets `orderBy`.
  const named = argument?.replace(/^orderBy.*$/, 'sort');
  const parameter = named && (args.find(({ name }) => name === named) ?? { name: named, extensions: {} });
  return new ServiceError(code, reason, fieldErrors && inRestNames(fieldErrors), parameter && parameterName(parameter));
}

/** Names the parameter of a list's error as the client wrote it. */
export function nameAsWritten(error: unknown, writtenAs: MergedFilter['writtenAs']): unknown {
  if (!(error instanceof ServiceError) || error.argument === undefined) return error;
  const { code, reason, fieldErrors, argument } = error;
  return new ServiceError(code, reason, fieldErrors, writtenAs(argument) ?? argument);
}
