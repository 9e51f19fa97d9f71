// Makes writes of the rows of a file: cells become values, names become ids, and stored rows are found by their key.
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import {
  apiField,
  getOrCreate,
  inspectBelow,
  type ListsBelow,
  type Resource,
  type Row,
  type Rows,
} from '../resource/index.ts';
import { type CellOptions, plainText, readCell } from './cells.ts';
import type { ColumnMap } from './columns.ts';
import { cellsOf, type ItemNode, nameInFile, nodeOf } from './items.ts';
import { findNamed, type Named } from './lookups.ts';
import type { FoundField } from './names.ts';
import { type FindStored, findStored, keyColumns } from './stored-rows.ts';
import { type Cell, cellAt, type FileRow } from './table.ts';
import type { ImportApi, ImportTarget } from './target.ts';

/** What is wrong with a row: a text by each column, or by none with the whole row. */
export interface RowErrors {
  readonly row: FileRow;
  readonly errors: readonly string[];
}

/** A write of one row. */
export interface PlannedWrite {
  readonly row: FileRow;
  readonly write:
    | { readonly action: 'create'; readonly input: Row }
    | { readonly action: 'update'; readonly id: string; readonly input: Row; readonly ifMatch?: string };
  readonly parentId?: string;
  /** What the file has of it. */
  readonly node: ItemNode;
  readonly values: Readonly<Row>;
}

/** What a page of rows becomes. */
export interface PlannedPage {
  readonly writes: readonly PlannedWrite[];
  readonly refused: readonly RowErrors[];
}

/** What rows are made by. */
export interface RowOptions {
  readonly target: ImportTarget;
  readonly map: ColumnMap;
  readonly api: ImportApi;
  readonly cells: CellOptions;
}

/** What the texts of a page name, by the rows that columns refer to and the field that they have. */
type Names = ReadonlyMap<string, ReadonlyMap<string, Named>>;

/** Plans the writes of a page of rows. */
export async function planPage(rows: readonly FileRow[], options: RowOptions, context: Context): Promise<PlannedPage> {
  const nodes = rows.map((row) => nodeOf(row, options.map));
  const names = await findNames(nodes, options, context);
  const read = rows.map((row, n): ReadRow => {
    const node = nodes[n] ?? nodeOf(row, options.map);
    if (row.error !== undefined) return { row, node, values: {}, errors: [row.error] };
    const errors = [...node.errors];
    return { row, node, values: readValues(node, names, options.cells, errors), errors };
  });
  const valid = read.filter(({ errors }) => errors.length === 0);
  const stored = await findStored(valid, options, context);
  const writes: PlannedWrite[] = [];
  const refused: RowErrors[] = [];
  for (const each of read) {
    const planned = each.errors.length > 0 ? undefined : planWrite(each, { stored, names, context }, options);
    if (planned && each.errors.length === 0) writes.push(planned);
    else refused.push(each);
  }
  return { writes, refused };
}

/** Finds what the cells of a page refer to: a statement for each kind of rows. */
async function findNames(nodes: readonly ItemNode[], { api }: RowOptions, context: Context): Promise<Names> {
  const wanted = new Map<string, { readonly target: Rows; readonly by: string | undefined; texts: Set<string> }>();
  for (const node of nodes)
    for (const { found, cell } of cellsOf(node)) {
      const { target, by } = found;
      const text = target ? plainText(cell) : '';
      if (target && text !== '')
        getOrCreate(wanted, namesKey(found), () => ({ target, by, texts: new Set<string>() })).texts.add(text);
    }
  const names = new Map<string, ReadonlyMap<string, Named>>();
  for (const [key, { target, by, texts }] of wanted)
    names.set(key, await findNamed(target, texts, { by, context, resources: api.resources }));
  return names;
}

const namesKey = ({ target, by = '' }: FoundField): string => `${target?.model ?? ''}.${by}`;

/** The values of a row or item, without those of its lists. Its errors are added. */
function readValues({ cells }: ItemNode, names: Names, options: CellOptions, errors: string[]): Row {
  const values: Row = {};
  for (const { name, found, cell } of cells) {
    const read = readNamed(cell, found, names, options);
    if ('error' in read) errors.push(`${name}: ${read.error}`);
    else values[found.field.name] = read.value;
  }
  return values;
}

