import { type ArgumentBuilder, type InputFieldMap, maxPageSize } from '../resource/index.ts';

/** What a client says of a page of a list that is not one of rows. */
export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

/** The arguments of such a list. @param noun what it lists */
export const pageArguments = (arg: ArgumentBuilder, pageSize: number, noun: string): InputFieldMap => ({
  first: arg.int({ defaultValue: pageSize, description: `1 to ${maxPageSize} rows.` }),
  after: arg.string({ description: `Cursor of the ${noun} before.` }),
});
