import {
  DeleteSavedQueryDocument,
  SavedQueriesDocument,
  type SavedQueryFragment,
  SaveQueryDocument,
  type SaveQueryInput,
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
