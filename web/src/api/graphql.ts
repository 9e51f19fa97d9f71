import type { TypedDocumentString } from './generated/graphql.ts';
import { ApiError, type GraphqlError, sendJson } from './http.ts';

/** A result with all root fields; the schema makes them nullable only for errors. */
type Complete<Result> = { readonly [Field in keyof Result]: NonNullable<Result[Field]> };

/** Runs a GraphQL operation. @throws ApiError when any part of it fails */
export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  ...[variables]: Variables extends Record<string, never> ? [] : [Variables]
): Promise<Complete<Result>> {
  const { data, errors = [] } = await sendJson<{ data: Complete<Result>; errors?: GraphqlError[] }>(
    'POST',
    '/graphql',
    { query: document.toString(), variables },
  );
  const [error] = errors;
  if (error) throw new ApiError(error.message, error.extensions.code, error.extensions.details);
  return data;
}
