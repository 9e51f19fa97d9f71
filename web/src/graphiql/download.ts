import { exampleTabs } from './examples.ts';

/** A tab as GraphiQL keeps it. */
interface Tab {
  readonly query: string | null;
  readonly variables?: string | null;
  readonly operationName?: string | null;
}

/** The tab that is shown. GraphiQL stores it half a second after each change. */
export function activeTab(): Tab {
  const stored = localStorage.getItem('graphiql:tabState');
  const { tabs = [], activeTabIndex = 0 } = stored
    ? (JSON.parse(stored) as { tabs?: Tab[]; activeTabIndex?: number })
    : {};
  return tabs[activeTabIndex] ?? exampleTabs[0] ?? { query: '' };
}

/**
 * Creates a button that saves the result of the shown query as a file of CSV.
 *
 * @param authorization the header for a token, if there is one
 * @param tell shows a message
 */
export function downloadButton(authorization: () => string | undefined, tell: (message: string) => void) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Download CSV' });
  button.addEventListener('click', () => {
    tell('');
    button.disabled = true;
    void download(authorization())
      .catch((error: unknown) => tell(error instanceof Error ? error.message : String(error)))
      .finally(() => (button.disabled = false));
  });
  return button;
}

/** @throws Error with the message of the service */
async function download(authorization: string | undefined): Promise<void> {
  const { query, variables, operationName } = activeTab();
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
    const { errors } = (await response.json()) as { errors?: { message: string }[] };
    throw new Error(errors?.[0]?.message ?? 'The service did not respond with CSV.');
  }
  const [, name = 'result.csv'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const href = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}
