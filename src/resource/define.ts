import type { FieldMap, InputFieldBuilder, InputFieldMap, ObjectRef } from '@pothos/core';
import type { prismaModelName } from '@pothos/plugin-prisma';
import type { ScopeGroup } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type PrismaTypes from '../database/generated/pothos.ts';
import type { FieldErrors } from '../errors.ts';
import { idArgument, words } from '../names.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { etagOf, etagSelection, type Shown, shownOf } from './etag.ts';
import { defineLines, type Lines, lineModel } from './lines.ts';
import {
  before,
  connectionType,
  type Filter,
  type Filters,
  type Listing,
  listArguments,
  type Row,
  since,
} from './lists.ts';
import { type Column, columnFacts, type ModelName, modelFacts } from './model.ts';
import { addOperations } from './operations.ts';
import { type Action, readScopes } from './registry.ts';
import { type FieldBuilder, type Listed, relatedList } from './relations.ts';
import { type Settle, settleBeforeReading } from './time.ts';
import { columnType } from './types.ts';
import type { Rule } from './validate.ts';
import type { Target, Transaction } from './writes.ts';

type Shape<Model extends ModelName> = PrismaTypes[Model]['Shape'];

/** A row's shape, with what Pothos knows its model by when a field selects of it. */
type Named<Model extends ModelName> = Shape<Model> & { [prismaModelName]?: Model };

type ListRelation<Model extends ModelName> = PrismaTypes[Model]['ListRelations'] & string;

/** What a body says: columns, and the rows of its `lines`. */
export type Data<Model extends ModelName> = Partial<Shape<Model>> & {
  [Relation in ListRelation<Model>]?: readonly Row[];
};

/** What a new row is to be: all that it needs is there. */
type New<Model extends ModelName> = Data<Model> & {
  [Name in Column<Model> as null extends Shape<Model>[Name] ? never : Name]: Shape<Model>[Name];
};

/** What a write stores: columns, `lines`, and rows of other list relations that are made with it. */
type Stored<Model extends ModelName> = Partial<Shape<Model>> & {
  [Relation in ListRelation<Model>]?: readonly Row[] | { create: readonly object[] };
};

