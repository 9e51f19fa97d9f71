import type { TypedDocumentString } from './generated/graphql.ts';
import { ApiError, type GraphqlError, sendJson, signInFor } from './http.ts';

/** A result with all root fields; the schema makes them nullable only for errors. */
type Complete<Result> = { readonly [Field in keyof Result]: NonNullable<Result[Field]> };

/** Runs a GraphQL operation, again after the person has signed in again. @throws ApiError when any part of it fails */
export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  ...[variables]: Variables extends Record<string, never> ? [] : [Variables]
): Promise<Complete<Result>> {
  return runQuery(document.toString(), variables ?? {});
}

/** Runs a query that is written at run time. @throws ApiError when any part of it fails */
export async function runQuery<Data>(query: string, variables: object = {}): Promise<Data> {
  for (;;) {
    const { data, errors = [] } = await sendJson<{ data: Data; errors?: GraphqlError[] }>('POST', '/graphql', {
      query,
      variables,
    });
    const [error] = errors;
    if (!error) return data;
    const failure = new ApiError(error.message, error.extensions.code, error.extensions.details);
    if (!(await signInFor(failure))) throw failure;
  }
}
