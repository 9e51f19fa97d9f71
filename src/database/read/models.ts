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
import { type ApiField, columnField, type StoredField } from '../stored-field.ts';

/** A column as the Prisma schema declares it; see `prisma/facts.mjs`. */
interface ColumnFacts
  extends Pick<
    StoredField,
    | 'required'
    | 'list'
    | 'maxLength'
    | 'precision'
    | 'scale'
    | 'hasDefault'
    | 'default'
    | 'now'
    | 'updatedAt'
    | 'documentation'
    | 'label'
    | 'example'
  > {
  /** Its name in the database, where that differs. */
  readonly databaseName?: string;
  /** Prisma's scalar type or the enum's name; `Uuid` and `Date` for those native types. */
  readonly type: string;
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
  readonly fields: Readonly<Record<string, StoredField>>;
  readonly joins: Readonly<Record<string, SqlJoin>>;
}

const enums: Readonly<
  Record<string, { readonly databaseType: string; readonly mappedValues: Readonly<Record<string, string>> }>
> = facts.enums;

/** The types that fields of the API have, by the name that a column's facts have. */
const apiTypes = new Map<string, FieldType>([
  ...Object.entries(fieldTypes),
  ...Object.entries(enums).map(([name, known]) => [name, enumeration(name, known)] as const),
]);
const types = new Map<string, StoredType>([...Object.entries(storedTypes), ...apiTypes]);
const apiLists = new Map([...apiTypes].map(([name, type]) => [name, listOf(type)]));
const lists = new Map([...types].map(([name, type]) => [name, storedList(type)]));

/** Finds a model by its name. @throws Error if there is none */
export type Models = (name: string) => SqlModel;

/** The models as the Prisma schema declares them. */
interface ModelFacts extends Pick<SqlModel, 'table' | 'joins'> {
  readonly columns: Readonly<Record<string, ColumnFacts>>;
  /** Column → the model that it references. */
  readonly references: Readonly<Record<string, string>>;
  /** To-one relation → its foreign key column. */
  readonly relations: Readonly<Record<string, string>>;
}

/** The field of a column. */
function fieldOfColumn(
  model: string,
  { references, relations }: ModelFacts,
  name: string,
  { databaseName = name, type, ...facts }: ColumnFacts,
): StoredField {
  const itemType = types.get(type);
  const ofValues = facts.list ? (apiLists.get(type) ?? lists.get(type)) : itemType;
  if (!itemType || !ofValues) throw new Error(`Values of ${type} are not supported.`);
  const [relation] = Object.entries(relations).find(([, column]) => column === name) ?? [];
  const target = { references: references[name], relation };
  return columnField({ ...facts, ...target, model, name, itemType, type: ofValues }, databaseName);
}

const models = new Map(
  Object.entries<ModelFacts>(facts.models).map(([name, model]): [string, SqlModel] => {
    const { table, columns, joins } = model;
    const fields = Object.entries(columns).map(
      ([column, each]) => [column, fieldOfColumn(name, model, column, each)] as const,
    );
    return [name, { name, table, fields: Object.fromEntries(fields), joins }];
  }),
);

/** The models of the Prisma schema, whose fields are its columns. */
export const modelOf: Models = (name) => {
  const found = models.get(name);
  if (!found) throw new Error(`There is no model ${name}.`);
  return found;
};

/** A field of a model. @throws Error if there is none */
export function fieldOf(model: SqlModel, name: string): StoredField {
  const found = model.fields[name];
  if (!found) throw new Error(`${model.table} has no field ${name}.`);
  return found;
}

/** A relation of a model. @throws Error if there is none */
export function joinOf(model: SqlModel, name: string): SqlJoin {
  const found = model.joins[name];
  if (!found) throw new Error(`${model.table} has no relation ${name}.`);
  return found;
}

/** A field in SQL, of the row of an alias. */
export const fieldSql = (model: SqlModel, name: string, alias: string): string => fieldOf(model, name).sql(alias);

/** Whether the API has the type of a field. */
export const isApiField = (field: StoredField): field is ApiField => 'check' in field.type;

/** A field whose type the API has. @throws Error for types that it does not have */
export function apiFieldOf(model: SqlModel, name: string): ApiField {
  const field = fieldOf(model, name);
  if (!isApiField(field)) throw new Error(`The API has no type for ${model.table}.${name}.`);
  return field;
}

/** The SQL of a field's value, to be sorted, or compared with another in that order. */
export const sortableSql = (sql: string, { type: { collation } }: StoredField): string =>
  collation === undefined ? sql : `${sql} COLLATE "${collation}"`;
