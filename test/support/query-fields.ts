import { expect } from '@jest/globals';
import type { Client, Row } from './client.ts';
import { rootField } from './resources.ts';

/** A field to query, with its arguments and selection. */
export type FieldQuery = readonly [field: string, variables: Row, selection: string];

/** Number of fields per request, within the limits of aliases, tokens and cost. A search counts as several. */
const atOnce = 8;
const weightOf = ([, variables]: FieldQuery) => ('search' in variables ? atOnce / 2 : 1);

/** The next fields that fit in one request. */
function nextOf(queries: readonly FieldQuery[]): readonly FieldQuery[] {
  let left = atOnce;
  const end = queries.findIndex((each) => (left -= weightOf(each)) < 0);
  return end < 0 ? queries : queries.slice(0, end);
}

/** Queries several fields, many per request. @returns the result of each, in order */
export async function queryFields<Results extends readonly unknown[]>(
  client: Client,
  queries: readonly FieldQuery[],
): Promise<Results> {
  const results: unknown[] = [];
  while (results.length < queries.length) {
    const variables: Row = {};
    const declared: string[] = [];
    const fields = nextOf(queries.slice(results.length)).map(([name, given, selection], n) => {
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
    expect({ fields, errors }).toEqual({ fields, errors: [] });
    results.push(...fields.map((_, n) => data[`f${n}`]));
  }
  return results as unknown as Results;
}
