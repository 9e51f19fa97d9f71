import { expect } from '@jest/globals';
import { decimal } from '../../src/fields/index.ts';
import type { Client, Reply, Row } from './client.ts';
import { type Collection, type Field, inputFields, rootField } from './resources.ts';

/** JSON with digits in place of texts that begin with `#`: JSON.stringify prints doubles. */
export const withDigits = (value: unknown): string => JSON.stringify(value).replaceAll(/"#([^"]*)"/g, '$1');

/** The fields of a collection's bodies that are decimals of their own, not the sum of others. */
export const decimalsOf = ({ on }: Collection): Field[] =>
  inputFields(rootField(on.create?.operation.field ?? '')).filter(({ facts }) => facts?.type === decimal);

/** The largest values that rules allow. */
const most: Readonly<Record<string, number>> = { latitude: 90, longitude: 180, hours: 24, score: 100 };

/** What the values of a field must be below. */
export const limitOf = ({ name, facts }: Field): number =>
  most[name] ?? 10 ** ((facts?.precision ?? 0) - (facts?.scale ?? 0));

/** Matches a member of JSON with a number. */
export const member = (name: string, digits: string) =>
  new RegExp(`"${name}" ?: ?${digits.replaceAll('.', '\\.')}[,}\\]]`);

/** The text of a response of GraphQL without errors. @param variables with digits as `withDigits` has them */
export async function askText(client: Client, query: string, variables: Row = {}): Promise<string> {
  const { text } = await client.at('').post('/graphql', withDigits({ query, variables }));
  expect({ query, text }).toEqual({ query, text: expect.not.stringContaining('"errors"') });
  return text;
}

/** Creates a row. @param body with digits as `withDigits` has them */
export async function post(client: Client, path: string, body: Row, headers?: Record<string, string>): Promise<Reply> {
  const reply = await client.post(path, withDigits(body), headers);
  expect({ path, status: reply.status, text: reply.text }).toMatchObject({ status: 201 });
  return reply;
}
