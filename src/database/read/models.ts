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
  readonly table: string;
  readonly columns: Readonly<Record<string, SqlColumn>>;
  readonly joins: Readonly<Record<string, SqlJoin>>;
}

const models: Readonly<Record<string, SqlModel>> = facts.models;

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

const sqlTypes: Readonly<Record<string, string>> = {
  Uuid: 'uuid',
  String: 'text',
  Int: 'integer',
  BigInt: 'bigint',
  Float: 'double precision',
  Decimal: 'numeric',
  Boolean: 'boolean',
  Date: 'date',
  DateTime: 'timestamptz',
  Bytes: 'bytea',
};

/** The SQL type of a column's values, or of the items of a list. @throws Error for types that nothing here uses */
export function sqlTypeOf({ type, enum: isEnum }: SqlColumn): string {
  const found = isEnum ? `"${enums[type]?.databaseType}"` : sqlTypes[type];
  if (!found) throw new Error(`Values of ${type} are not supported.`);
  return found;
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
