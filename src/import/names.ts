// How files call the fields of rows.
import { type GraphQLSchema, isObjectType } from 'graphql';
import { isApiField } from '../database/read/models.ts';
import type { ApiField } from '../database/stored-field.ts';
import { text } from '../fields/index.ts';
import { snakeCase } from '../names.ts';
import { labelOfField, type Resource, type Rows, storedField, writableColumns } from '../resource/index.ts';
import type { ImportTarget } from './target.ts';

/** The names of a header as they are compared: `Building ID`, `building_id` and `buildingId` are one. */
export const plainName = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** A field as a file names it. */
export interface FoundField {
  readonly field: ApiField;
  /** What its values refer to; undefined for values of the row itself. */
  readonly target?: Rows;
  /** The field of the target that it has, where it names one: `building.name`. */
  readonly by?: string;
}

/** The names by which the fields of some rows are found. */
export interface FieldNames {
  /** The fields, as REST calls them. */
  readonly all: readonly string[];
  readonly find: (name: string) => FoundField | undefined;
  /** Whether a name is one of those that clients read of a row, also where they do not write it: exports have it. */
  readonly isShown: (name: string) => boolean;
}

/** Rows whose fields a file has. */
type NamedRows = Rows & Partial<Pick<Resource, 'parent'>>;

/** The fields by whose values people name rows, besides a title: those whose values are unique, and these. */
const naturalNames = ['externalId', 'code', 'sku', 'serialNumber', 'number', 'email'];

/** The fields by which a row can be named, the surest first; not the id. */
export function naturalKeys(rows: Rows, resource: Resource | undefined): string[] {
  const unique = Object.values(rows.uniques).flatMap((columns) => (columns.length === 1 ? columns : []));
  const title = resource?.words.title;
  const names = [...unique, ...naturalNames, ...(title === undefined ? [] : [title])];
  const isText = (name: string) => {
    const field = rows.stored[name];
    const isShown = resource === undefined || resource.columns.includes(name);
    return (
      field !== undefined &&
      isShown &&
      isApiField(field) &&
      field.type.name === text.name &&
      !field.list &&
      !field.type.words
    );
  };
  return [...new Set(names)].filter(isText);
}

/** The fields of new and of changed rows that a file can have, in the order of the body. */
export function importedFields({ resource, mode, key = [] }: ImportTarget): string[] {
  const { parent } = resource;
  const written = [
    ...(mode === 'update' ? [] : writableColumns(resource, 'create')),
    ...(mode === 'insert' ? [] : writableColumns(resource, 'update')),
  ];
  return [...new Set(['id', ...(parent && mode !== 'update' ? [parent.column] : []), ...key, ...written])];
}

/** The keys by which stored rows are found: the fields that name one alone, and those that are unique together. */
export function keysOfRows(resource: Resource): readonly (readonly string[])[] {
  const { uniques, columns, parent } = resource;
  const isShown = (name: string) => columns.includes(name) || name === parent?.column;
  const several = Object.values(uniques).filter((names) => names.length > 1 && names.every(isShown));
  return [['id'], ...naturalKeys(resource, resource).map((name) => [name]), ...several];
}

/**
 * The names of fields.
 *
 * @param type the name of the type that clients read
 */
export function fieldNames(
  rows: NamedRows,
  names: readonly string[],
  { type, resources, schema }: { readonly type: string; resources: readonly Resource[]; schema: GraphQLSchema },
): FieldNames {
  const fields = names.flatMap((name) => {
    const field = storedField(rows, name);
    return isApiField(field) ? [field] : [];
  });
  const byName = new Map<string, ApiField>();
  const add = (name: string | undefined, field: ApiField) => {
    if (name !== undefined && !byName.has(plainName(name))) byName.set(plainName(name), field);
  };
  for (const field of fields) add(field.name, field);
  for (const field of fields) add(field.relation, field);
  for (const field of fields) add(labelOfField(field), field);
  const shownType = schema.getType(type);
  const shown = new Set(isObjectType(shownType) ? Object.keys(shownType.getFields()).map(plainName) : []);
  const find = (name: string): FoundField | undefined => {
    const field = byName.get(plainName(name));
    return field ? ofField(rows, field, resources) : relatedField(rows, resources, name, byName);
  };
  return { all: fields.map(({ name }) => snakeCase(name)), find, isShown: (name) => shown.has(plainName(name)) };
}

function ofField(rows: NamedRows, field: ApiField, resources: readonly Resource[]): FoundField {
  const isReference = field.references !== undefined && field.name !== 'id';
  return isReference ? { field, target: targetOf(rows, resources, field) } : { field };
}

/** A reference by a field of what it refers to: `building.name`. */
function relatedField(
  rows: NamedRows,
  resources: readonly Resource[],
  name: string,
  byName: ReadonlyMap<string, ApiField>,
): FoundField | undefined {
  const [relation = '', by = '', ...more] = name.split('.');
  if (by === '' || more.length > 0) return undefined;
  const field = byName.get(plainName(relation));
  if (!field?.references) return undefined;
  const target = targetOf(rows, resources, field);
  if (plainName(by) === 'id') return { field, target };
  const resource = resources.find(({ model }) => model === target.model);
  const key = naturalKeys(target, resource).find((each) => plainName(each) === plainName(by));
  return key === undefined ? undefined : { field, target, by: key };
}

/** The rows that a field refers to. */
function targetOf({ relations, parent }: NamedRows, resources: readonly Resource[], field: ApiField): Rows {
  const relation = Object.values(relations).find((each) => each.field.name === field.name);
  const rows =
    relation?.target ??
    (parent?.column === field.name ? parent.resource : undefined) ??
    resources.find(({ model }) => model === field.references);
  if (!rows) throw new Error(`${field.name} refers to no rows.`);
  return rows;
}
