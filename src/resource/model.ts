import facts from '../database/generated/facts.ts';
import type PrismaTypes from '../database/generated/pothos.ts';

/** The name of a Prisma model. */
export type ModelName = keyof PrismaTypes;

/** The name of one of a model's columns. */
export type Column<Model extends ModelName> = keyof PrismaTypes[Model]['Shape'] & string;

/** What the Prisma schema says of one column. */
export interface ColumnFacts {
  /** Prisma's scalar type or the enum's name; `Uuid` and `Date` where the native type says so. */
  readonly type: string;
  readonly enum: boolean;
  readonly list: boolean;
  readonly required: boolean;
  /** Whether the database or Prisma fills it when a create leaves it out. */
  readonly hasDefault: boolean;
  /** That default, when it is a plain value. */
  readonly default?: string | number | boolean;
  /** Whether that default is the time, or the day, of the write. */
  readonly now?: boolean;
  /** Whether every write sets it to the time of the write. */
  readonly updatedAt?: boolean;
  /** What it means, for people. */
  readonly documentation?: string;
  /** A typical value, as JSON shows it: the `@example` of its comment. */
  readonly example?: string | number | null;
  /** The longest text it takes, in characters. */
  readonly maxLength?: number;
  /** Digits in all, and after the point. */
  readonly precision?: number;
  readonly scale?: number;
}

/** What the Prisma schema says of one model. */
export interface ModelFacts {
  /** What a row is, for people. */
  readonly documentation?: string;
  readonly table: string;
  readonly columns: Readonly<Record<string, ColumnFacts>>;
  /** Column → the model whose row it names, within the same company. */
  readonly references: Readonly<Record<string, ModelName>>;
  /** Relation to one row → the column that names it. */
  readonly relations: Readonly<Record<string, string>>;
  /** Unique index, by the name that the database reports → its columns. */
  readonly uniques: Readonly<Record<string, readonly string[]>>;
  /** List relation → the model of its rows, and their column that names this row. */
  readonly lists: Readonly<Record<string, { readonly model: ModelName; readonly column: string }>>;
}

/** The facts of a model. */
export const modelFacts = (model: ModelName): ModelFacts => facts.models[model];

/** The facts of a column that is known to exist. */
export function columnFacts(model: ModelName, column: string): ColumnFacts {
  const found = modelFacts(model).columns[column];
  if (!found) throw new Error(`${model} has no column ${column}`);
  return found;
}

/** An enum's members and the word that REST and the database use for each. */
export const enumFacts = (name: string): { documentation?: string; words: Record<string, string> } => {
  const found = (facts.enums as Record<string, { documentation?: string; words: Record<string, string> }>)[name];
  if (!found) throw new Error(`There is no enum ${name}`);
  return found;
};

/** Maximum length of a text column that declares no length. */
export const defaultMaxLength = 20_000;

/** A row as Prisma loads it. */
export type Row = Record<string, unknown>;

/** A Prisma filter. The kit builds these for models it knows only by name, so they are not typed per model. */
export type Where = Record<string, unknown>;

/** All of the conditions, leaving out those that ask nothing. */
export function and(conditions: readonly Where[]): Where {
  const nonEmpty = conditions.filter((condition) => Object.keys(condition).length > 0);
  return nonEmpty.length > 1 ? { AND: nonEmpty } : (nonEmpty[0] ?? {});
}

/** The columns that a new row cannot do without: the database fills the others. */
export const requiredColumns = (model: ModelName, columns: readonly string[]): string[] =>
  columns.filter((column) => {
    const { required, hasDefault, list } = columnFacts(model, column);
    return required && !hasDefault && !list;
  });

/** The model of a list relation's rows. */
export function listModel(model: ModelName, relation: string): ModelName {
  const list = modelFacts(model).lists[relation];
  if (!list) throw new Error(`${model}.${relation} is not a list`);
  return list.model;
}
