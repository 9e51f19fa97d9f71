import { expect } from '@jest/globals';
import type { Client, Row } from './client.ts';

/** The groups of a list. */
export type Groups = Row[];

/** Asks for the groups of a list. @param list the list with its arguments @param args of the aggregates */
export async function askGroups(client: Client, list: string, selection: string, args = ''): Promise<Groups> {
  const query = `{ list: ${list} { aggregates${args && `(${args})`} ${selection} } }`;
  const { data, errors } = await client.graphql<{ list: { aggregates: Groups } }>(query);
  expect({ query, errors }).toEqual({ query, errors: [] });
  return data.list.aggregates;
}

/** Creates a row. @returns it */
export async function create(client: Client, path: string, body: Row): Promise<Row> {
  const reply = await client.post(path, body);
  expect({ body, status: reply.status, error: reply.status === 201 || reply.error }).toMatchObject({ status: 201 });
  return reply.row;
}