/** What the service knows of one family beyond its Prisma model. */
export interface ResourceOptions<Model extends ModelName, Parent extends ModelName = ModelName> {
  /** The GraphQL type's name, where it is not the model's. */
  readonly type?: string;
  /** The collection's path: below /api/v1, or below its parent's item. */
  readonly path: string;
  /** The family whose read and write scopes guard it (spec §5). A sub-resource has its parent's. */
  readonly scope?: ScopeGroup;
  /**
   * Makes it a sub-resource: of which resource, by which column, and as which list of its rows. `hold` locks that row
   * while a new one below it is written, and gives it to the hooks.
   */
  readonly parent?: {
    readonly resource: Resource<Parent>;
    readonly column: Column<Model>;
    readonly relation?: PrismaTypes[Parent]['ListRelations'] & string;
    readonly hold?: boolean;
  };
  /** Lists and makes its rows below another resource's items too, under that one's scopes. */
  readonly also?: {
    readonly resource: Resource;
    readonly column: Column<Model>;
    readonly path: string;
    readonly actions: readonly Action[];
  };
  /** There is always exactly one in a company, so it is read and updated without an id. */
  readonly single?: boolean;
  /** The columns that go out, in the order of the body; `id` before them, `createdAt` and `updatedAt` after. */
  readonly fields: readonly Column<Model>[];
  /** The relations that GraphQL can follow: to one row, or to a paged list of rows. */
  readonly relations?: readonly (PrismaTypes[Model]['RelationName'] & string)[];
  /** Fields that are no column. */
  readonly extra?: (
    t: PothosSchemaTypes.PrismaObjectFieldBuilder<SchemaTypes, PrismaTypes[Model], Named<Model>>,
  ) => FieldMap;
  /** Lists that a row is written and shown with, such as the lines of an order; by relation, their columns. */
  readonly lines?: { readonly [Relation in ListRelation<Model>]?: readonly string[] };
  /** What `extra` shows of other rows: Prisma's selection of each relation. The ETag depends on it too. */
  readonly shows?: { readonly [Relation in PrismaTypes[Model]['RelationName'] & string]?: object };
  /** The columns that `search` looks in. */
  readonly search?: readonly Column<Model>[];
  /** Filters besides those by column: a condition, or the column that goes by this name too. */
  readonly filters?: Readonly<Record<string, Filter | Column<Model>>>;
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
  /** Columns of `input` that only a create may set. */
  readonly fixed?: readonly Column<Model>[];
  /** What a create may say besides columns; `read` makes sense of it. */
  readonly inputs?: (t: InputFieldBuilder<SchemaTypes, 'InputObject'>) => InputFieldMap;
  /** What a new row's columns hold when the body does not say. They are never required. */
  readonly defaults?: {
    readonly [Name in Column<Model>]?: (context: Context, data: Data<Model>) => Shape<Model>[Name];
  };
  /** What a column's values must be, beyond its type. */
  readonly rules?: Partial<Record<Column<Model>, Rule>>;
  /** Pairs of dates or times, the second of which must not be before the first. */
  readonly ordered?: readonly (readonly [Column<Model>, Column<Model>])[];
  /** Which statuses may follow each, when not all may (spec §3); the first is where a new row begins. */
  readonly moves?: Shape<Model> extends { status: infer Status extends string }
    ? { readonly [From in Status]: readonly Status[] }
    : never;
  /** What a 409 says of a column that must be unique and that clients do not know. */
  readonly taken?: { readonly [Name in Column<Model>]?: FieldErrors };
  /** Rows that do not exist for this caller are left out by this. */
  readonly visible?: (context: Context) => PrismaTypes[Model]['Where'];
  /** Writes down what has changed in the company's rows without a write of theirs. Runs before anything reads them. */
  readonly settle?: Settle;
  /**
   * Reads what a body says other than in columns, or what must be looked up: adds to `data` and `faults`. Runs before
   * the transaction; `target` says which row the body is for.
   */
  readonly read?: (reading: {
    readonly context: Context;
    readonly body: Readonly<Record<string, unknown>>;
    readonly target: Target;
    readonly data: Data<Model>;
    readonly faults: FieldErrors;
  }) => Promise<void> | void;
  /** Says what to store of a new row, given what its body and defaults say. Rows nested in it are kept or lost with the row. */
  readonly compose?: (write: {
    readonly context: Context;
    readonly data: New<Model>;
  }) => Stored<Model> | Promise<Stored<Model>>;
  /** The same in a transaction, for what must be looked at or held: `db` is in it, and `parent` is the row that is held. */
  readonly creating?: (write: {
    readonly context: Context;
    readonly db: Transaction;
    readonly parent: Shape<Parent>;
    readonly data: New<Model>;
  }) => Stored<Model> | Promise<Stored<Model>>;
  /** Says what to store of a change, or refuses. `previous` is the row as it was, held until the write is done. */
  readonly updating?: (write: {
    readonly context: Context;
    readonly db: Transaction;
    readonly previous: Shape<Model>;
    readonly data: Data<Model>;
  }) => Stored<Model> | Promise<Stored<Model>>;
  /** Writes what else must happen, in the transaction of the row. */
  readonly after?: (write: {
    readonly context: Context;
    readonly tx: Transaction;
    readonly previous: Shape<Model> | null;
    readonly row: Shape<Model>;
  }) => Promise<unknown>;
}

/** A resource that was defined, for those that refer to it. */
export interface Resource<Model extends ModelName = ModelName> extends Listed {
  readonly listing: Listing & { readonly model: Model };
  readonly ref: ObjectRef<SchemaTypes, unknown>;
  /** What its bodies are made of. */
  readonly shown: Shown;
  readonly scope: ScopeGroup;
  /** Below /api/v1, with an argument's name for each id: `/paints/:paintId/locations`. */
  readonly path: string;
}

const byModel = new Map<ModelName, Resource>();

