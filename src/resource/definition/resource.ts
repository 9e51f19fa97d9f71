import type {
  ArgBuilder,
  EnumRef,
  FieldMap,
  InputFieldBuilder,
  InputFieldMap,
  InputFieldRef,
  InputObjectRef,
  InputType,
  ObjectRef,
  OutputType,
} from '@pothos/core';
import type { prismaModelName } from '@pothos/plugin-prisma';
import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import type PrismaTypes from '../../database/generated/pothos.ts';
import type { FieldErrors } from '../../errors.ts';
import type { Rule } from '../../fields/index.ts';
import type { Measures } from '../aggregate/measures.ts';
import type { ComputedFilter, Filterable, FilterRelation, NormalizedColumn } from '../filter/filterable.ts';
import type { ListArguments, Listing, ListKit, Page } from '../read/lists.ts';
import type { ApiDescription } from '../registry/description.ts';
import type { SchemaBuilder, SchemaTypes } from '../schema/builder.ts';
import type { EtagParts } from './etag.ts';
import type { Field, FieldOptions } from './field.ts';
import type { Data, Hooks, ListRelation, RowHooks, Shape } from './hooks.ts';
import type { Column, EnumName, ModelName, Row, Where } from './model.ts';
import type { ListParameters, OperationOptions, ResourceAction } from './operation.ts';
import type { Policies, PolicyOptions } from './policy.ts';
import type { GivenWords, Words } from './words.ts';

/** A row's shape, with the brand by which Pothos knows its model. */
type Named<Model extends ModelName> = Shape<Model> & { [prismaModelName]?: Model };

type Relation<Model extends ModelName> = PrismaTypes[Model]['RelationName'] & string;

/** Pothos's field builder for one model. */
type RowFieldBuilder<Model extends ModelName> = PothosSchemaTypes.PrismaObjectFieldBuilder<
  SchemaTypes,
  PrismaTypes[Model],
  Named<Model>
>;

