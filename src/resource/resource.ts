import type {
  ArgBuilder,
  EnumRef,
  FieldMap,
  InputFieldBuilder,
  InputFieldMap,
  InputObjectRef,
  InputType,
  ObjectRef,
  OutputType,
} from '@pothos/core';
import type { prismaModelName } from '@pothos/plugin-prisma';
import type { ScopeGroup } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type { Prisma } from '../database/generated/client/client.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import type { TenantClient } from '../database/tenant.ts';
import type { FieldErrors } from '../errors.ts';
import type { SchemaBuilder, SchemaTypes } from './builder.ts';
import type { EtagParts } from './etag.ts';
import type { Data, Hooks, ListRelation, RowHooks, Shape } from './hooks.ts';
import type { Filter, Filters, Listing, Page } from './lists.ts';
import type { Column, ModelName, Row, Where } from './model.ts';
import type { Action, OperationOptions } from './operation.ts';
import type { Transitions } from './transitions.ts';
import type { Rule } from './validate.ts';

/** A row's shape, with what Pothos knows its model by when a field selects of it. */
type Named<Model extends ModelName> = Shape<Model> & { [prismaModelName]?: Model };

type Relation<Model extends ModelName> = PrismaTypes[Model]['RelationName'] & string;

/** Who may write a field: everybody may unless one of these is said. */
type Writable =
  | { readonly readOnly?: undefined; readonly createOnly?: undefined; readonly updateOnly?: undefined }
  | { readonly readOnly: true; readonly createOnly?: undefined; readonly updateOnly?: undefined }
  | { readonly createOnly: true; readonly readOnly?: undefined; readonly updateOnly?: undefined }
  | { readonly updateOnly: true; readonly readOnly?: undefined; readonly createOnly?: undefined };

/** What holds for one field of a resource, beyond its column's type, length and default. */
export type FieldOptions<Model extends ModelName, Name extends Column<Model>> = Writable & {
  /** What a new row holds where the client says nothing. Runs in the transaction, once the parent is locked. */
  readonly default?: (given: {
    readonly context: Context;
    readonly db: TenantClient;
    readonly data: Data<Model>;
  }) => Shape<Model>[Name] | Promise<Shape<Model>[Name]>;
  /** Whether REST takes the words of its enum in any letter case. */
  readonly ignoreCase?: boolean;
  /** What its values must be. */
  readonly rule?: Rule;
  /** Which statuses may follow each, where not all may. The first is where a new row begins. */
  readonly transitions?: Shape<Model>[Name] extends string
    ? { readonly [From in Shape<Model>[Name]]: readonly Shape<Model>[Name][] }
    : never;
  /** The date or time that it must not be before. */
  readonly notBefore?: Column<Model>;
  /**
   * What a 409 says of it when a unique index that it is part of refuses a row; other columns of the index are then not named.
   * `index` is the index's name where it is of columns that clients do not see.
   */
  readonly unique?: string | { readonly message: string; readonly index: string };
};

/** A field builder of Pothos for the rows of one model. */
type RowFieldBuilder<Model extends ModelName> = PothosSchemaTypes.PrismaObjectFieldBuilder<
  SchemaTypes,
  PrismaTypes[Model],
  Named<Model>
>;

/** What a create or replace may say besides columns, and what it means in columns. */
export interface ExtraInput<Model extends ModelName> {
  readonly fields: (kit: SchemaKit) => (t: InputFieldBuilder<SchemaTypes, 'InputObject'>) => InputFieldMap;
  /** Adds columns to `data`. @returns what is wrong with the input */
  readonly resolve: (write: {
    readonly db: TenantClient;
    readonly input: Readonly<Row>;
    readonly data: Data<Model>;
  }) => FieldErrors | Promise<FieldErrors>;
}

/** What the service knows of a resource beyond its Prisma model. */
export interface ResourceOptions<
  Model extends ModelName,
  Parent extends ModelName = ModelName,
  Locks extends boolean = false,
