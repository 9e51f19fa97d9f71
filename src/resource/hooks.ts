import type { Context } from '../context.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import type { TenantClient } from '../database/tenant.ts';
import type { FieldErrors } from '../errors.ts';
import type { Column, ModelName, Row } from './model.ts';

/** A row, with all its columns. */
export type Shape<Model extends ModelName> = PrismaTypes[Model]['Shape'];

/** A model's relations to lists of rows. */
export type ListRelation<Model extends ModelName> = PrismaTypes[Model]['ListRelations'] & string;

/** The columns that a write says, and its nested items. */
export type Data<Model extends ModelName> = Partial<Shape<Model>> & {
  [List in ListRelation<Model>]?: readonly Row[];
};

/** The columns of a new row: all that it must have are there. */
export type NewData<Model extends ModelName> = Data<Model> & {
  [Name in Column<Model> as null extends Shape<Model>[Name] ? never : Name]: Shape<Model>[Name];
};

/** What a write stores: columns, nested items, and rows of other list relations that are made with the row. */
export type Stored<Model extends ModelName> = Partial<Shape<Model>> & {
  [List in ListRelation<Model>]?: readonly Row[] | { create: readonly object[] };
};

/** What happens around a write. All run in its transaction; `db` is the company's rows in it. */
export interface Hooks<Model extends ModelName, ParentRow = undefined> {
  /**
   * Finds what is wrong with the row as it would be: `row` has the columns of `previous`, changed by `data`. `errors` is what is
   * known to be wrong already.
   */
  readonly validate?: (write: {
    readonly context: Context;
    readonly db: TenantClient;
    readonly data: Data<Model>;
    readonly previous: Shape<Model> | null;
    readonly row: Data<Model>;
    readonly errors: FieldErrors;
  }) => FieldErrors | Promise<FieldErrors>;
  /** Says what to store, or refuses by a ServiceError. */
  readonly resolveInput?: {
    /** @param write.parent the row that the new one belongs to, where `parent.lock` holds it */
    readonly create?: (write: {
      readonly context: Context;
      readonly db: TenantClient;
      readonly data: NewData<Model>;
      readonly parent: ParentRow;
    }) => Stored<Model> | Promise<Stored<Model>>;
    /** @param write.previous the row as it was, locked until the write is done */
    readonly update?: (write: {
      readonly context: Context;
      readonly db: TenantClient;
      readonly data: Data<Model>;
      readonly previous: Shape<Model>;
    }) => Stored<Model> | Promise<Stored<Model>>;
  };
  /** Refuses a deletion by a ServiceError, or prepares it. */
  readonly beforeDelete?: (write: {
    readonly context: Context;
    readonly db: TenantClient;
    readonly previous: Shape<Model>;
  }) => void | Promise<void>;
  /** Writes what else must happen. */
  readonly afterOperation?: {
    readonly create?: (write: {
      readonly context: Context;
      readonly db: TenantClient;
      readonly row: Shape<Model>;
    }) => Promise<void>;
    readonly update?: (write: {
      readonly context: Context;
      readonly db: TenantClient;
      readonly row: Shape<Model>;
      readonly previous: Shape<Model>;
    }) => Promise<void>;
    readonly delete?: (write: {
      readonly context: Context;
      readonly db: TenantClient;
      readonly previous: Shape<Model>;
    }) => Promise<void>;
  };
}

type RowHook<Given, Result> = (write: { context: Context; db: TenantClient } & Given) => Result | Promise<Result>;

/** Hooks, for code that knows their model only by name. */
export interface RowHooks {
  readonly validate?: RowHook<{ data: Row; previous: Row | null; row: Row; errors: FieldErrors }, FieldErrors>;
  readonly resolveInput?: {
    readonly create?: RowHook<{ data: Row; parent: Row | undefined }, Row>;
    readonly update?: RowHook<{ data: Row; previous: Row }, Row>;
  };
  readonly beforeDelete?: RowHook<{ previous: Row }, void>;
  readonly afterOperation?: {
    readonly create?: RowHook<{ row: Row }, void>;
    readonly update?: RowHook<{ row: Row; previous: Row }, void>;
    readonly delete?: RowHook<{ previous: Row }, void>;
  };
}
