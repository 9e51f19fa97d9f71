// The values of a row and of its items, with the names by which errors call them.
import { parseJson } from '../json.ts';
import { snakeCase } from '../names.ts';
import { type ColumnMap, type ListColumns, noSuchField } from './columns.ts';
import { findList, type ItemList } from './lists.ts';
import type { FoundField } from './names.ts';
import { type Cell, cellAt, cellOfJson, type FileRow } from './table.ts';

/** A cell of a row or of an item. */
export interface NamedCell {
  /** What errors call it: its column, and the line where that is not the one of the row. */
  readonly name: string;
  readonly found: FoundField;
  readonly cell: Cell;
}

/** The items of one list. */
export interface NodeItems {
  readonly list: ItemList;
  /** What errors call the list. */
  readonly name: string;
  readonly items: readonly ItemNode[];
  /** Whether a cell of CSV or of a spreadsheet has all of them: exports do. */
  readonly isExported: boolean;
}

/** A row or an item as the file has it. */
export interface ItemNode {
  readonly cells: readonly NamedCell[];
  readonly lists: readonly NodeItems[];
  /** What is wrong with it, besides its cells. */
  readonly errors: readonly string[];
  /** What errors call a field that it lacks. */
  readonly nameOf: (field: string) => string;
}

/** What a row of a file has. */
export function nodeOf(row: FileRow, map: ColumnMap): ItemNode {
  const errors: string[] = [];
  const lists = map.lists.flatMap((columns) => {
    const items = columns.whole
      ? itemsOfCell(cellAt(row, columns.whole.at), columns.list, columns.whole.header, errors)
      : itemsOfRows(row, columns);
    return items ? [items] : [];
  });
  const cells = map.columns.map((found) => ({ name: found.header, found, cell: cellAt(row, found.at) }));
  return { cells, lists, errors, nameOf: (field) => field };
}

/** The items of a row and of those that follow it, each in a row of its own. */
function itemsOfRows(row: FileRow, { list, columns }: ListColumns): NodeItems | undefined {
  const items = [row, ...(row.further ?? [])].flatMap((each): ItemNode[] => {
    const place = each === row ? '' : ` in line ${each.line}`;
    const cells = columns.map(
      (found): NamedCell => ({ name: `${found.header}${place}`, found, cell: cellAt(each, found.at) }),
    );
    const nameOf = (field: string) => `${snakeCase(list.relation)}.${snakeCase(field)}${place}`;
    return cells.every(({ cell }) => cell === null) ? [] : [{ cells, lists: [], errors: [], nameOf }];
  });
  return items.length === 0 ? undefined : { list, name: columns[0]?.header ?? '', items, isExported: false };
}

/** The items that one cell has: an array of JSON. */
function itemsOfCell(cell: Cell, list: ItemList, name: string, errors: string[]): NodeItems | undefined {
  if (cell === null) return undefined;
  const value = valueOf(cell);
  if (!Array.isArray(value)) {
    errors.push(`${name}: ${'error' in cell ? cell.error : 'must be an array of objects, as JSON'}`);
    return undefined;
  }
  if (value.length === 0) return undefined;
  const items = value.map((item: unknown, n) => nodeOfJson(item, list, `${name}.${n}`));
  return { list, name, items, isExported: 'text' in cell };
}

function valueOf(cell: Exclude<Cell, null>): unknown {
  if ('json' in cell) return cell.json;
  if (!('text' in cell)) return undefined;
  try {
    return parseJson(cell.text);
  } catch {
    return undefined;
  }
}

function nodeOfJson(item: unknown, list: ItemList, place: string): ItemNode {
  const nameOf = (field: string) => `${place}.${snakeCase(field)}`;
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return { cells: [], lists: [], errors: [`${place}: must be an object`], nameOf };
  const cells: NamedCell[] = [];
  const lists: NodeItems[] = [];
  const errors: string[] = [];
  for (const [key, value] of Object.entries(item)) {
    const name = `${place}.${key.slice(0, 100)}`;
    const found = list.names.find(key);
    const below = found ? undefined : findList(list.lists(), key);
    if (found) {
      if (cells.some((cell) => cell.found.field.name === found.field.name))
        errors.push(`${name}: is there under another name too`);
      cells.push({ name, found, cell: cellOfJson(value) });
    } else if (below) {
      const items = itemsOfCell(cellOfJson(value), below, name, errors);
      if (items) lists.push(items);
    } else if (!list.names.isShown(key)) errors.push(`${place}: ${noSuchField(key, list.names)}`);
  }
  return { cells, lists, errors, nameOf };
}

/** All cells of some nodes, and of their items. */
export function* cellsOf({ cells, lists }: ItemNode): Generator<NamedCell> {
  yield* cells;
  for (const { items } of lists) for (const item of items) yield* cellsOf(item);
}

/** What a file calls a field that an error of a write names: `lineItems.3.quantity`. */
export function nameInFile(node: ItemNode, field: string): string {
  const [first = '', position, ...rest] = field.split('.');
  const list = node.lists.find((each) => each.list.relation === first);
  const item = list?.items[Number(position)];
  if (list && item) return rest.length === 0 ? list.name : nameInFile(item, rest.join('.'));
  return list?.name ?? node.cells.find(({ found }) => found.field.name === first)?.name ?? node.nameOf(field);
}
