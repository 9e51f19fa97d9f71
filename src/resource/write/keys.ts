import type { FieldErrors } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { checkBody } from '../definition/validate.ts';
import { getOrCreate } from '../get-or-create.ts';
import { rulesOf, writableColumns } from './input.ts';
import type { Checked } from './nested-items.ts';

/** Key → its columns, by the name of the last one. A key of a sub-resource can contain the column of its parent. */
export type Keys = Readonly<Record<string, readonly string[]>>;

const known = new WeakMap<Resource, Keys>();

/**
 * The keys by which clients can upsert rows of a resource: the id, and each unique index all of whose columns they give
 * of a new row. None if the resource lacks one of the two operations that an upsert consists of.
 */
export const keysOf = (resource: Resource): Keys => getOrCreate(known, resource, findKeys);

function findKeys(resource: Resource): Keys {
  const { actions, uniques, parent, roles, isSingleton } = resource;
  if (isSingleton || !actions.includes('create') || !actions.includes('update')) return {};
  const given = new Set([...writableColumns(resource, 'create'), ...(parent ? [parent.column] : [])]);
  const keys: Record<string, readonly string[]> = {};
  if (roles.key) keys[roles.key.name] = [roles.key.name];
  for (const columns of Object.values(uniques)) {
    const last = columns.findLast((column) => column !== parent?.column);
    if (last !== undefined && columns.every((column) => given.has(column))) keys[last] = columns;
  }
  return keys;
}

/**
 * The values of a key in the input of an upsert, as they are stored.
 *
 * @param key one of `keysOf`
 * @param parentId the parent that the rows are written below
 * @returns the `by` of the upsert, and the errors of the columns that it needs
 */
export function readKey(resource: Resource, key: string, input: Readonly<Row>, parentId?: string): Checked {
  const columns = keysOf(resource)[key] ?? [];
  const { parent, fields } = resource;
  const given: Row = Object.fromEntries(columns.map((column) => [column, input[column]]));
  if (parent && parentId !== undefined && columns.includes(parent.column)) given[parent.column] = parentId;
  // A row without a value has no key: null equals nothing.
  const missing = columns.filter((column) => given[column] == null);
  const errors: FieldErrors = Object.fromEntries(missing.map((column) => [column, messages.required]));
  const checked = checkBody(given, resource, rulesOf(fields), undefined);
  return { data: checked.data, errors: { ...checked.errors, ...errors } };
}
