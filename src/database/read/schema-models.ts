// The models of the Prisma schema, as constants of the process: what an API stores begins with them.
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
import { columnField, type StoredField } from '../stored-field.ts';
import type { Models, SqlJoin, SqlModel } from './models.ts';

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
    | 'role'
    | 'documentation'
    | 'label'
    | 'example'
  > {
  /** Its name in the database, where that differs. */
  readonly databaseName?: string;
  /** Prisma's scalar type or the enum's name; `Uuid` and `Date` for those native types. */
  readonly type: string;
}

const enums: Readonly<Record<string, Parameters<typeof enumeration>[1]>> = facts.enums;

/** The types that fields of the API have, by the name that a column's facts have. */
const apiTypes = new Map<string, FieldType>([
  ...Object.entries(fieldTypes),
  ...Object.entries(enums).map(([name, known]) => [name, enumeration(name, known)] as const),
]);
const types = new Map<string, StoredType>([...Object.entries(storedTypes), ...apiTypes]);
const apiLists = new Map([...apiTypes].map(([name, type]) => [name, listOf(type)]));
const lists = new Map([...types].map(([name, type]) => [name, storedList(type)]));

/** The models as the Prisma schema declares them. */
interface ModelFacts extends Pick<SqlModel, 'table'> {
  readonly joins: Readonly<Record<string, Omit<SqlJoin, 'onWithinCompany'>>>;
  readonly columns: Readonly<Record<string, ColumnFacts>>;
  /** Column → the model that it references. */
  readonly references: Readonly<Record<string, string>>;
  /** To-one relation → its foreign key column. */
  readonly relations: Readonly<Record<string, string>>;
}

const repeatsReference = (references: ModelFacts['references'], name: string): boolean =>
  Object.keys(references).find((column) => references[column] === references[name]) !== name;

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
  const target = { references: references[name], relation, repeatsReference: repeatsReference(references, name) };
  return columnField({ ...facts, ...target, model, name, itemType, type: ofValues }, databaseName);
}

const declared: Readonly<Record<string, ModelFacts>> = facts.models;

/** A relation, with its pairs without those of two companies. */
function joinOfRelation({ columns }: ModelFacts, join: ModelFacts['joins'][string]): SqlJoin {
  const others = declared[join.model]?.columns;
  const areCompanies = ([mine, other]: SqlJoin['on'][number]) =>
    columns[mine]?.role === 'company' && others?.[other]?.role === 'company';
  return { ...join, onWithinCompany: join.on.filter((pair) => !areCompanies(pair)) };
}

const models = new Map(
  Object.entries(declared).map(([name, model]): [string, SqlModel] => {
    const { table, columns } = model;
    const fields = Object.entries(columns).map(([column, each]) => fieldOfColumn(name, model, column, each));
    const joins = Object.entries(model.joins).map(([relation, join]) => [relation, joinOfRelation(model, join)]);
    return [
      name,
      {
        name,
        table,
        fields: Object.fromEntries(fields.map((field) => [field.name, field])),
        roles: Object.fromEntries(fields.flatMap((field) => (field.role ? [[field.role, field]] : []))),
        joins: Object.fromEntries(joins) as SqlModel['joins'],
      },
    ];
  }),
);

/** The models of the Prisma schema, whose fields are its columns. */
export const modelOf: Models = (name) => {
  const found = models.get(name);
  if (!found) throw new Error(`There is no model ${name}.`);
  return found;
};