> {
  /** The scope group whose read and write scopes guard it. A sub-resource has its parent's. */
  readonly scope?: ScopeGroup;
  /** Makes it a sub-resource. */
  readonly parent?: {
    readonly resource: Resource<Parent>;
    /** The column that names the parent. */
    readonly column: Column<Model>;
    /** The parent's list of these rows; GraphQL has it as a field of the parent. */
    readonly relation?: ListRelation<Parent>;
    /** Whether the parent is locked while a row is created below it; hooks then get it. */
    readonly lock?: Locks;
  };
  /** There is always exactly one row in a company, read and updated without an id. */
  readonly isSingleton?: boolean;
  /** The columns that are shown, in the order of the body, each with its policy. `id` and the timestamps are added. */
  readonly fields: { readonly [Name in Column<Model>]?: FieldOptions<Model, Name> };
  readonly list?: {
    /** The columns that `search` looks in. */
    readonly search?: readonly Column<Model>[];
    /** Filters besides those by column: a condition, or the column that goes by this name too. */
    readonly filters?: Readonly<Record<string, Filter | Column<Model>>>;
    /** Rows on a page unless asked; 25 where it is left out. */
    readonly pageSize?: number;
  };
  readonly access?: {
    /** What can be done with it; everything but `batch` and `replace` where it is left out. */
    readonly actions?: readonly Action[];
    /** Leaves out rows that do not exist for this caller. */
    readonly filter?: (context: Context) => PrismaTypes[Model]['Where'];
  };
  readonly graphql?: {
    /** The GraphQL type's name, where it is not the model's. */
    readonly type?: string;
    /** The plural that its list is named after, where it is not the type's with an s. */
    readonly plural?: string;
    /** Another plural that its list can still be asked by. */
    readonly deprecatedPlural?: string;
    /** The relations to one row that GraphQL can follow. Each can be followed back, as a list of the other's. */
    readonly relations?: readonly Relation<Model>[];
    /** Fields that are no column. */
    readonly virtualFields?: (kit: SchemaKit) => (t: RowFieldBuilder<Model>) => FieldMap;
    /** What virtual fields show of other rows in REST, as Prisma's selection by relation: the ETag depends on it. */
    readonly etagSelect?: { readonly [Name in Relation<Model>]?: object };
    readonly extraInput?: ExtraInput<Model>;
  };
  readonly rest: {
    /** The collection's path: below /api/v1, or below its parent's item. */
    readonly path: string;
    /** Which actions REST offers, where it offers fewer. */
    readonly actions?: readonly Action[];
    /** Other paths of the list. */
    readonly aliases?: readonly string[];
    /** Lists and creates its rows below another resource's items too, under that one's scopes. */
    readonly mountedUnder?: {
      readonly resource: Resource;
      readonly column: Column<Model>;
      readonly path: string;
      readonly actions: readonly Action[];
    };
  };
  readonly hooks?: Hooks<Model, Locks extends true ? Shape<Parent> : undefined>;
  /** Lists that a row is written and shown with, such as the lines of an order: relation → columns. */
  readonly nestedItems?: { readonly [List in ListRelation<Model>]?: readonly string[] };
  /**
   * Changes rows whose status follows from the day alone, by common table expressions; see `refreshStale`. `ofCompany` is the
   * condition that rows are the company's, and `day` is today.
   */
  readonly refreshStale?: (given: {
    readonly ofCompany: Prisma.Sql;
    readonly day: Prisma.Sql;
  }) => readonly Prisma.Sql[];
}

/** A field's policy, for code that knows its model only by name. */
export interface Field {
  readonly readOnly?: boolean;
  readonly createOnly?: boolean;
  readonly updateOnly?: boolean;
  readonly default?: (given: { context: Context; db: TenantClient; data: Row }) => unknown;
  readonly ignoreCase?: boolean;
  readonly rule?: Rule;
  readonly transitions?: Transitions;
  readonly notBefore?: string;
  readonly unique?: string | { readonly message: string; readonly index: string };
}

/** The row that a new one belongs to. */
export interface ParentLink {
  readonly resource: Resource;
  readonly column: string;
  readonly relation?: string;
  readonly lock?: boolean;
}

/** A resource as it was defined. It is a value: nothing knows of it until the schema is built of it. */
export interface Resource<Model extends ModelName = ModelName> {
  readonly kind: 'resource';
  readonly model: Model;
  /** The name of its GraphQL type. */
  readonly type: string;
  readonly scope: ScopeGroup;
  /** Below /api/v1, with an argument's name for each id: `/paints/:paintId/locations`. */
  readonly path: string;
  readonly parent?: ParentLink;
  readonly isSingleton: boolean;
  /** The columns that are shown, in the order of the body. */
  readonly columns: readonly string[];
  readonly fields: Readonly<Record<string, Field>>;
  readonly search: readonly string[];
  readonly filters: Filters;
  readonly pageSize: number;
  readonly actions: readonly Action[];
  readonly filter?: (context: Context) => Where;
  readonly graphql: {
    readonly plural?: string;
    readonly deprecatedPlural?: string;
    readonly relations: readonly string[];
    readonly virtualFields?: (kit: SchemaKit) => (t: never) => FieldMap;
    readonly extraInput?: ExtraInput<ModelName>;
  };
  readonly rest: {
    readonly actions: readonly Action[];
    readonly aliases: readonly string[];
    readonly mountedUnder?: Omit<ParentLink, 'lock'> & { readonly path: string; readonly actions: readonly Action[] };
  };
  readonly hooks: RowHooks;
  readonly nestedItems: Readonly<Record<string, readonly string[]>>;
  readonly etag: EtagParts;
  readonly refreshStale?: ResourceOptions<ModelName>['refreshStale'];
}

