import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type PrismaTypes from '../../database/generated/prisma-types.ts';
import type { ComputedFilter } from '../filter/filterable.ts';
import type { FieldMap, InputFieldMap, InputFields, RowFieldBuilder, SchemaKit } from '../schema/schema-kit.ts';
import type { FieldOptions } from './field.ts';
import type { Hooks, ListRelation, Shape } from './hooks.ts';
import type { Measures, Ranges } from './measures.ts';
import type { MemberField } from './member.ts';
import type { Column, ModelName } from './model.ts';
import type { ListParameters, ResourceAction } from './operation.ts';
import type { PolicyOptions } from './policy.ts';
import type { ConvertInput, RefreshStale, Resource } from './resource.ts';
import type { SearchedContent } from './searched-content.ts';
import type { GivenWords } from './words.ts';

type Relation<Model extends ModelName> = PrismaTypes[Model]['RelationName'] & string;

/** Input of create and replace besides columns, and how it is converted to columns. */
export interface ExtraInput<Model extends ModelName> {
  readonly fields: (kit: SchemaKit) => (t: InputFields) => InputFieldMap;
  readonly resolve: ConvertInput<Model>;
}

/** A path below another, or below /api/v1. */
type Path = `/${string}`;

/** The actions of a resource that does not list its own. */
export type DefaultAction = Exclude<ResourceAction, 'replace'>;

/** The policies of a model's rows, which name its own columns, nested items and statuses. */
export type PoliciesOf<Model extends ModelName> = PolicyOptions<
  Column<Model>,
  Column<Model> | ListRelation<Model>,
  Shape<Model> extends { readonly status: infer Status } ? Status & string : never
>;

/** The link of a sub-resource to its parent. */
export interface ParentOptions<Model extends ModelName, Of extends ModelName = ModelName> {
  readonly resource: Resource<Of>;
  /** The column that refers to the parent. */
  readonly column: Column<Model>;
  /** The parent's relation to these rows, which becomes a GraphQL field of the parent. */
  readonly relation?: ListRelation<Of>;
  /** Whether the parent is locked while a row is created; hooks then receive it. */
  readonly lock?: boolean;
}

/** The row of a parent that hooks receive: the locked one. */
type LockedRow<Parent> = Parent extends { readonly resource: Resource<infer Of>; readonly lock: true }
  ? Shape<Of>
  : undefined;

/** The model of a parent. */
type ModelOf<Parent> = Parent extends { readonly resource: Resource<infer Of> } ? Of : never;

/**
 * The definition of a resource, beyond its Prisma model. The compiler finds its `Parent`, `Action`s and `Field`s, which
 * decide what its hooks can be.
 */
export interface ResourceOptions<
  Model extends ModelName,
  Parent extends ParentOptions<Model> = ParentOptions<Model>,
  Action extends ResourceAction = DefaultAction,
  Field extends string = Column<Model>,
> {
  /** The scope group that read and write access require. A sub-resource has its parent's. */
  readonly scope?: ScopeGroup;
  /** What people call its rows. */
  readonly words?: GivenWords & {
    /** The column whose value names a row; rows without one are known by what they belong to. */
    readonly title?: Column<Model>;
  };
  /** Declares a sub-resource. */
  readonly parent?: Parent & ParentOptions<Model, NoInfer<ModelOf<Parent>>>;
  /**
   * The columns of the API, in the order of the body, with their policies; `id`, timestamps and the parent's are added.
   * A field that is no column is a `member` of the JSON of one.
   */
  readonly fields: {
    readonly [Name in Field]?: Name extends Column<Model> ? FieldOptions<Model, Name> : MemberField;
  };
  readonly list?: {
    /** The columns that a table of its rows shows; by default those before the first long text, and at most six. */
    readonly columns?: readonly (Column<Model> | NoInfer<Field>)[];
    /** The columns that `search` searches. */
    readonly search?: readonly (Column<Model> | NoInfer<Field>)[];
    /** The text that `search` searches besides, which is not the row's own. */
    readonly content?: SearchedContent;
    /** Computed filters: conditions that are not a comparison of one column. */
    readonly filters?: Readonly<Record<string, ComputedFilter>>;
    /** What aggregates measure besides columns. */
    readonly measures?: Measures;
    /** By what its rows belong to periods. */
    readonly ranges?: Ranges;
    /** Default page size; 25 if unset. */
    readonly pageSize?: number;
  };
  readonly access?: {
    /** The actions it supports; by default all but `replace`. */
    readonly actions?: readonly Action[];
    /** Limits the rows that the caller can access. */
    readonly filter?: (context: Context) => PrismaTypes[Model]['Where'];
  } & PoliciesOf<Model>;
  readonly graphql?: {
    /** The GraphQL type's name, if it differs from the model's. */
    readonly type?: string;
    /** The relations that GraphQL exposes, besides the parent's. One to one row adds a list to the other side. */
    readonly relations?: readonly Relation<Model>[];
    /** Fields without a column. */
    readonly virtualFields?: (kit: SchemaKit) => (t: RowFieldBuilder<Model>) => FieldMap;
    /**
     * The content of other rows that virtual fields show in REST, as Prisma's selection by relation; the ETag depends
     * on it.
     */
    readonly etagSelect?: { readonly [Name in Relation<Model>]?: object };
    readonly extraInput?: ExtraInput<Model>;
  };
  readonly rest: {
    /** The collection's path, below /api/v1 or below the parent's item; the list has further paths, if given. */
    readonly path: Path | readonly [Path, ...Path[]];
    /** The actions that REST offers, if fewer. */
    readonly actions?: readonly NoInfer<Action>[];
    /** Parameters of the list besides those of its filter. */
    readonly parameters?: ListParameters;
    /** Also lists and creates rows below another resource's items, under that resource's scopes. */
    readonly mountedUnder?: Parent extends { readonly lock: true }
      ? never // Its rows would be created without the lock of their parent.
      : {
          readonly resource: Resource;
          readonly column: Column<Model>;
          readonly path: Path;
          readonly actions: readonly NoInfer<Action>[];
        };
  };
  readonly hooks?: Hooks<Model, LockedRow<NoInfer<Parent>>, NoInfer<Action>, NoInfer<Field> & Column<Model>>;
  /** Lists that are written and shown with the row, such as line items: relation → columns. */
  readonly nestedItems?: { readonly [List in ListRelation<Model>]?: readonly string[] };
  readonly refreshStale?: RefreshStale;
}
