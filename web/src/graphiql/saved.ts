import { getSession } from '../api/auth.ts';

/** A query that was kept. */
export interface SavedQuery {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly variables: string | null;
  readonly isMine: boolean;
  readonly isShared: boolean;
  readonly savedBy: string;
}

/** What is kept of a query. */
export type SaveQueryInput = Pick<SavedQuery, 'name' | 'query' | 'variables' | 'isShared'>;

const fields = 'id name query variables isMine isShared savedBy';

/** Sends an operation with the session. @throws Error with the message of the service */
async function send<Data>(query: string, variables = {}): Promise<Data> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  // A response of GraphQL, to the query whose data the caller describes.
  const { data, errors } = (await response.json()) as {
    data?: Data;
    errors?: { message: string; extensions?: { details?: Record<string, string> } }[];
  };
  const [error] = errors ?? [];
  if (error || !data) throw new Error(Object.values(error?.extensions?.details ?? {})[0] ?? error?.message);
  return data;
}

/** The queries that whoever is signed in saved, and those that others share. @throws Error */
export const listSaved = async (): Promise<readonly SavedQuery[]> =>
  (await send<{ savedQueries: SavedQuery[] }>(`{ savedQueries { ${fields} } }`)).savedQueries;

/** The queries of whoever is signed in; none without a session. */
export async function savedQueries(): Promise<readonly SavedQuery[]> {
  try {
    return (await getSession())?.company ? await listSaved() : [];
  } catch {
    // GraphiQL works without them.
    return [];
  }
}

/** Saves a query. @param id the query to change; by default a new one is saved. @throws Error */
export async function saveQuery(
  { name, query, variables, isShared }: SaveQueryInput,
  id?: string,
): Promise<SavedQuery> {
  const text = `mutation ($id: ID, $input: SaveQueryInput!) { saveQuery(id: $id, input: $input) { ${fields} } }`;
  return (await send<{ saveQuery: SavedQuery }>(text, { id, input: { name, query, variables, isShared } })).saveQuery;
}

/** Deletes a query. @throws Error */
export const deleteSaved = (id: string): Promise<unknown> =>
  send('mutation ($id: ID!) { deleteSavedQuery(id: $id) { id } }', { id });

/** The address that opens a query. */
export const addressOf = (id: string) => `/graphql?saved=${id}`;

/** The id of the query that the address opens. */
export const openedId = () => new URLSearchParams(location.search).get('saved');

/** The tabs of the query in the URL and of the saved queries; the query that the URL names comes first. */
export function savedTabs(saved: readonly SavedQuery[]) {
  const address = new URLSearchParams(location.search);
  const query = openedId() === null ? address.get('query') : null;
  const sorted = [...saved].sort((one, other) => Number(other.id === openedId()) - Number(one.id === openedId()));
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
  const address = new URLSearchParams({ saved: opened.id, query: opened.query });
  if (opened.variables) address.set('variables', opened.variables);
  history.replaceState(null, '', `/graphql?${address.toString()}`);
}
