import type { Context } from '../../context.ts';
import type { ListsBelow } from '../definition/list-below.ts';
import type { Row, Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import type { Selection } from '../read/query.ts';
import type { CheckedNew } from './below.ts';
import type { NewRows } from './input.ts';

/** A write of a row whose input and action are known. */
export type RowWrite =
  | { readonly action: 'create'; readonly input: Readonly<Row> }
  | {
      /** Of an update the given fields; a replacement resets those that are left out. */
      readonly action: 'update' | 'replace';
      readonly id: string;
      readonly input: Readonly<Row>;
      /** The ETag that the row must have; see `checkMatch`. */
      readonly ifMatch?: string;
    }
  | { readonly action: 'delete'; readonly id: string; readonly ifMatch?: string };

/** A write that updates the row with these values of unique columns, or creates it. */
export interface Upsert {
  readonly action: 'upsert';
  readonly by: Readonly<Row>;
  readonly input: Readonly<Row>;
}

/** How rows are written. */
export interface WriteOptions {
  readonly context: Context;
  /** The fields to return of the written rows; all columns by default. */
  readonly selection?: Selection;
  /** The parent of new rows, for a sub-resource. */
  readonly parentId?: string;
  /** Limits the rows to change, for example to those of a parent. */
  readonly within?: Where;
  /** The columns that a new row requires, where they are not those of the resource. */
  readonly required?: readonly string[];
  /** The field that contains the rows: then errors are named by position, `items.3.sku`. */
  readonly name?: string;
  /** The lists that new rows can bring along; none by default. */
  readonly listsBelow?: ListsBelow;
  /** Whether everything is rolled back in the end: the answer is that of the write, and nothing of it stays. */
  readonly dryRun?: boolean;
}

/** A row that was written, and what was done with it: nothing, where an update found nothing to change. */
export interface WrittenRow {
  readonly action: 'create' | 'update' | 'delete' | 'none';
  /** Its selected fields. */
  readonly row: Row;
}

/** A write whose input is valid by itself. */
export type CheckedWrite =
  | CheckedNew
  | { readonly action: 'update'; readonly id: string; readonly data: Row; readonly ifMatch?: string }
  | { readonly action: 'delete'; readonly id: string; readonly data: Row; readonly ifMatch?: string };

/** How the steps are taken. */
export interface StepOptions extends WriteOptions {
  /** Whether it is a hook that writes, for which no role decides. */
  readonly bySystem: boolean;
  /** Whether further statements follow in the transaction. */
  readonly isPart?: boolean;
  /** The places of the rows in the input, where they are not positions in the field `name`. */
  readonly places?: readonly string[];
  /** Whether nobody reads what is selected of the rows, or whether others may have changed it meanwhile. */
  readonly isUnread?: boolean | undefined;
  readonly isReadAgain?: boolean;
  /** The rows to change that are locked already, by their ids. */
  readonly locked?: ReadonlyMap<string, Row>;
}

/** A resource whose rows are written; only rows with an ETag are compared with one. */
export type WrittenResource = NewRows & Partial<Pick<Resource, 'etag'>>;
