// GraphQL over server-sent events, with a connection for each operation.

/**
 * An event with the result of an operation.
 * @param body the result in JSON
 * @param id what a client that connects again sends as `Last-Event-ID`
 */
export const nextEvent = (body: string, id?: string): string =>
  `event: next\n${id === undefined ? '' : `id: ${id}\n`}data: ${body}\n\n`;

/** The event that ends an operation. */
export const completeEvent = 'event: complete\ndata:\n\n';