/** Adds a family to the service: its GraphQL type, its root fields, and the REST routes that answer with them. */
export function resource<Model extends ModelName, Parent extends ModelName = ModelName>(
  model: Model,
  options: ResourceOptions<Model, Parent>,
): Resource<Model> {
  const { parent, also } = options;
  const type = options.type ?? model;
  const scope = options.scope ?? parent?.resource.scope;
  if (!scope) throw new Error(`${type} names no scope and has no parent.`);
  const columns = [
    'id',
    ...options.fields,
    ...['createdAt', 'updatedAt'].filter((c) => c in modelFacts(model).columns),
  ];
  const created = columns.includes('createdAt') && {
    createdAfter: since('createdAt'),
    createdBefore: before('createdAt'),
  };
  const filters = { ...created, ...options.filters } as Filters;
  const listing = { type, model, columns, search: options.search ?? [], filters };

  for (const [relation, shown = []] of Object.entries<readonly string[] | undefined>(options.lines ?? {})) {
    const line = lineModel(model, relation);
    const relations = Object.entries(modelFacts(line).relations).flatMap(([name, column]) =>
      shown.includes(column) ? [name] : [],
    );
    defineLines(line, shown, (t) => columnFields(t, line, shown, relations));
  }
  const shown = shownOf(
    type,
    columns,
    options.lines as Lines | undefined,
    options.shows as Shown['relations'] | undefined,
  );
  readScopes.set(type, `${scope}:read`).set(`${type}Connection`, `${scope}:read`);
  const ref = builder.prismaObject(model, {
    ...(type !== model && { variant: type }),
    description: modelFacts(model).documentation,
    // In select mode a query loads the columns that were asked for and no others.
    select: {},
    fields: (t: never) => objectFields(t, model, shown, options as unknown as ResourceOptions<Model>),
  } as never);
  // The types of a list are made when something lists these rows.
  let connection: Resource['connection'] | undefined;
  let listed: Resource['arguments'] | undefined;
  const defined: Resource<Model> = {
    scope,
    path: parent ? below(parent.resource, options.path) : options.path,
    listing,
    ref,
    shown,
    get connection() {
      return (connection ??= connectionType(type, ref));
    },
    get arguments() {
      return (listed ??= listArguments(listing));
    },
    visible: options.visible,
  };
  if (type === model) byModel.set(model, defined);
  if (parent?.relation) {
    const { resource: owner, relation } = parent;
    const description = `The ${words(relation)} of this ${words(owner.listing.type)}.`;
    addField(owner, relation, (t) => relatedList(t, owner.listing.model, relation, defined, description));
  }
  if (options.settle) settleBeforeReading(type, options.settle);
  addOperations(defined, type, options as never);
  if (also) {
    const shared = { ...defined, scope: also.resource.scope, path: below(also.resource, also.path) };
    addOperations(shared, also.resource.listing.type + type, {
      ...options,
      actions: also.actions,
      rest: also.actions,
      parent: also,
    } as never);
  }
  return defined;
}

/** The path of a collection below a resource's items. */
const below = ({ path, listing }: Resource, child: string) => `${path}/:${idArgument(listing.type)}${child}`;

function objectFields<Model extends ModelName>(
  t: FieldBuilder,
  model: Model,
  shown: Shown,
  options: ResourceOptions<Model>,
): FieldMap {
  const fields = columnFields(t, model, shown.columns, options.relations ?? [], options.parent?.column);
  for (const relation of Object.keys(options.lines ?? {})) {
    fields[relation] = t.relation(relation, {
      query: { orderBy: { position: 'asc' } },
      description: `Its ${words(relation)}, in order.`,
    });
  }
  fields['etag'] = t.field({
    type: 'String',
    description:
      'Its version: another one after every change of what REST shows of it. It is what REST sends as `ETag`, and what `ifMatch` takes.',
    extensions: { rest: false },
    select: etagSelection(shown),
    resolve: (row: Row) => etagOf(shown, row),
  });
  return Object.assign(fields, options.extra?.(t as never));
}

/**
 * Fields for columns, and for relations to one row or to a list of rows.
 * @param owner the column that names the row that these belong to: it is set, whatever else the table is for
 */
function columnFields(
  t: FieldBuilder,
  model: ModelName,
  columns: readonly string[],
  relations: readonly string[],
  owner?: string,
): FieldMap {
  const fields: FieldMap = {};
  for (const column of columns) {
    const { required, list, documentation } = columnFacts(model, column);
    const type = columnType(model, column);
    fields[column] = t.expose(column, {
      type: list ? [type] : type,
      nullable: !required && column !== owner,
      description: documentation ?? commonColumns[column],
    });
  }
  for (const relation of relations) {
    const list = modelFacts(model).lists[relation];
    fields[relation] = list
      ? relatedList(t, model, relation, resourceOf(list.model), `Its ${words(relation)}.`)
      : t.relation(relation, { nullable: true, description: `Its ${words(relation)}.` });
  }
  return fields;
}

const commonColumns: Record<string, string> = {
  id: 'Its id, a uuid.',
  createdAt: 'When it was made.',
  updatedAt: 'When it was last changed.',
};

/** The resource that stands for a model. Asked while the schema is built, when every family is defined. */
export function resourceOf(model: ModelName): Resource {
  const found = byModel.get(model);
  if (!found) throw new Error(`No resource stands for ${model}.`);
  return found;
}

/** Adds a field to a resource's GraphQL type from outside its own definition. */
export function addField({ ref }: Resource, name: string, field: (t: FieldBuilder) => FieldMap[string]): void {
  builder.prismaObjectField(ref as never, name, field as never);
}
