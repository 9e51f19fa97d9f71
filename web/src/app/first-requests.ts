// What came with the document, and the requests that were sent before the page's own scripts had loaded.
import type { PageData } from '../../../src/auth/sessions/bodies.ts';

/** What the service has put into the document. */
export const pageData: PageData = read();

function read(): PageData {
  // There is no document while the pages are built.
  const text = typeof document === 'undefined' ? undefined : document.getElementById('page-data')?.textContent;
  // The service writes it, as JSON.
  return text ? (JSON.parse(text) as PageData) : {};
}

/** Texts of the responses; those that failed are undefined, as the page then asks itself. */
const started = new Map<string, Promise<string | undefined>>();

/** Sends a query whose response the page will ask for. @returns the text of the response, undefined if it failed */
export function startFirstRequest(query: string, variables: object, companyId: string): Promise<string | undefined> {
  const body = JSON.stringify({ query, variables });
  const headers = { accept: 'application/json', 'content-type': 'application/json', 'premises-company': companyId };
  // Read here, as a response that nobody reads never finishes.
  const text = fetch('/graphql', { method: 'POST', headers, body })
    .then((response) => (response.ok ? response.text() : undefined))
    .catch(() => undefined);
  started.set(body, text);
  return text;
}

/** The text of the response to a query that was sent already; each can be taken once. @param body of the request */
export function takeFirstResponse(body: string): Promise<string | undefined> | undefined {
  const text = started.get(body);
  started.delete(body);
  return text;
}
