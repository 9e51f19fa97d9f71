import { getSession } from '../api/auth.ts';
import { activeTab } from './download.ts';

/** A query that was kept. */
export interface SavedQuery {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly variables: string | null;
  readonly isMine: boolean;
  readonly isShared: boolean;
}

const fields = 'id name query variables isMine isShared';

/** Sends an operation with the session. @throws Error with the message of the service */
async function send<Data>(query: string, variables = {}): Promise<Data> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as {
    data?: Data;
    errors?: { message: string; extensions?: { details?: Record<string, string> } }[];
  };
  const [error] = errors ?? [];
  if (error || !data) throw new Error(Object.values(error?.extensions?.details ?? {})[0] ?? error?.message);
  return data;
}

/** The queries of whoever is signed in; none without a session. */
export async function savedQueries(): Promise<readonly SavedQuery[]> {
  try {
    const session = await getSession();
    return session?.company
      ? (await send<{ savedQueries: SavedQuery[] }>(`{ savedQueries { ${fields} } }`)).savedQueries
      : [];
  } catch {
    // GraphiQL works without them.
    return [];
  }
}

/** The id of the query that the address opens: `/graphql?saved=<id>`. */
const openedId = () => new URLSearchParams(location.search).get('saved');

/** The tabs of the saved queries: the one that the address names comes first. */
export const savedTabs = (saved: readonly SavedQuery[]) =>
  [...saved]
    .sort((one, other) => Number(other.id === openedId()) - Number(one.id === openedId()))
    .map(({ query, variables }) => ({ query, variables: variables ?? '{}' }));

/** Puts the query that the address names into the address, from which GraphiQL opens it in a tab. */
export function openSaved(saved: readonly SavedQuery[]): void {
  const opened = saved.find(({ id }) => id === openedId());
  if (!opened) return;
  const address = new URLSearchParams({ saved: opened.id, query: opened.query });
  if (opened.variables) address.set('variables', opened.variables);
  history.replaceState(null, '', `/graphql?${address.toString()}`);
}

/** Creates a button that keeps the shown query, and then shows its address. @param tell shows a message */
export function saveButton(tell: (message: string) => void) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Save query' });
  button.addEventListener('click', () => {
    const { query, variables } = activeTab();
    const name = prompt('What does the query answer?', /(?:query|mutation)\s+(\w+)/.exec(query ?? '')?.[1] ?? '');
    if (!name) return;
    const isShared = confirm('Share it with everyone in the company? They run it with their own rights.');
    void send<{ saveQuery: SavedQuery }>('mutation ($input: SaveQueryInput!) { saveQuery(input: $input) { id } }', {
      input: { name, query, variables: variables ?? null, isShared },
    })
      .then(({ saveQuery: { id } }) => {
        history.replaceState(null, '', `/graphql?saved=${id}`);
        tell(`Saved. The address of this page opens it.`);
      })
      .catch((error: unknown) => tell(error instanceof Error ? error.message : String(error)));
  });
  return button;
}
