// The lists of new rows whose items a file can have: nested items, such as the lines of an order, and rows below.
import { linksOf, listOf, type Resource, type Rows } from '../resource/index.ts';
import { type FieldNames, fieldNames, importedFields, plainName } from './names.ts';
import type { ImportApi } from './target.ts';

/** A list of a new row whose items a file can have. */
export interface ItemList {
  /** Its name in the input of a new row. */
  readonly relation: string;
  readonly rows: Rows;
  /** The resource of its items; undefined for nested items, which are part of their row. */
  readonly resource?: Resource;
  /** How a file calls the fields of an item. */
  readonly names: FieldNames;
  /** The fields of an item, in the order of the body. */
  readonly fields: readonly string[];
  /** The lists of its items. */
  readonly lists: () => readonly ItemList[];
}

/** The lists of the new rows of a resource. */
export function itemLists(resource: Resource, api: ImportApi): readonly ItemList[] {
  const nested = Object.entries(resource.nestedItems).map(([relation, fields]): ItemList => {
    const rows = listOf(resource, relation).target;
    const names = fieldNames(rows, fields, { ...api, type: rows.model });
    return { relation, rows, fields, names, lists: () => [] };
  });
  const below = api.listsBelow(resource).map((list): ItemList => {
    const { relation, resource: of } = list;
    const links = linksOf(list);
    const fields = importedFields({ resource: of, mode: 'insert' }).filter((name) => !links.includes(name));
    let lists: readonly ItemList[] | undefined;
    return {
      ...{ relation, rows: of, resource: of, fields },
      names: fieldNames(of, fields, { ...api, type: of.type }),
      lists: () => (lists ??= itemLists(of, api)),
    };
  });
  return [...nested, ...below];
}

/** Finds a list by the name that a file has. */
export const findList = (lists: readonly ItemList[], name: string): ItemList | undefined =>
  lists.find(({ relation }) => plainName(relation) === plainName(name));
