import { GraphQLError, type GraphQLField } from 'graphql';
import { type FieldErrors, ServiceError } from '../errors.ts';
import { fieldName, parameterName } from './names.ts';

/** The media type of answers. */
export const json = 'application/json; charset=utf-8';

/** A list as REST's operations return it. */
export interface List {
  readonly nodes: readonly Readonly<Record<string, unknown>>[];
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** The body of a list: both meta shapes at once. */
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

/** What a PATCH answers: the id, the fields that were sent, and when it was changed. */
export function changedFields(row: Record<string, unknown>, sent: readonly string[]): Record<string, unknown> {
  const shown = ['id', ...sent, 'updated_at'];
  return Object.fromEntries(Object.entries(row).filter(([field]) => shown.includes(field)));
}

/** Translates the field names of errors to REST's. */
export const inRestNames = (errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([field, message]) => [fieldName(field), message]));

/** What an operation threw, in REST's names where it names arguments of its field, or fields of a body. */
export function inRestWords(error: unknown, { args }: GraphQLField<unknown, unknown>): unknown {
  const cause = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  if (!(cause instanceof ServiceError)) return error;
  const { code, reason, argument, fieldErrors } = cause;
  // What is none of its own is a condition of its filter.
  const parameter = argument && (args.find(({ name }) => name === argument) ?? { name: argument, extensions: {} });
  return new ServiceError(
    code,
    parameter ? `${parameterName(parameter)}: ${reason}` : reason,
    fieldErrors && inRestNames(fieldErrors),
  );
}