/** Input of create and replace besides columns, and how it is converted to columns. */
export interface ExtraInput<Model extends ModelName> {
  readonly fields: (kit: SchemaKit) => (t: InputFieldBuilder<SchemaTypes, 'InputObject'>) => InputFieldMap;
  /** Adds columns to `data`. @returns the errors of the input */
  readonly resolve: (write: {
    readonly context: Context;
    readonly input: Readonly<Row>;
    readonly data: Data<Model>;
  }) => FieldErrors | Promise<FieldErrors>;
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

/** The definition of a resource, beyond its Prisma model. */
export interface ResourceOptions<
  Model extends ModelName,
  Parent extends ModelName = ModelName,
  Locks extends boolean = false,
  Action extends ResourceAction = DefaultAction,
  Field extends Column<Model> = Column<Model>,
> {
  /** The scope group that read and write access require. A sub-resource has its parent's. */
  readonly scope?: ScopeGroup;
  /** What people call its rows. */
  readonly words?: GivenWords & {
    /** The column whose value names a row; rows without one are known by what they belong to. */
    readonly title?: Column<Model>;
  };
  /** Declares a sub-resource. */
  readonly parent?: {
    readonly resource: Resource<Parent>;
    /** The column that refers to the parent. */
    readonly column: Column<Model>;
    /** The parent's relation to these rows, which becomes a GraphQL field of the parent. */
    readonly relation?: ListRelation<Parent>;
    /** Whether the parent is locked while a row is created; hooks then receive it. */
    readonly lock?: Locks;
  };
  /**
   * The columns of the API, in the order of the body, with their policies; `id`, timestamps and the parent's are added.
   */
  readonly fields: { readonly [Name in Field]?: FieldOptions<Model, Name> };
  readonly list?: {
    /** The columns that a table of its rows shows; by default those before the first long text, and at most six. */
    readonly columns?: readonly Column<Model>[];
    /** The columns that `search` searches. */
    readonly search?: readonly Column<Model>[];
    /** Computed filters: conditions that are not a comparison of one column. */
    readonly filters?: Readonly<Record<string, ComputedFilter>>;
    /** What aggregates measure besides columns. */
    readonly measures?: Measures;
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
    readonly mountedUnder?: Locks extends true
      ? never // Its rows would be created without the lock of their parent.
      : {
          readonly resource: Resource;
          readonly column: Column<Model>;
          readonly path: Path;
          readonly actions: readonly NoInfer<Action>[];
        };
  };
  readonly hooks?: Hooks<Model, Locks extends true ? Shape<Parent> : undefined, NoInfer<Action>, NoInfer<Field>>;
  /** Lists that are written and shown with the row, such as line items: relation → columns. */
  readonly nestedItems?: { readonly [List in ListRelation<Model>]?: readonly string[] };
  /**
   * The updates of statuses that depend on the date, as common table expressions; see `refreshStale`. `ofCompany` is
   * the condition for the company's rows, and `day` is today.
   */
  readonly refreshStale?: (given: {
    readonly ofCompany: Prisma.Sql;
    readonly day: Prisma.Sql;
  }) => readonly Prisma.Sql[];
}

/** A resource's link to its parent. */
interface ParentLink {
  readonly resource: Resource;
  readonly column: string;
  readonly relation?: string;
  readonly lock?: boolean;
}

/** A resource's definition. It is a value without side effects: the schema is built from a list of these. */
export interface Resource<Model extends ModelName = ModelName> {
  readonly kind: 'resource';
  readonly model: Model;
  /** The name of its GraphQL type. */
  readonly type: string;
  readonly scope: ScopeGroup;
  readonly words: Words & { readonly title?: string };
  /** The path below /api/v1, with an argument's name for each id: `/paints/:paintId/locations`. */
  readonly path: string;
  readonly parent?: ParentLink;
  readonly isSingleton: boolean;
  /** The columns of the API, in the order of the body. */
  readonly columns: readonly string[];
  readonly fields: Readonly<Record<string, Field>>;
  /** The columns that a table of its rows shows. */
  readonly shownColumns: readonly string[];
  readonly search: readonly string[];
  readonly filters: Readonly<Record<string, ComputedFilter>>;
  readonly measures: Measures;
  readonly normalized: Readonly<Record<string, NormalizedColumn>>;
  readonly pageSize: number;
  readonly actions: readonly ResourceAction[];
  /** Limits the rows that the caller can access. */
  readonly accessFilter?: (context: Context) => Where;
  /** What the roles of callers limit. */
  readonly policies: Policies;
  readonly graphql: {
    readonly relations: readonly string[];
    readonly virtualFields?: (kit: SchemaKit) => (t: never) => FieldMap;
    readonly extraInput?: ExtraInput<ModelName>;
  };
  readonly rest: {
    readonly actions: readonly ResourceAction[];
    readonly aliases: readonly string[];
    readonly parameters: ListParameters;
    readonly mountedUnder?: Omit<ParentLink, 'lock'> & {
      readonly path: string;
      readonly actions: readonly ResourceAction[];
    };
  };
  readonly hooks: RowHooks;
  readonly nestedItems: Readonly<Record<string, readonly string[]>>;
  readonly etag: EtagParts;
  readonly refreshStale?: ResourceOptions<ModelName>['refreshStale'];
}

/** An addition to the schema besides resources: types and operations of its own, or fields of other types. */
export interface SchemaExtension {
  readonly kind: 'extension';
  readonly extend: (kit: SchemaKit) => void;
}

/** A part of a schema. */
export type Definition = Resource | SchemaExtension;

/** The part of Pothos's field builder that the kit uses; its own type is bound to a model that the compiler knows. */
export interface FieldBuilder {
  readonly arg: ArgBuilder<SchemaTypes>;
  expose(column: string, options: object): FieldMap[string];
  relation(name: string, options: object): FieldMap[string];
  field(options: object): FieldMap[string];
}

/** The arguments of a list for Pothos, which infers `ListArguments` from them. */
type ListArgumentFields = {
  readonly [Name in keyof ListArguments]-?: InputFieldRef<SchemaTypes, ListArguments[Name]>;
};

/** A resource's GraphQL types, created once per schema. */
export interface ResourceTypes {
  /** A row. */
  readonly ref: ObjectRef<SchemaTypes, unknown>;
  /** A page of a list. */
  readonly connection: ObjectRef<SchemaTypes, Page>;
  /** The arguments of a list. @param pageSize the default page size */
  readonly listArguments: (arg: ArgBuilder<SchemaTypes>, pageSize: number) => ListArgumentFields;
}

/** A GraphQL type for input and output. */
export type ColumnType = InputType<SchemaTypes> & OutputType<SchemaTypes>;

/** Options of the input type of nested items. */
export interface NestedInputOptions {
  readonly description?: string;
  readonly fields: (t: InputFieldBuilder<SchemaTypes, 'InputObject'>) => InputFieldMap;
}

/** The types that a list is sorted by. */
export interface OrderTypes {
  /** The fields of its rows. */
  readonly sort: EnumRef<SchemaTypes, string>;
  /** A key: a field, or a field of a related row. */
  readonly order: InputObjectRef<SchemaTypes, unknown>;
}

/** A list of rows inside the rows of a resource. */
export interface RelatedList {
  /** Prisma's name of the relation to the rows, or to the join table. */
  readonly relation: string;
  readonly target: Resource;
  readonly through?: FilterRelation['through'];
  /** The scope that the list requires, if not the target's own. */
  readonly scope?: FilterRelation['scope'];
}

/** The kit of one schema: Pothos' builder, and types derived from the definitions. */
export interface SchemaKit extends ListKit {
  readonly builder: SchemaBuilder;
  /** All resources of the schema. */
  readonly resources: readonly Resource[];
  /** The direction of a sort. */
  readonly sortOrder: EnumRef<SchemaTypes, string>;
  /** What the schema says about its resources, once it is built: for resolvers. */
  describe(): ApiDescription;
  /** The type of a resource, where its model has several; otherwise undefined. */
  typeAmong(resource: Resource): string | undefined;
  /** The GraphQL types of a resource. */
  typesOf(resource: Resource): ResourceTypes;
  /** The resource of a model. @throws Error if there is none */
  resourceOf(model: ModelName): Resource;
  readonly filterTypes: { filter(rows: Filterable): InputObjectRef<SchemaTypes, unknown> };
  readonly orderTypes: { of(rows: Filterable): OrderTypes };
  readonly groupTypes: {
    group(resource: Resource): ObjectRef<SchemaTypes, Row>;
    arguments(arg: ArgBuilder<SchemaTypes>): InputFieldMap;
  };
  /** Lets clients filter a resource by one of its nested lists. */
  addRelatedList(resource: Resource, name: string, list: RelatedList): void;
  /** The relations of a resource in GraphQL: its own, and the lists of rows that refer to it. */
  relationsOf(resource: Resource): readonly string[];
  /** The GraphQL type of a column's values. */
  columnType(model: ModelName, column: string): ColumnType;
  /** The GraphQL enum of a Prisma enum. Its values are in capitals; each carries its REST value. */
  enumType(name: EnumName): EnumRef<SchemaTypes, string>;
  /**
   * The input fields of columns.
   *
   * @param required the required columns
   * @param rules the rules for the columns' values
   */
  inputFields(
    t: InputFieldBuilder<SchemaTypes, 'InputObject'>,
    model: ModelName,
    columns: readonly string[],
    required: readonly string[],
    rules?: Readonly<Record<string, Rule | undefined>>,
  ): InputFieldMap;
  /** The fields of columns, for a type whose objects are rows of a model. */
  columnFields<Shape extends object>(
    t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Shape>,
    model: ModelName,
    columns: readonly string[],
  ): FieldMap;
  /** The input type of a row's nested items. */
  nestedInput(model: ModelName): InputObjectRef<SchemaTypes, unknown>;
  /** Creates the input type of a row's nested items. */
  addNestedInput(model: ModelName, options: NestedInputOptions): void;
  /** Creates the types of a list whose rows belong to no resource. @param ref the type of its rows */
  addListTypes(
    listing: Listing,
    ref: ObjectRef<SchemaTypes, unknown>,
  ): Pick<ResourceTypes, 'connection' | 'listArguments'>;
  /** Creates the connection of a list without filters and sorts. @param ref the type of its rows */
  addConnection(of: Pick<Listing, 'type' | 'words'>, ref: ObjectRef<SchemaTypes, unknown>): ResourceTypes['connection'];
  /** Adds a field to a resource's GraphQL type. */
  addField(resource: Resource, name: string, field: (t: FieldBuilder) => FieldMap[string]): void;
  /** Adds a root field: a query where it lists or reads, a mutation where it writes. */
  addOperation<Args extends InputFieldMap>(options: OperationOptions<Args>): void;
}
