// The saved queries that GraphiQL opens.

import { getSession } from '../api/auth.ts';
import { listSavedQueries, type SavedQuery } from '../api/saved-queries.ts';
import { t } from '../texts/graphiql.ts';

/** The queries of whoever is signed in; undefined without a session. */
export async function findSavedQueries(): Promise<readonly SavedQuery[] | undefined> {
  try {
    const session = await getSession();
    return session?.company ? await listSavedQueries() : session ? [] : undefined;
  } catch {
    // GraphiQL works without them.
    return [];
  }
}

/** A query whose only operation has no name, with one that is made of that of the saved query: tabs show it. */
export function withName({ name, query }: Pick<SavedQuery, 'name' | 'query'>): string {
  const words = name.normalize('NFKD').match(/[A-Za-z\d]+/g) ?? [];
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const operation = /^[A-Za-z]/.test(joined) ? joined : `Query${joined}`;
  return query.replace(/^((?:\s|,|#.*\n)*)(?:query\s*)?(?=[{(@])/, `$1query ${operation} `);
}

/** The address that opens a query. */
export const addressOf = (id: string) => `/graphql?saved=${id}`;

/** The id of the query that the address opens. */
export const openedId = () => new URLSearchParams(location.search).get('saved');

/** What to tell somebody whose address has a saved query that does not open; empty if there is nothing to tell. */
export function explainMissing(saved: readonly SavedQuery[] | undefined): string {
  if (openedId() === null || saved?.some(({ id }) => id === openedId())) return '';
  return saved ? t('theSavedQueryOfThisAddress') : t('signInToOpenTheSaved');
}

/** The tabs of the query in the URL and of the saved queries; the query that the URL names comes first. */
export function savedTabs(saved: readonly SavedQuery[]) {
  const address = new URLSearchParams(location.search);
  const query = openedId() === null ? address.get('query') : null;
  const sorted = saved
    .map((one) => ({ ...one, query: withName(one) }))
    .sort((one, other) => Number(other.id === openedId()) - Number(one.id === openedId()));
  // GraphiQL shows the query in the first tab, whichever that is, without changing its name.
  return [...(query === null ? [] : [{ query, variables: address.get('variables') }]), ...sorted].map((tab) => ({
    query: tab.query,
    variables: tab.variables ?? '{}',
  }));
}

/** Replaces the ID of a saved query in the URL by the query itself, which GraphiQL opens in a tab. */
export function openSaved(saved: readonly SavedQuery[]): void {
  const opened = saved.find(({ id }) => id === openedId());
  if (!opened) return;
  const address = new URLSearchParams({ saved: opened.id, query: withName(opened) });
  if (opened.variables) address.set('variables', opened.variables);
  history.replaceState(null, '', `/graphql?${address.toString()}`);
}
