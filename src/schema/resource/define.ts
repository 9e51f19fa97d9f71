import type { FieldMap, InputFieldBuilder, InputFieldMap, ObjectRef } from '@pothos/core';
import type { Family } from '../../callers/scopes.ts';
import type { Context } from '../../context.ts';
import type PrismaTypes from '../../database/generated/pothos.ts';
import { builder, type SchemaTypes } from '../builder.ts';
import type { Faults } from './errors.ts';
import { connectionType, listArguments } from './lists.ts';
import { type Column, columnFacts, modelFacts, type ModelName } from './model.ts';
import { idArgument, words } from './names.ts';
import { addOperations } from './operations.ts';
import { type Action, readScopes } from './registry.ts';
import { type FieldBuilder, type Listed, relatedList } from './relations.ts';
import { columnType } from './types.ts';
import type { Rule } from './validate.ts';
import type { Transaction } from './writes.ts';

type Shape<Model extends ModelName> = PrismaTypes[Model]['Shape'];

/** What a write stores: columns, and rows of its list relations that are made with it. */
type Stored<Model extends ModelName> = Partial<Shape<Model>> & {
  [Relation in PrismaTypes[Model]['ListRelations'] & string]?: { create: readonly object[] };
};

/** What the service knows of one family beyond its Prisma model. */
export interface ResourceOptions<Model extends ModelName> {
  /** The GraphQL type's name, where it is not the model's. */
  readonly type?: string;
  /** The collection's path: below /api/v1, or below its parent's item. */
  readonly path: string;
  /** The family whose read and write scopes guard it (spec §5). A sub-resource has its parent's. */
  readonly scope?: Family;
  /** Makes it a sub-resource: of which resource, by which column, and as which list of its rows. */
  readonly parent?: { readonly resource: Resource; readonly column: Column<Model>; readonly relation?: string };
  /** The columns that go out, in the order of the body; `id` before them, `createdAt` and `updatedAt` after. */
  readonly fields: readonly Column<Model>[];
  /** The relations that GraphQL can follow: to one row, or to a paged list of rows. */
  readonly relations?: readonly (PrismaTypes[Model]['RelationName'] & string)[];
  /** Fields that are no column. */
  readonly extra?: (t: PothosSchemaTypes.PrismaObjectFieldBuilder<SchemaTypes, PrismaTypes[Model]>) => FieldMap;
  /** The columns that `search` looks in. */
  readonly search?: readonly Column<Model>[];
  /** Rows on a page unless asked (spec §8). */
  readonly pageSize?: number;
  /** What can be done with it; everything but `replace` (PUT) when left out. */
  readonly actions?: readonly Action[];
  /** Which of them REST offers, when the specification names fewer. */
  readonly rest?: readonly Action[];
  /** The columns a create may set. One that is required and has no default must be there. */
  readonly input?: readonly Column<Model>[];
  /** The columns that an update may set besides. */
  readonly update?: readonly Column<Model>[];
  /** What a create may say besides columns; `read` makes sense of it. */
  readonly inputs?: (t: InputFieldBuilder<SchemaTypes, 'InputObject'>) => InputFieldMap;
  /** What a column's values must be, beyond its type. */
  readonly rules?: Partial<Record<Column<Model>, Rule>>;
  /** Rows that do not exist for this caller are left out by this. */
  readonly visible?: (context: Context) => PrismaTypes[Model]['Where'];
  /** Reads what a body says other than in columns: adds to `data` and `faults`. Runs before the transaction. */
  readonly read?: (reading: {
    readonly context: Context;
    readonly body: Readonly<Record<string, unknown>>;
    readonly creating: boolean;
    readonly data: Partial<Shape<Model>>;
    readonly faults: Faults;
  }) => Promise<void> | void;
  /**
   * Says what to store, or refuses. `previous` is the row as it was, held until the write is done; null on create.
   * Rows nested in what it returns are kept or lost together with the row.
   */
  readonly compose?: (write: {
    readonly context: Context;
    readonly previous: Shape<Model> | null;
    readonly data: Partial<Shape<Model>>;
  }) => Stored<Model>;
  /** Writes what else must happen, in the transaction of the row. */
  readonly after?: (write: {
    readonly context: Context;
    readonly tx: Transaction;
    readonly previous: Shape<Model> | null;
    readonly row: Shape<Model>;
  }) => Promise<void>;
}

