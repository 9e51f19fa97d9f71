// Results of GraphQL as tables.

import { saveResponse } from '../save.ts';
import { t } from '../texts/components.ts';

/** The forms in which the service writes a result as a table, by what people call them. */
export const tableTypes = {
  CSV: 'text/csv',
  XLSX: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export type TableForm = keyof typeof tableTypes;

/**
 * Saves the result of a query as a file.
 *
 * @param send sends the request
 * @param name of the file without its ending, where the service gives none
 * @throws Error with the message of the service
 */
export async function saveTable(
  form: TableForm,
  body: object,
  send: (request: Request) => Promise<Response>,
  name: string,
): Promise<void> {
  const type = tableTypes[form];
  const headers = { accept: type, 'content-type': 'application/json' };
  const response = await send(new Request('/graphql', { method: 'POST', headers, body: JSON.stringify(body) }));
  if (!response.headers.get('content-type')?.startsWith(type)) {
    // Errors of GraphQL.
    const { errors } = (await response.json()) as { errors?: { message: string }[] };
    throw new Error(errors?.[0]?.message ?? t('theServiceDidNotRespondWith', { form }));
  }
  await saveResponse(response, `${name}.${form.toLowerCase()}`);
}
