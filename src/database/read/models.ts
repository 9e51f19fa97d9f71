import type { ApiField, Roles, StoredField } from '../stored-field.ts';

/** A relation as SQL needs it: the other model, and the pairs of columns (this model's, the other's) that join them. */
export interface SqlJoin {
  readonly model: string;
  readonly list: boolean;
  readonly on: readonly (readonly [string, string])[];
  /** Those of the pairs that join rows of one company. */
  readonly onWithinCompany: SqlJoin['on'];
}

/** A model as SQL needs it. */
export interface SqlModel {
  readonly name: string;
  readonly table: string;
  readonly fields: Readonly<Record<string, StoredField>>;
  readonly roles: Roles;
  readonly joins: Readonly<Record<string, SqlJoin>>;
}

/** Finds a model by its name. @throws Error if there is none */
export type Models = (name: string) => SqlModel;

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
export const sortableSql = (sql: string, { type: { collation } }: Pick<StoredField, 'type'>): string =>
  collation === undefined ? sql : `${sql} COLLATE "${collation}"`;