/** A resource that was defined, for those that refer to it. */
export interface Resource extends Listed {
  readonly ref: ObjectRef<SchemaTypes, unknown>;
  readonly scope: Family;
  /** Below /api/v1, with an argument's name for each id: `/paints/:paintId/locations`. */
  readonly path: string;
}

const byModel = new Map<ModelName, Resource>();

/** Adds a family to the service: its GraphQL type, its root fields, and the REST routes that answer with them. */
export function resource<Model extends ModelName>(model: Model, options: ResourceOptions<Model>): Resource {
  const { parent } = options;
  const type = options.type ?? model;
  const scope = options.scope ?? parent?.resource.scope;
  if (!scope) throw new Error(`${type} names no scope and has no parent.`);
  const columns = ['id', ...options.fields, ...['createdAt', 'updatedAt'].filter((c) => c in modelFacts(model).columns)];
  const listing = { type, model, columns, search: options.search ?? [] };

  readScopes.set(type, `${scope}:read`).set(`${type}Connection`, `${scope}:read`);
  const ref = builder.prismaObject(model, {
    ...(type !== model && { variant: type }),
    description: modelFacts(model).documentation,
    // In select mode a query loads the columns that were asked for and no others.
    select: {},
    fields: (t: never) => objectFields(t, model, columns, options),
  } as never);
  const defined: Resource = {
    scope,
    path: parent ? `${parent.resource.path}/:${idArgument(parent.resource.listing.type)}${options.path}` : options.path,
    listing,
    ref,
    connection: connectionType(type, ref),
    arguments: listArguments(listing),
    visible: options.visible,
  };
  if (type === model) byModel.set(model, defined);
  if (parent?.relation) {
    const { resource: owner, relation } = parent;
    const description = `The ${words(relation)} of this ${words(owner.listing.type)}.`;
    addField(owner, relation, (t) => relatedList(t, owner.listing.model, relation, defined, description));
  }
  addOperations(defined, options as never);
  return defined;
}

function objectFields<Model extends ModelName>(t: FieldBuilder, model: Model, columns: string[], options: ResourceOptions<Model>): FieldMap {
  const fields: FieldMap = {};
  for (const column of columns) {
    const { required, list, documentation } = columnFacts(model, column);
    const type = columnType(model, column);
    fields[column] = t.expose(column, {
      type: list ? [type] : type,
      nullable: !required,
      description: documentation ?? commonColumns[column],
    });
  }
  for (const relation of options.relations ?? []) {
    const list = modelFacts(model).lists[relation];
    fields[relation] = list
      ? relatedList(t, model, relation, resourceOf(list.model), `Its ${words(relation)}.`)
      : t.relation(relation, { nullable: true, description: `Its ${words(relation)}.` });
  }
  return Object.assign(fields, options.extra?.(t as never));
}

const commonColumns: Record<string, string> = {
  id: 'Its id, a uuid.',
  createdAt: 'When it was made.',
  updatedAt: 'When it was last changed.',
};

/** The resource that stands for a model. Asked while the schema is built, when every family is defined. */
function resourceOf(model: ModelName): Resource {
  const found = byModel.get(model);
  if (!found) throw new Error(`No resource stands for ${model}.`);
  return found;
}

/** Adds a field to a resource's GraphQL type from outside its own definition. */
export function addField({ ref }: Resource, name: string, field: (t: FieldBuilder) => FieldMap[string]): void {
  builder.prismaObjectField(ref as never, name, field as never);
}
