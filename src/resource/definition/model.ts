import facts from '../../database/generated/facts.ts';
import type PrismaTypes from '../../database/generated/pothos.ts';
import type { TableName } from '../../database/tables.ts';
import type { Limits } from '../../fields/index.ts';
import { spaced } from '../../names.ts';
import { type GivenWords, type Words, wordsOf } from './words.ts';

/** The name of a Prisma model. */
export type ModelName = keyof PrismaTypes;

/** The name of one of a model's columns. */
export type Column<Model extends ModelName> = keyof PrismaTypes[Model]['Shape'] & string;

/** The name of a Prisma enum. */
export type EnumName = keyof typeof facts.enums;

/** The type of a column: an enum, or Prisma's scalar type; `Uuid` and `Date` for those native types. */
type ColumnType = { readonly enum: true; readonly type: EnumName } | { readonly enum: false; readonly type: string };

/** Metadata of a column from the Prisma schema. */
export type ColumnFacts = ColumnType &
  Limits & {
    /** Its name in the database, if it differs. */
    readonly databaseName?: string;
    /** Whether the database or Prisma fills it when a create leaves it out. */
    readonly hasDefault: boolean;
    /** The default, if it is a constant. */
    readonly default?: string | number | boolean;
    /** Whether the default is the time, or the day, of the write. */
    readonly now?: boolean;
    /** Whether every write sets it to the time of the write. */
    readonly updatedAt?: boolean;
    /** Its description. */
    readonly documentation?: string;
    /** What people call it, where that is not its name with spaces: the `@label` of its comment. */
    readonly label?: string;
    /** An example value in JSON: the `@example` of its comment. */
    readonly example?: string | number | null;
  };

export { fieldTypeOf, findFieldType } from '../../database/read/models.ts';

/** Metadata of a model from the Prisma schema. */
export interface ModelFacts {
  /** Its description. */
  readonly documentation?: string;
  /** What people call its rows, where that is not its name: `@one` and `@many` of its comment. */
  readonly words: GivenWords;
  readonly table: TableName;
  readonly columns: Readonly<Record<string, ColumnFacts>>;
  /** Column → the model that it references, within the same company. */
  readonly references: Readonly<Record<string, ModelName>>;
  /** To-one relation → its foreign key column. */
  readonly relations: Readonly<Record<string, string>>;
  /** Unique index, by its name in the database → its columns. */
  readonly uniques: Readonly<Record<string, readonly string[]>>;
  /**
   * To-many relation → the model of its rows, and their foreign key column; and what people call the rows, where that
   * is not its name: `@many` of its comment.
   */
  readonly lists: Readonly<
    Record<string, { readonly model: ModelName; readonly column: string; readonly words?: string }>
  >;
}

/** The names of all models. */
export const modelNames = Object.keys(facts.models) as ModelName[];

/** The metadata of a model. */
export const modelFacts = (model: ModelName): ModelFacts => facts.models[model];

/** What people call rows of a model. */
export const wordsOfModel = (model: ModelName): Words => wordsOf(model, modelFacts(model).words);

/** What people call the rows of a relation: `maintenance records`. */
export const wordsOfRelation = (model: ModelName, relation: string): string =>
  modelFacts(model).lists[relation]?.words ?? spaced(relation);

/** The metadata of a column that is known to exist. */
export function columnFacts(model: ModelName, column: string): ColumnFacts {
  const found = modelFacts(model).columns[column];
  if (!found) throw new Error(`${model} has no column ${column}`);
  return found;
}

/** An enum's members and their values in REST and the database. */
export const enumFacts = (
  name: EnumName,
): { readonly documentation?: string; readonly mappedValues: Readonly<Record<string, string>> } => facts.enums[name];

/** The enum of a column that is known to have one. */
export function enumOf(model: ModelName, column: string): EnumName {
  const found = columnFacts(model, column);
  if (!found.enum) throw new Error(`${model}.${column} has no enum`);
  return found.type;
}

/** A row as Prisma loads it. */
export type Row = Record<string, unknown>;

/** A Prisma filter. The kit creates these for models it knows only by name, so they are not typed per model. */
export type Where = Record<string, unknown>;

/** Whether a condition matches every row: it is empty. */
export const matchesAll = (condition: Where): boolean => Object.keys(condition).length === 0;

/**
 * Combines conditions with AND; without any, every row matches. `anyOf` in `filter/operators.ts` combines them with OR.
 */
export function and(conditions: readonly Where[]): Where {
  const nonEmpty = conditions.filter((condition) => !matchesAll(condition));
  return nonEmpty.length > 1 ? { AND: nonEmpty } : (nonEmpty[0] ?? {});
}

/** The columns that a new row requires: those without a default. */
export const requiredColumns = (model: ModelName, columns: readonly string[]): string[] =>
  columns.filter((column) => {
    const { required, hasDefault, list } = columnFacts(model, column);
    return required && !hasDefault && !list;
  });

/** The longest text of a column, for an input that is stored there: `extensions` of the input. */
export const lengthOf = <Model extends ModelName>(model: Model, column: Column<Model>) => ({
  maxLength: columnFacts(model, column).maxLength,
});

/** The model of a list relation's rows, and their foreign key column. */
export function listFacts(model: ModelName, relation: string): ModelFacts['lists'][string] {
  const list = modelFacts(model).lists[relation];
  if (!list) throw new Error(`${model}.${relation} is not a list`);
  return list;
}

/** The model of a list relation's rows. */
export const listModel = (model: ModelName, relation: string): ModelName => listFacts(model, relation).model;

/** The order of a row's items. One query serves all that select them, as all order them by this value. */
export const itemOrder = { position: 'asc' } as const;

/** The columns whose values are unique within a company. */
export const uniqueColumns = (model: ModelName): string[] =>
  Object.values(modelFacts(model).uniques).flatMap((columns) => {
    const own = columns.filter((column) => column !== 'companyId');
    return own.length === 1 ? own : [];
  });
