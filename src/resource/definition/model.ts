import type PrismaTypes from '../../database/generated/prisma-types.ts';
import { isApiField } from '../../database/read/models.ts';
import type { ApiField, Roles, StoredField } from '../../database/stored-field.ts';
import type { TableName } from '../../database/tables.ts';
import type { Words } from './words.ts';

/** The name of a Prisma model. */
export type ModelName = keyof PrismaTypes;

/** The name of one of a model's columns. */
export type Column<Model extends ModelName> = keyof PrismaTypes[Model]['Shape'] & string;

/** What has stored fields: the rows of a model, or of a resource, which can have more. */
export interface Stored {
  /** All fields of the rows, by their names; those of the API have types of the API. */
  readonly stored: Readonly<Record<string, StoredField>>;
}

/** What has stored fields, some of which have a role. */
export interface StoredWithRoles extends Stored {
  readonly roles: Roles;
}

/** A relation to one row: the field that refers to it, and the rows of which it is one. */
export interface ToOne {
  readonly field: StoredField;
  readonly target: Rows;
}

/** A relation to several rows: their column that refers to this row, and what people call them. */
export interface ToMany {
  readonly target: Rows;
  readonly column: string;
  /** `maintenance records`. */
  readonly words: string;
}

/** The rows of a model: what is stored of each, and which rows it refers to. */
export interface Rows<Model extends ModelName = ModelName> extends StoredWithRoles {
  readonly model: Model;
  /** Its description. */
  readonly documentation?: string;
  /** What people call its rows. */
  readonly words: Words;
  readonly table: TableName;
  /** The relations to one row, each with its reference, by their names. */
  readonly relations: Readonly<Record<string, ToOne>>;
  /** The relations to several rows, by their names. */
  readonly lists: Readonly<Record<string, ToMany>>;
  /** Unique index, by its name in the database → its columns, besides the company. */
  readonly uniques: Readonly<Record<string, readonly string[]>>;
}

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

/** The status of rows whose periods are kept, if the API shows it. */
export function shownStatus(rows: StoredWithRoles & { readonly columns: readonly string[] }): ApiField | undefined {
  const { status } = rows.roles;
  return status && rows.columns.includes(status.name) ? apiField(rows, status.name) : undefined;
}

/** The fields of rows that name files: attachments, and references to one. */
export const fileFields = ({ roles, stored }: StoredWithRoles): readonly StoredField[] => [
  ...(roles.attachments ? [roles.attachments] : []),
  ...Object.values(stored).filter(({ references }) => references === 'File'),
];

/** Whether the values of a field are those of an enum. */
export const isEnum = ({ type }: ApiField): boolean => type.words !== undefined;

/** The members of an enum, each with its value in REST and the database. @throws Error for a field of another type */
export function enumWords({ name, type }: StoredField): Readonly<Record<string, string>> {
  if (!type.words) throw new Error(`${name} is no enum.`);
  return type.words;
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
export const requiredColumns = (rows: Stored, columns: readonly string[]): string[] =>
  columns.filter((name) => {
    const { required, hasDefault, list } = storedField(rows, name);
    return required && !hasDefault && !list;
  });

/** A list of rows. @throws Error for what is none */
export function listOf({ model, lists }: Pick<Rows, 'model' | 'lists'>, relation: string): ToMany {
  const list = lists[relation];
  if (!list) throw new Error(`${model}.${relation} is not a list`);
  return list;
}

/** The order of a row's items. One query serves all that select them, as all order them by this value. */
export const itemOrder = { position: 'asc' } as const;
