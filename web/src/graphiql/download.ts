import { exampleTabs } from './examples.ts';

/** A tab as GraphiQL keeps it. */
interface Tab {
  readonly query: string | null;
  readonly variables?: string | null;
  readonly operationName?: string | null;
}

const storedTabs = () => localStorage.getItem('graphiql:tabState');

/** The query that the address opened, and what was stored of tabs then. */
let opened: { readonly tab: Tab; readonly stored: string | null } | undefined;

/**
 * Remembers the query in the address: beside the tabs of an earlier visit GraphiQL shows it in one that it stores only
 * once something changes.
 */
export function rememberOpened(): void {
  const address = new URLSearchParams(location.search);
  const query = address.get('query');
  if (query) opened = { tab: { query, variables: address.get('variables') }, stored: storedTabs() };
}

/** How long (ms) GraphiQL takes to store a change: it waits for 100 and then for 500. */
const storeMs = 800;

/** When somebody last typed or clicked in GraphiQL. */
let changedAt = -storeMs;

/** Notices when somebody may change the text in GraphiQL. @param container what GraphiQL is in */
export function watchChanges(container: Element | null): void {
  for (const type of ['keydown', 'input', 'paste', 'drop', 'pointerdown', 'click'])
    container?.addEventListener(type, () => (changedAt = performance.now()), true);
}

/** The tab that is shown, once GraphiQL has stored it. */
export async function activeTab(): Promise<Tab> {
  await new Promise((resolve) => setTimeout(resolve, changedAt + storeMs - performance.now()));
  const stored = storedTabs();
  if (opened && opened.stored === stored) return opened.tab;
  const { tabs = [], activeTabIndex = 0 } = stored
    ? // As GraphiQL stores it.
      (JSON.parse(stored) as { tabs?: Tab[]; activeTabIndex?: number })
    : {};
  return tabs[activeTabIndex] ?? exampleTabs[0] ?? { query: '' };
}

/**
 * Creates a button that saves the result of the shown query as a file of CSV.
 *
 * @param authorization the header for a token, if there is one
 * @param showMessage shows a message
 */
export function downloadButton(authorization: () => string | undefined, showMessage: (message: string) => void) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Download CSV' });
  button.addEventListener('click', () => {
    showMessage('');
    button.disabled = true;
    void download(authorization())
      .catch((error: unknown) => showMessage(error instanceof Error ? error.message : String(error)))
      .finally(() => (button.disabled = false));
  });
  return button;
}

/** @throws Error with the message of the service */
async function download(authorization: string | undefined): Promise<void> {
  const { query, variables, operationName } = await activeTab();
  const given: unknown = variables?.trim() ? JSON.parse(variables) : undefined;
  const isToken = authorization && /^Bearer\s+\S/i.test(authorization);
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      accept: 'text/csv',
      'content-type': 'application/json',
      ...(isToken && { authorization }),
    },
    body: JSON.stringify({ query, operationName, variables: given }),
  });
  if (!response.headers.get('content-type')?.startsWith('text/csv')) {
    // Errors of GraphQL.
    const { errors } = (await response.json()) as { errors?: { message: string }[] };
    throw new Error(errors?.[0]?.message ?? 'The service did not respond with CSV.');
  }
  const [, name = 'result.csv'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const href = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}
