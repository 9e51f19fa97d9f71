import type { Context } from '../../context.ts';
import type PrismaTypes from '../../database/generated/prisma-types.ts';
import type { FieldErrors } from '../../errors.ts';
import type { Column, ModelName, Row } from './model.ts';
import type { ResourceAction } from './operation.ts';

/** A row, with all its columns. */
export type Shape<Model extends ModelName> = PrismaTypes[Model]['Shape'];

/** A model's relations to lists of rows. */
export type ListRelation<Model extends ModelName> = PrismaTypes[Model]['ListRelations'] & string;

/** The columns that a write sets of a nested item. */
type Item<Model extends ModelName, List extends ListRelation<Model>> = PrismaTypes[Model]['Relations'] extends {
  readonly [Name in List]: { readonly Shape: readonly (infer ItemShape)[] };
}
  ? Partial<ItemShape>
  : never;

/** The columns and nested items that a write sets. */
export type Data<Model extends ModelName> = Partial<Shape<Model>> & {
  [List in ListRelation<Model>]?: readonly Item<Model, List>[];
};

/** The columns of a new row. Those of the API that are required are set. */
type NewData<Model extends ModelName, Field extends Column<Model>> = Data<Model> & {
  [Name in Field as null extends Shape<Model>[Name] ? never : Name]: Shape<Model>[Name];
};

/** The data that a write stores. */
export type Stored<Model extends ModelName> = Data<Model> & {
  /** Rows of list relations that are created with the row. */
  readonly also?: { readonly [List in ListRelation<Model>]?: readonly Item<Model, List>[] };
};

/** A hook of some actions; only a resource that has one of them can have it. */
type HookOf<Actions extends ResourceAction, Of extends ResourceAction, Hook> = [Extract<Actions, Of>] extends [never]
  ? never
  : Hook;

/**
 * Hooks of a write, for the actions of a resource. They run in its transaction and reach the company's rows by
 * `context.db`. `validate` also runs before it, to find all errors of an input that has some.
 */
export interface Hooks<
  Model extends ModelName,
  ParentRow = undefined,
  Action extends ResourceAction = ResourceAction,
  Field extends Column<Model> = never,
> {
  /**
   * Validates the row as it would be stored: `row` is `previous` changed by `data`. `errors` contains the errors found
   * so far. `bySystem` says that it is a hook that writes, rather than a client.
   */
  readonly validate?: HookOf<
    Action,
    'create' | 'update' | 'replace',
    (write: {
      readonly context: Context;
      readonly data: Data<Model>;
      readonly previous: Shape<Model> | null;
      readonly row: Data<Model>;
      readonly errors: FieldErrors;
      readonly bySystem: boolean;
    }) => FieldErrors | Promise<FieldErrors>
  >;
  /** Returns the data to store, or throws a ServiceError. */
  readonly resolveInput?: {
    /** @param write.parent the row that the new one belongs to, locked; present if `parent.lock` is set */
    readonly create?: HookOf<
      Action,
      'create',
      (write: {
        readonly context: Context;
        readonly data: NewData<Model, Field>;
        readonly parent: ParentRow;
        readonly bySystem: boolean;
      }) => Stored<Model> | Promise<Stored<Model>>
    >;
    /** @param write.previous the row before the write; locked until the transaction ends */
    readonly update?: HookOf<
      Action,
      'update' | 'replace',
      (write: {
        readonly context: Context;
        readonly data: Data<Model>;
        readonly previous: Shape<Model>;
        readonly bySystem: boolean;
      }) => Stored<Model> | Promise<Stored<Model>>
    >;
  };
  /**
   * Performs further writes that follow from this one, or prevents it by throwing a ServiceError. `delete` does not run
   * for rows that are deleted with their parent.
   */
  readonly afterOperation?: {
    readonly create?: HookOf<
      Action,
      'create',
      (write: {
        readonly context: Context;
        readonly row: Shape<Model>;
        readonly parent: ParentRow;
      }) => void | Promise<void>
    >;
    readonly update?: HookOf<
      Action,
      'update' | 'replace',
      (write: {
        readonly context: Context;
        readonly row: Shape<Model>;
        readonly previous: Shape<Model>;
      }) => void | Promise<void>
    >;
    /** Also of deletions by an operation of their own. */
    readonly delete?: (write: { readonly context: Context; readonly previous: Shape<Model> }) => void | Promise<void>;
  };
}

type RowHook<Given, Result> = (write: { context: Context } & Given) => Result | Promise<Result>;

/** Hooks, for code that knows the model only by name. */
export interface RowHooks {
  readonly validate?: RowHook<
    { data: Row; previous: Row | null; row: Row; errors: FieldErrors; bySystem: boolean },
    FieldErrors
  >;
  readonly resolveInput?: {
    readonly create?: RowHook<{ data: Row; parent: Row | undefined; bySystem: boolean }, Row>;
    readonly update?: RowHook<{ data: Row; previous: Row; bySystem: boolean }, Row>;
  };
  readonly afterOperation?: {
    readonly create?: RowHook<{ row: Row; parent: Row | undefined }, void>;
    readonly update?: RowHook<{ row: Row; previous: Row }, void>;
    readonly delete?: RowHook<{ previous: Row }, void>;
  };
}