/** The items of the lists of a new row. Their errors are added. */
function readItems({ lists }: ItemNode, names: Names, options: CellOptions, errors: string[]): Row {
  const values: Row = {};
  for (const { list, items } of lists)
    values[list.relation] = items.map((item) => {
      errors.push(...item.errors);
      const own = withoutNulls(readValues(item, names, options, errors));
      return { ...own, ...readItems(item, names, options, errors) };
    });
  return values;
}

function readNamed(
  cell: Cell,
  found: FoundField,
  names: Names,
  options: CellOptions,
): { readonly value: unknown } | { readonly error: string } {
  if (!found.target || cell === null || 'error' in cell) return readCell(cell, found.field, options);
  const text = plainText(cell);
  if (text === '') return { value: null };
  const named = names.get(namesKey(found))?.get(text);
  if (!named || 'error' in named) return named ?? { error: 'names no row' };
  return { value: named.id };
}

/** A row whose own cells were read. */
interface ReadRow extends RowErrors {
  readonly node: ItemNode;
  readonly values: Row;
  readonly errors: string[];
}

/** What is known of a page. */
interface Known {
  readonly stored: FindStored;
  readonly names: Names;
  readonly context: Context;
}

/** Plans the write of a row; what is wrong with it is added to its errors. */
function planWrite(read: ReadRow, known: Known, { target, map, api, cells }: RowOptions): PlannedWrite | undefined {
  const { row, node, values, errors } = read;
  const { stored, names, context } = known;
  const { resource, mode } = target;
  const { parent } = resource;
  const found = stored(read);
  const isMissing = !found || ('error' in found && found.isMissing === true);
  if (mode === 'insert' || (mode === 'upsert' && isMissing)) {
    const { [parent?.column ?? '']: parentId, ...own } = withoutNulls(values);
    const input = { ...own, ...readItems(node, names, cells, errors) };
    errors.push(...itemErrors(resource, input, node, { context, listsBelow: api.listsBelow }));
    if (!parent) return { row, node, values, write: { action: 'create', input } };
    // References are ids.
    if (parentId !== undefined)
      return { row, node, values, write: { action: 'create', input }, parentId: parentId as string };
    errors.push(`${parent.column}: is required`);
    return undefined;
  }
  if (!found || 'error' in found) {
    const key = found?.column ?? keyColumns(target, map).map(({ header }) => header);
    errors.push(`${String(key)}: ${found?.error ?? 'is required'}`);
    return undefined;
  }
  // What an export has of a stored row is not read, as all that it has besides fields.
  for (const { name, list, isExported } of node.lists)
    if (!isExported) errors.push(`${name}: only new rows can have ${list.rows.words.many}, and this one is stored`);
  const etag = map.etagAt === undefined ? '' : plainText(cellAt(row, map.etagAt));
  const input = changesOf(resource, values);
  const write = { action: 'update', id: found.id, input, ...(etag !== '' && { ifMatch: etag }) } as const;
  return { row, node, values, write };
}

/** What is wrong with the items of a new row as a whole: too many, or nothing that the caller may create. */
function itemErrors(
  resource: Resource,
  input: Row,
  node: ItemNode,
  options: { readonly context: Context; readonly listsBelow: ListsBelow },
): string[] {
  try {
    const { errors } = inspectBelow(resource, [{ place: '', input }], 1, options);
    return Object.entries(errors).map(([field, reason]) => `${nameInFile(node, field)}: ${reason}`);
  } catch (error) {
    if (error instanceof ServiceError) return [error.reason];
    throw error;
  }
}

/** In a new row an empty cell leaves its field out. */
const withoutNulls = (values: Row): Row =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));

/** In a stored row an empty cell clears its field, where that can be empty. */
function changesOf(resource: Resource, { id: _, ...values }: Row): Row {
  const { parent, fields } = resource;
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      if (name === parent?.column || fields[name]?.createOnly || fields[name]?.readOnly) return false;
      const { required, list } = apiField(resource, name);
      return value !== null || !(required || list);
    }),
  );
}
