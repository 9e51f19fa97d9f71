import {
  DeleteSavedQueryDocument,
  QueryRecipientsDocument,
  type QueryScheduleInput,
  SavedQueriesDocument,
  type SavedQueryFragment,
  SaveQueryDocument,
  type SaveQueryInput,
  ScheduleQueryDocument,
} from './generated/graphql.ts';
import { execute } from './graphql.ts';

/** A query that was saved. */
export type SavedQuery = SavedQueryFragment;

/** The queries that whoever is signed in saved, and those that others share. */
export const listSavedQueries = async (): Promise<readonly SavedQuery[]> =>
  (await execute(SavedQueriesDocument)).savedQueries;

/** Saves a query. @param id the query to change; by default a new one is saved */
export const saveQuery = async (input: SaveQueryInput, id?: string): Promise<SavedQuery> =>
  (await execute(SaveQueryDocument, { id: id ?? null, input })).saveQuery;

export const deleteSavedQuery = (id: string) => execute(DeleteSavedQueryDocument, { id });

/** Sends a query by email. @param input when, and to whom; null sends it no longer */
export const scheduleQuery = (id: string, input: QueryScheduleInput | null) =>
  execute(ScheduleQueryDocument, { id, input });

export type { QueryScheduleInput };

/** People whom a query can be sent to: some that a search finds, and those who were chosen. */
export async function findRecipients(search: string, ids: readonly string[]) {
  const { found, chosen } = await execute(QueryRecipientsDocument, { search: search || null, ids: [...ids] });
  return [...new Map([...chosen.nodes, ...found.nodes].map((person) => [person.id, person])).values()];
}
