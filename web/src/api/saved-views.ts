import {
  DeleteSavedViewDocument,
  SavedViewsDocument,
  type SavedViewsQuery,
  SaveViewDocument,
  type SaveViewInput,
} from './generated/graphql.ts';
import { execute } from './graphql.ts';

/** The state of a list under a name: the person's own, or one that is shared with the company. */
export type SavedView = NonNullable<SavedViewsQuery['savedViews']>[number];

/** Lists the views of a list. @param type of its rows */
export const listSavedViews = async (type: string): Promise<readonly SavedView[]> =>
  (await execute(SavedViewsDocument, { type })).savedViews;

export const saveView = (input: SaveViewInput) => execute(SaveViewDocument, { input });

export const deleteSavedView = (id: string) => execute(DeleteSavedViewDocument, { id });
