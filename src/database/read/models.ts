import {
  enumeration,
  type FieldType,
  fieldTypes,
  listOf,
  type StoredType,
  storedList,
  storedTypes,
} from '../../fields/index.ts';
import facts from '../generated/facts.ts';

/** A column as SQL needs it. */
export interface SqlColumn {
  /** Its name in the database, where that differs. */
  readonly databaseName?: string;
  /** Prisma's scalar type or the enum's name; `Uuid` and `Date` for those native types. */
  readonly type: string;
  readonly enum: boolean;
  readonly list: boolean;
  /** Whether the database or Prisma fills it when a create leaves it out. */
  readonly hasDefault: boolean;
  /** The default, if it is a constant. */
  readonly default?: string | number | boolean;
  /** Whether the default is the time of the write, and whether every update sets it to that. */
  readonly now?: boolean;
  readonly updatedAt?: boolean;
}

/** A relation as SQL needs it: the other model, and the pairs of columns (this model's, the other's) that join them. */
export interface SqlJoin {
  readonly model: string;
  readonly list: boolean;
  readonly on: readonly (readonly [string, string])[];
}

/** A model as SQL needs it. */
export interface SqlModel {
  readonly name: string;
  readonly table: string;
  readonly columns: Readonly<Record<string, SqlColumn>>;
  readonly joins: Readonly<Record<string, SqlJoin>>;
}

const models: Readonly<Record<string, SqlModel>> = Object.fromEntries(
  Object.entries(facts.models).map(([name, { table, columns, joins }]) => [name, { name, table, columns, joins }]),
);

const enums: Readonly<
  Record<string, { readonly databaseType: string; readonly mappedValues: Readonly<Record<string, string>> }>
> = facts.enums;

/** The model of a name. @throws Error if there is none */
export function modelOf(name: string): SqlModel {
  const found = models[name];
  if (!found) throw new Error(`There is no model ${name}.`);
  return found;
}

/** A column of a model. @throws Error if there is none */
export function columnOf(model: SqlModel, name: string): SqlColumn {
  const found = model.columns[name];
  if (!found) throw new Error(`${model.table} has no column ${name}.`);
  return found;
}

/** A relation of a model. @throws Error if there is none */
export function joinOf(model: SqlModel, name: string): SqlJoin {
  const found = model.joins[name];
  if (!found) throw new Error(`${model.table} has no relation ${name}.`);
  return found;
}

/** A column in SQL, of the table with an alias. */
export const columnSql = (alias: string, name: string, { databaseName = name }: SqlColumn): string =>
  `${alias}."${databaseName}"`;

/** The types that fields of the API have, by the name in `SqlColumn`. */
const apiTypes = new Map<string, FieldType>([
  ...Object.entries(fieldTypes),
  ...Object.entries(enums).map(([name, known]) => [name, enumeration(name, known)] as const),
]);
const types = new Map<string, StoredType>([...Object.entries(storedTypes), ...apiTypes]);
const apiLists = new Map([...apiTypes].map(([name, type]) => [name, listOf(type)]));
const lists = new Map([...types].map(([name, type]) => [name, storedList(type)]));

const unsupported = (type: string): never => {
  throw new Error(`Values of ${type} are not supported.`);
};

/** The type of a column's values, or of the items of a list. @throws Error for types that nothing here uses */
export const itemTypeOf = ({ type }: Pick<SqlColumn, 'type'>): StoredType => types.get(type) ?? unsupported(type);

/** The type of a column's values. @throws Error for types that nothing here uses */
export const typeOf = ({ type, list }: Pick<SqlColumn, 'type' | 'list'>): StoredType =>
  (list ? lists : types).get(type) ?? unsupported(type);

/** The type of a field that shows a column; undefined for types that the API does not have. */
export const findFieldType = ({ type, list }: Pick<SqlColumn, 'type' | 'list'>): FieldType | undefined =>
  (list ? apiLists : apiTypes).get(type);

/** The type of a field that shows a column. @throws Error for types that the API does not have */
export const fieldTypeOf = (column: Pick<SqlColumn, 'type' | 'list'>): FieldType =>
  findFieldType(column) ?? unsupported(column.type);

/** A value of a column in SQL, to be sorted, or compared with another in that order. */
export function sortableSql(sql: string, column: SqlColumn): string {
  const { collation } = typeOf(column);
  return collation === undefined ? sql : `${sql} COLLATE "${collation}"`;
}

/** An enum's members → their values in the database. */
export const mappedValuesOf = (name: string): Readonly<Record<string, string>> => enums[name]?.mappedValues ?? {};

/** The condition of a relation between two aliases. */
export const joinSql = (model: SqlModel, alias: string, { model: other, on }: SqlJoin, otherAlias: string): string =>
  on
    .map(([mine, others]) => {
      const [left, right] = [columnOf(modelOf(other), others), columnOf(model, mine)];
      return `${columnSql(otherAlias, others, left)} = ${columnSql(alias, mine, right)}`;
    })
    .join(' AND ');
