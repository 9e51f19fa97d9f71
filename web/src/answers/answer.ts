// Running a saved query.

import { queryOptions } from '@tanstack/react-query';
import { runPartly } from '../api/graphql.ts';
import type { GraphqlError } from '../api/http.ts';
import { listSavedQueries, type SavedQuery } from '../api/saved-queries.ts';
import { t } from '../texts/answers.ts';
import { type ReadQuery, readQuery } from './document.ts';

type Values = Readonly<Record<string, unknown>>;

/** The saved queries that the person sees. */
export const savedQueriesQuery = queryOptions({ queryKey: ['saved-queries'], queryFn: listSavedQueries });

/** The query of a text; undefined if it has none that can be run, such as a mutation. */
export function readSaved({ query }: Pick<SavedQuery, 'query'>): ReadQuery | undefined {
  try {
    return readQuery(query);
  } catch {
    // The service refuses what is no GraphQL, but a later version may know more of it.
    return undefined;
  }
}

/** The variables that were saved with a query. */
export function savedVariables({ variables }: Pick<SavedQuery, 'variables'>): Values {
  // The service takes nothing but an object.
  return variables ? (JSON.parse(variables) as Values) : {};
}

/** The answer to a saved query. */
export const answerQuery = (
  { id, query }: Pick<SavedQuery, 'id' | 'query'>,
  name: string | undefined,
  variables: Values,
) =>
  queryOptions({
    queryKey: ['answer', id, query, variables],
    queryFn: ({ signal }) =>
      runPartly({ query, variables, ...(name !== undefined && { operationName: name }) }, signal),
    staleTime: 30_000,
  });

/** Why a query, or a part of it, has no answer, as people are told. */
export function explain(
  errors: readonly GraphqlError[],
): { readonly title: string; readonly text: string } | undefined {
  const [error] = errors;
  if (!error) return undefined;
  const { code } = error.extensions;
  if (code === 'INSUFFICIENT_SCOPE')
    return {
      title: t('youCannotSeeAllOfThis'),
      text: t('yourRoleDoesNotLetYou', { message: error.message }),
    };
  if (code === 'BAD_REQUEST' && /cost/i.test(error.message))
    return { title: t('thisAsksForTooMuchAt'), text: error.message };
  return { title: t('thisQueryHasNoAnswer'), text: error.message };
}
