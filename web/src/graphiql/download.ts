import { saveTable, type TableForm } from '../api/tables.ts';
import { t } from '../texts/graphiql.ts';

/** A tab of GraphiQL. */
export interface Tab {
  readonly query: string | null;
  readonly variables?: string | null;
  readonly operationName?: string | null;
}

/** The state of GraphiQL's tabs, as it reports and stores it. */
export interface TabState {
  readonly tabs: readonly Tab[];
  readonly activeTabIndex: number;
}

/** How long (ms) to wait until GraphiQL has reported what was typed last, which it does after 100. */
const reportMs = 250;

let shown: Tab = { query: '' };

/**
 * Determines the tab that GraphiQL shows first, which it does not report: the query in the address, otherwise the tab
 * of the last visit, otherwise the first default.
 */
export function readFirstTab(defaults: readonly Tab[]): void {
  const address = new URLSearchParams(location.search);
  const stored = localStorage.getItem('graphiql:tabState');
  const query = address.get('query');
  if (query) shown = { query, variables: address.get('variables') };
  // GraphiQL writes and reads it itself.
  else if (stored) onTabChange(JSON.parse(stored) as TabState);
  else onTabChange({ tabs: defaults, activeTabIndex: 0 });
}

/** Remembers the tab that is shown. GraphiQL calls it with each change. @returns what was shown before, and is now */
export function onTabChange({ tabs, activeTabIndex }: TabState): { readonly before: Tab; readonly now: Tab } {
  const before = shown;
  shown = tabs[activeTabIndex] ?? shown;
  return { before, now: shown };
}

/** The tab that is shown, with what was typed last. */
export async function activeTab(): Promise<Tab> {
  await new Promise((resolve) => setTimeout(resolve, reportMs));
  return shown;
}

/**
 * Creates a button that saves the result of the shown query as a file.
 *
 * @param authorization the header for a token, if there is one
 * @param showMessage shows a message
 */
export function downloadButton(
  form: TableForm,
  authorization: () => string | undefined,
  showMessage: (message: string) => void,
) {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    textContent: t('downloadForm', { form }),
  });
  button.addEventListener('click', () => {
    showMessage('');
    button.disabled = true;
    void download(form, authorization())
      .catch((error: unknown) => showMessage(error instanceof Error ? error.message : String(error)))
      .finally(() => (button.disabled = false));
  });
  return button;
}

/** The body of a request that runs a tab. @throws SyntaxError where its variables are no JSON */
export function bodyOf({ query, variables, operationName }: Tab): object {
  const given: unknown = variables?.trim() ? JSON.parse(variables) : undefined;
  return { query, operationName, variables: given };
}

/** Sends requests as GraphiQL does. @param authorization the header for a token, if there is one */
export function senderFor(authorization: string | undefined): (request: Request) => Promise<Response> {
  const isToken = authorization && /^Bearer\s+\S/i.test(authorization);
  return (request) => {
    if (isToken) request.headers.set('authorization', authorization);
    return fetch(request);
  };
}

/** @throws Error with the message of the service */
const download = async (form: TableForm, authorization: string | undefined): Promise<void> =>
  saveTable(form, bodyOf(await activeTab()), senderFor(authorization), 'result');
