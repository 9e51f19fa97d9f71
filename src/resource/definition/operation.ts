import type { Access } from '../../auth/access.ts';
import type { Context } from '../../context.ts';
import type { FieldErrors } from '../../errors.ts';
import type { Page, PageSelection, Selected } from '../read/lists.ts';
import type { Row } from './model.ts';
import type { Policies } from './policy.ts';
import type { Words } from './words.ts';

/** The actions of a resource; they determine REST's methods and status codes. */
export type Action =
  | 'list'
  | 'aggregate'
  | 'read'
  | 'create'
  | 'batch'
  | 'write'
  | 'update'
  | 'updateMany'
  | 'replace'
  | 'delete'
  | 'deleteMany'
  | 'restore';

/** The actions on many rows, which each resource has that has them on one. */
export const ofMany = ['write', 'updateMany', 'deleteMany'] as const;

/** Whether an action is one on many rows. */
export const isOfMany = (action: Action): boolean => ofMany.some((each) => each === action);

/**
 * The actions that a resource chooses. What it can do with one row it can do with many, what can be deleted can be
 * restored, and lists have aggregates; a batch is an operation of its own.
 */
export type ResourceAction = Exclude<Action, 'aggregate' | 'batch' | 'restore' | (typeof ofMany)[number]>;

/**
 * A parameter of a list in REST: the place in its filter that takes the values, such as `dueDate.gte`; or a type, and
 * the filter that values of it stand for.
 */
export type ListParameter =
  | string
  | {
      readonly type: string;
      readonly description: string;
      readonly filter: (values: readonly string[]) => Readonly<Record<string, unknown>>;
    };

/** Parameters of a list, by their names in camel case. */
export type ListParameters = Readonly<Record<string, ListParameter>>;

/** A root field and its REST route. */
export interface Operation {
  /** The root field's name. */
  readonly field: string;
  readonly kind: 'Query' | 'Mutation';
  readonly action: Action;
  /** The path below /api/v1, with `:name` for each argument in the path. */
  readonly path: string;
  /** Other paths for the same operation. */
  readonly aliases?: readonly string[];
  /** Parameters of a list besides those of its filter. */
  readonly parameters?: ListParameters;
  /** The access it requires. */
  readonly access: Access;
  /** The GraphQL type of the rows it returns. */
  readonly type: string;
  /** What people call those rows, or what it returns. */
  readonly words: Words;
  /** What limits those rows. */
  readonly policies: Policies;
  /** Its group in API references, where that is not the scope group. */
  readonly tag?: { readonly name: string; readonly description: string };
  /** Whether it reads a feed, with `next` to continue from: a request can wait for news. */
  readonly isFeed?: boolean;
  /** Whether REST streams all parts of what it reads: `rows`, with a `position`, and `next` where there are more. */
  readonly isStream?: boolean;
  /** Whether what it reads can be gone for good: 410. */
  readonly mayBeGone?: boolean;
  readonly databaseCost?: FieldCost;
  /** In a batch of its own: the writes that every resource has, for bodies of REST that are a list of those. */
  readonly orWrites?: Operation;
  /** About how many there are of what it returns, where that has no pages. */
  readonly usualSize?: number;
  /** Whether a company has exactly one such row, so that paths contain no id. */
  readonly isSingleton?: boolean;
  /** Finds all errors of a body that the write would find, without writing. `path` contains the path's ids. */
  readonly inspect?: (
    input: Record<string, unknown>,
    context: Context,
    path: Readonly<Record<string, unknown>>,
  ) => Promise<FieldErrors>;
}

/** What the statements of a field cost besides its fields: a kind of work, weighed in src/graphql/database-costs.ts. */
export type FieldCost = 'countDistinct' | 'percentile' | 'timePart' | 'measuredList' | 'firstOfList' | 'log';

/** What a plan reads rows by: the rows of a list, or one row. */
export type RowSource = { readonly page: ReadPage } | RowReads;

/** Reads a page of a list. */
export type ReadPage = (args: Row, context: Context, selected: PageSelection) => Promise<Page>;

/** How one row is read. */
export interface RowReads {
  /** Reads what is selected of it. @throws ServiceError NOT_FOUND */
  readonly row: (args: Readonly<Row>, context: Context, selected: Selected) => Promise<Row>;
  /** Selects all that its ETag depends on: the columns and the items of its body. */
  readonly whole: Selected;
  /** The ETag of a row that was read whole, as the caller may see it. */
  readonly etagOf: (row: Row, context: Context) => string;
}