/** What adds to the schema beside resources: types and operations of its own, or fields of other types. */
export interface SchemaExtension {
  readonly kind: 'extension';
  readonly extend: (kit: SchemaKit) => void;
}

/** What a schema is built of. */
export type Definition = Resource | SchemaExtension;

/**
 * What the kit uses of Pothos's field builder. Its own type is bound to one model at a time, and the kit builds
 * fields for models it knows only by name.
 */
export interface FieldBuilder {
  readonly arg: ArgBuilder<SchemaTypes>;
  expose(column: string, options: object): FieldMap[string];
  relation(name: string, options: object): FieldMap[string];
  field(options: object): FieldMap[string];
}

/** What GraphQL has of a resource, made once a schema. */
export interface ResourceTypes {
  /** A row. */
  readonly ref: ObjectRef<SchemaTypes, unknown>;
  /** A page of a list. */
  readonly connection: ObjectRef<SchemaTypes, Page>;
  /** The arguments of a list. @param pageSize rows on a page unless asked */
  readonly listArguments: (arg: ArgBuilder<SchemaTypes>, pageSize: number) => InputFieldMap;
  readonly aggregates: AggregateTypes;
}

/** What the groups of a resource's rows are asked for, and answer with. */
export interface AggregateTypes {
  readonly ref: ObjectRef<SchemaTypes, Row>;
  readonly arguments: (arg: ArgBuilder<SchemaTypes>) => InputFieldMap;
}

/** A GraphQL type that can go in and out. */
export type ColumnType = InputType<SchemaTypes> & OutputType<SchemaTypes>;

/** How the input type of nested items is made. */
export interface NestedInputOptions {
  readonly description?: string;
  readonly fields: (t: InputFieldBuilder<SchemaTypes, 'InputObject'>) => InputFieldMap;
}

/** What one schema is built with: Pothos' builder, and what is made of the definitions. */
export interface SchemaKit {
  readonly builder: SchemaBuilder;
  /** The direction of a sort. */
  readonly sortOrder: EnumRef<SchemaTypes, string>;
  /** The GraphQL types of a resource. */
  typesOf(resource: Resource): ResourceTypes;
  /** The resource that stands for a model. @throws Error where none does */
  resourceOf(model: ModelName): Resource;
  /** The relations that GraphQL can follow from a resource: those that it names, and the lists of what refers to it. */
  relationsOf(resource: Resource): readonly string[];
  /** The GraphQL type of a column's values. */
  columnType(model: ModelName, column: string): ColumnType;
  /** The GraphQL enum of a Prisma enum. GraphQL's names are in capitals; each carries the word that REST uses. */
  enumType(name: string): EnumRef<SchemaTypes, string>;
  /**
   * The input fields of columns.
   * @param required the columns that the input must have
   * @param rules what the values of columns must be
   */
  inputFields(
    t: InputFieldBuilder<SchemaTypes, 'InputObject'>,
    model: ModelName,
    columns: readonly string[],
    required: readonly string[],
    rules?: Readonly<Record<string, Rule | undefined>>,
  ): InputFieldMap;
  /** The fields of columns, in a type of its own whose objects are rows of a model. */
  columnFields<Shape extends object>(
    t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Shape>,
    model: ModelName,
    columns: readonly string[],
  ): FieldMap;
  /** The input type of a row's nested items. */
  nestedInput(model: ModelName): InputObjectRef<SchemaTypes, unknown>;
  /** Makes the input type of a row's nested items. */
  addNestedInput(model: ModelName, options: NestedInputOptions): void;
  /** Makes the types of a list whose rows are no resource's. @param ref the type of its rows */
  addListTypes(
    listing: Listing,
    ref: ObjectRef<SchemaTypes, unknown>,
  ): Pick<ResourceTypes, 'connection' | 'listArguments'>;
  /** Adds a field to a resource's GraphQL type. */
  addField(resource: Resource, name: string, field: (t: FieldBuilder) => FieldMap[string]): void;
  /** Adds a root field: a query where it lists or reads, a mutation where it writes. */
  addOperation(options: OperationOptions): void;
}
