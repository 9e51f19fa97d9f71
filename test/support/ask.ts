import { expect } from '@jest/globals';
import type { Client, Row } from './client.ts';
import { rootField } from './resources.ts';

/** A field to ask for, with its arguments and what to select of it. */
export type Asked = readonly [field: string, variables: Row, selection: string];

/** How many fields one request asks for: GraphQL takes 30 aliases, and 2000 tokens. */
const atOnce = 16;

/** Asks for several fields, many in one request. @returns what each answered, in their order */
export async function askAll<Answers extends readonly unknown[]>(
  client: Client,
  asked: readonly Asked[],
): Promise<Answers> {
  const answers: unknown[] = [];
  for (let from = 0; from < asked.length; from += atOnce) {
    const variables: Row = {};
    const declared: string[] = [];
    const fields = asked.slice(from, from + atOnce).map(([name, given, selection], n) => {
      const args = rootField(name).args.filter((arg) => arg.name in given);
      for (const arg of args) {
        variables[`${arg.name}${n}`] = given[arg.name];
        declared.push(`$${arg.name}${n}: ${String(arg.type)}`);
      }
      const passed = args.map((arg) => `${arg.name}: $${arg.name}${n}`).join(', ');
      return `f${n}: ${name}${passed && `(${passed})`} ${selection}`;
    });
    const head = declared.length > 0 ? `query (${declared.join(', ')})` : 'query';
    const { data, errors } = await client.graphql<Row>(`${head} { ${fields.join('\n')} }`, variables);
    expect({ asked: fields, errors }).toEqual({ asked: fields, errors: [] });
    answers.push(...fields.map((_, n) => data[`f${n}`]));
  }
  return answers as unknown as Answers;
}
