import { GraphQLError, type GraphQLField } from 'graphql';
import { type FieldErrors, ServiceError } from '../errors.ts';
import { fieldName, parameterName } from './names.ts';

/** The media type of responses. */
export const json = 'application/json; charset=utf-8';

/** A list as REST's operations return it. */
export interface List {
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The body of a list, with both pagination shapes in `meta`. */
export function listBody(
  { nodes, totalCount: total, pageInfo }: List,
  limit: number,
  offset: number,
  requestId: string,
) {
  const { hasNextPage, endCursor } = pageInfo;
  const pagination = { total, limit, has_more: hasNextPage, next_cursor: hasNextPage ? endCursor : null };
  return { data: nodes, meta: { total, limit, offset, pagination, request_id: requestId } };
}

/** The data of a PATCH response: the id, the fields that were sent or changed, and the time of the last change. */
export function changedFields(row: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const shown = ['id', ...fields, 'updated_at'];
  return Object.fromEntries(Object.entries(row).filter(([field]) => shown.includes(field)));
}

/** Translates the field names of errors to REST's. */
export const inRestNames = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([field, message]) => [fieldName(field), message]));

/** Converts an operation's error to REST's names of arguments and fields. */
export function inRestWords(error: unknown, { args }: GraphQLField<unknown, unknown>): unknown {
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  if (!(cause instanceof ServiceError)) return error;
  const { code, reason, argument, fieldErrors } = cause;
  // Other names are places in its filter; `orderBy` is what a sort with several keys sets.
  const named = argument?.replace(/^orderBy.*$/, 'sort');
  const parameter = named && (args.find(({ name }) => name === named) ?? { name: named, extensions: {} });
  return new ServiceError(
    code,
    parameter ? `${parameterName(parameter)}: ${reason}` : reason,
    fieldErrors && inRestNames(fieldErrors),
  );
}
