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

/**
 * Runs a query that is written at run time.
 *
 * @param signal cancels the request
 * @throws ApiError when any part of it fails
 */
export async function runQuery<Data>(query: string, variables: object = {}, signal?: AbortSignal): Promise<Data> {
  for (;;) {
    const body = { query, variables };
    const { data, errors = [] } = await sendJson<{ data: Data; errors?: GraphqlError[] }>(
      'POST',
      '/graphql',
      body,
      signal,
    );
    const [error] = errors;
    if (!error) return data;
    const failure = new ApiError(error.message, error.extensions.code, error.extensions.details);
    if (!(await signInFor(failure))) throw failure;
  }
}

/** What a query answered: what could be read, and why the rest could not. */
export interface Answer {
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly errors: readonly GraphqlError[];
}

/**
 * Runs a query of which a part may fail. The person signs in again where that is what it requires.
 *
 * @throws ApiError when there is no response of GraphQL
 */
export async function runPartly(body: object, signal?: AbortSignal): Promise<Answer> {
  for (;;) {
    const { data, errors = [] } = await sendJson<Partial<Answer>>('POST', '/graphql', body, signal);
    const [error] = errors;
    if (!error || data || !(await signInFor(new ApiError(error.message, error.extensions.code))))
      return { data: data ?? null, errors };
  }
}
