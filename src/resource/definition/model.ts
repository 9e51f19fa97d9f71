import facts from '../../database/generated/facts.ts';
import type PrismaTypes from '../../database/generated/prisma-types.ts';
import { isApiField, modelOf } from '../../database/read/models.ts';
import type { ApiField, StoredField } from '../../database/stored-field.ts';
import type { TableName } from '../../database/tables.ts';
import { spaced } from '../../names.ts';
import { type GivenWords, type Words, wordsOf } from './words.ts';

/** The name of a Prisma model. */
export type ModelName = keyof PrismaTypes;

/** The name of one of a model's columns. */
export type Column<Model extends ModelName> = keyof PrismaTypes[Model]['Shape'] & string;

/** The name of a Prisma enum. */
export type EnumName = keyof typeof facts.enums;

/** What has stored fields: the rows of a model, or of a resource, which can have more. */
export interface Stored {
  /** All fields of the rows, by their names; those of the API have types of the API. */
  readonly stored: Readonly<Record<string, StoredField>>;
}

/** Metadata of a model from the Prisma schema. */
export interface ModelFacts extends Stored {
  /** Its description. */
  readonly documentation?: string;
  /** What people call its rows, where that is not its name: `@one` and `@many` of its comment. */
  readonly words: GivenWords;
  readonly table: TableName;
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

// Each model of the Prisma schema has an entry.
const known = Object.fromEntries(
  Object.entries(facts.models).map(([name, model]) => [name, { ...model, stored: modelOf(name).fields }]),
) as unknown as Readonly<Record<ModelName, ModelFacts>>;

/** The metadata of a model. */
export const modelFacts = (model: ModelName): ModelFacts => known[model];

/** What people call rows of a model. */
export const wordsOfModel = (model: ModelName): Words => wordsOf(model, modelFacts(model).words);

/** What people call the rows of a relation: `maintenance records`. */
export const wordsOfRelation = (model: ModelName, relation: string): string =>
  modelFacts(model).lists[relation]?.words ?? spaced(relation);

/** A field that is known to be stored. @throws Error if it is not */
export function storedField({ stored }: Stored, name: string): StoredField {
  const found = stored[name];
  if (!found) throw new Error(`${name} is not stored`);
  return found;
}

/** A field whose type the API has. @throws Error for others */
export function apiField(rows: Stored, name: string): ApiField {
  const found = storedField(rows, name);
  if (!isApiField(found)) throw new Error(`The API has no type for ${name}`);
  return found;
}

/** The field of a column, for what is no resource's own. */
export const column = <Model extends ModelName>(model: Model, name: Column<Model>): StoredField =>
  storedField(modelFacts(model), name);

/** An enum's members and their values in REST and the database. */
export const enumFacts = (
  name: EnumName,
): { readonly documentation?: string; readonly mappedValues: Readonly<Record<string, string>> } => facts.enums[name];

/** Whether the values of a field are those of an enum, whose type has no scalar. */
export const isEnum = ({ type }: ApiField): boolean => !type.scalar;

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
export const requiredColumns = (rows: Stored, columns: readonly string[]): string[] =>
  columns.filter((name) => {
    const { required, hasDefault, list } = storedField(rows, name);
    return required && !hasDefault && !list;
  });

/** The longest text of a column, for an input that is stored there: `extensions` of the input. */
export const lengthOf = <Model extends ModelName>(model: Model, name: Column<Model>) => ({
  maxLength: column(model, name).maxLength,
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
