// The mutations of rows, written from definitions.
import { runQuery } from '../api/graphql.ts';
import { queryClient } from '../app/query-client.ts';
import type { Action } from './definitions.ts';
import { declare, pass, valuesOf } from './operations.ts';

/** Runs an operation. @param given its arguments; those that it does not have are left out @returns its result */
export async function runAction<Result>(
  action: Pick<Action, 'field' | 'arguments'>,
  given: Readonly<Record<string, unknown>>,
  selection: string,
): Promise<Result> {
  const args = action.arguments.flatMap(({ name, type }) =>
    given[name] === undefined ? [] : [{ name, type, value: given[name] }],
  );
  const mutation = `mutation Write${declare(args)} { result: ${action.field}${pass(args)} { ${selection} } }`;
  const { result } = await runQuery<{ result: Result }>(mutation, valuesOf(args));
  await forgetRows();
  return result;
}

/** Has everything read again that a write may have changed: rows, lists, groups, and what shows the names of rows. */
export const forgetRows = (): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [kind] }) => kind !== 'session' && kind !== 'api',
  });
