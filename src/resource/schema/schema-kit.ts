// What the schema room offers to definitions, in types: the kit with which they add to a schema that is being built.
import type {
  ArgBuilder,
  EnumRef,
  FieldMap,
  InputFieldBuilder,
  InputFieldMap,
  InputFieldRef,
  InputObjectRef,
  InputShapeFromFields,
  InputType,
  ObjectRef,
  OutputType,
} from '@pothos/core';
import type { prismaModelName } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import type PrismaTypes from '../../database/generated/prisma-types.ts';
import type { ApiField } from '../../database/stored-field.ts';
import type { Rule } from '../../fields/index.ts';
import type { FileOperation } from '../definition/file.ts';
import type { Shape } from '../definition/hooks.ts';
import type { ModelName, Row, Stored } from '../definition/model.ts';
import type { Operation, RowSource } from '../definition/operation.ts';
import type { Policies } from '../definition/policy.ts';
import type { Resource } from '../definition/resource.ts';
import type { GivenWords } from '../definition/words.ts';
import type { Filterable } from '../filter/filterable.ts';
import type { ListArguments, Listing, Page } from '../read/lists.ts';
import type { Registry } from '../registry/registry.ts';
import type { SchemaBuilder, SchemaTypes } from './builder.ts';

export type { FieldMap, InputFieldMap } from '@pothos/core';

/** Pothos's builder of arguments. */
export type ArgumentBuilder = ArgBuilder<SchemaTypes>;

/** The values of arguments, which clients give. */
export type ArgumentValues<Args extends InputFieldMap> = InputShapeFromFields<Args>;

/** Pothos's builder of the fields of an input. */
export type InputFields = InputFieldBuilder<SchemaTypes, 'InputObject'>;

/** Pothos's builder of the fields of a type whose values have this shape. */
export type ObjectFields<Value> = PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Value>;

/** A GraphQL type of objects. */
export type TypeRef<Value = unknown> = ObjectRef<SchemaTypes, Value>;

/** A row's shape, with the brand by which Pothos knows its model. */
type Named<Model extends ModelName> = Shape<Model> & { [prismaModelName]?: Model };

/** Pothos's field builder for one model. */
export type RowFieldBuilder<Model extends ModelName> = PothosSchemaTypes.PrismaObjectFieldBuilder<
  SchemaTypes,
  PrismaTypes[Model],
  Named<Model>
>;

/** An operation's definition, including its resolver, whose arguments have the types of `args`. */
export interface OperationOptions<Args extends InputFieldMap = InputFieldMap>
  extends Omit<Operation, 'kind' | 'policies' | 'words'> {
  /** What people call what it returns; by default the words of the resource of the type, or of its name. */
  readonly words?: GivenWords;
  /** The policies of the rows; by default those of the resource of the type, if there is one. */
  readonly policies?: Policies;
  /** Whether it has a REST route. */
  readonly rest: boolean;
  readonly description: string;
  /** What a button that runs it is called; by default its action or the words of its name. */
  readonly label?: string;
  /** Why the field is deprecated. */
  readonly deprecationReason?: string;
  /** The type it returns: a row, a connection, a list of rows, or a type of its own. */
  readonly returns: TypeRef | [TypeRef];
  readonly args: (arg: ArgumentBuilder) => Args;
  readonly resolve: (args: ArgumentValues<Args>, context: Context, info: GraphQLResolveInfo) => Promise<unknown>;
  /** How a plan reads its rows; `resolve` reads the same for graphql-js. */
  readonly source?: RowSource;
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
  readonly arg: ArgumentBuilder;
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
  readonly ref: TypeRef;
  /** A page of a list. */
  readonly connection: TypeRef<Page>;
  /** The arguments of a list. @param pageSize the default page size */
  readonly listArguments: (arg: ArgumentBuilder, pageSize: number) => ListArgumentFields;
}

/** A GraphQL type for input and output. */
export type ColumnType = InputType<SchemaTypes> & OutputType<SchemaTypes>;

/** Options of the input type of nested items. */
export interface NestedInputOptions {
  readonly description?: string;
  readonly fields: (t: InputFields) => InputFieldMap;
}

/** The types that a list is sorted by. */
export interface OrderTypes {
  /** The fields of its rows. */
  readonly sort: EnumRef<SchemaTypes, string>;
  /** A key: a field, or a field of a related row. */
  readonly order: InputObjectRef<SchemaTypes, unknown>;
}

/** The kit of a schema that is being built: Pothos' builder, and types derived from the definitions. */
export interface SchemaKit {
  readonly builder: SchemaBuilder;
  /** What requests look up, too: resolvers take it, rather than the kit. */
  readonly registry: Registry;
  /** The direction of a sort. */
  readonly sortOrder: EnumRef<SchemaTypes, string>;
  /** The GraphQL types of a resource. */
  typesOf(resource: Resource): ResourceTypes;
  readonly filterTypes: { filter(rows: Filterable): InputObjectRef<SchemaTypes, unknown> };
  readonly orderTypes: { of(rows: Filterable): OrderTypes };
  readonly groupTypes: {
    group(resource: Resource): TypeRef<Row>;
    arguments(arg: ArgumentBuilder, resource: Resource): InputFieldMap;
  };
  /** The GraphQL type of a field's values. */
  columnType(field: ApiField): ColumnType;
  /** The GraphQL enum of a field's values. They are in capitals; each carries its REST value. */
  enumType(field: ApiField): EnumRef<SchemaTypes, string>;
  /**
   * The input fields of columns.
   *
   * @param required the required columns
   * @param rules the rules for the columns' values
   */
  inputFields(
    t: InputFields,
    rows: Stored,
    columns: readonly string[],
    required: readonly string[],
    rules?: Readonly<Record<string, Rule | undefined>>,
  ): InputFieldMap;
  /** The input field for the id of a new row, which a client may choose. */
  newId(t: InputFields, rows: Stored): InputFieldMap;
  /** The fields of columns, for a type whose objects are rows of a model. */
  columnFields<Shape extends object>(t: ObjectFields<Shape>, rows: Stored, columns: readonly string[]): FieldMap;
  /** The input type of a row's nested items. */
  nestedInput(model: ModelName): InputObjectRef<SchemaTypes, unknown>;
  /** Creates the input type of a row's nested items. */
  addNestedInput(model: ModelName, options: NestedInputOptions): void;
  /** Creates the types of a list whose rows belong to no resource. @param ref the type of its rows */
  addListTypes(listing: Listing, ref: TypeRef): Pick<ResourceTypes, 'connection' | 'listArguments'>;
  /** Creates the connection of a list without filters and sorts. @param ref the type of its rows */
  addConnection(of: Pick<Listing, 'type' | 'words'>, ref: TypeRef): ResourceTypes['connection'];
  /** Adds a field to a resource's GraphQL type. */
  addField(resource: Resource, name: string, field: (t: FieldBuilder) => FieldMap[string]): void;
  /** Adds a root field: a query where it lists or reads, a mutation where it writes. */
  addOperation<Args extends InputFieldMap>(options: OperationOptions<Args>): void;
  /** Adds a route of REST whose body or response is a file. */
  addFile(file: FileOperation): void;
}
