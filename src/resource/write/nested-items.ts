import type { FieldErrors } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import { listOf, type Row, requiredColumns } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { checkBody } from '../definition/validate.ts';

/** Maximum number of nested items of a row. */
export const maxItems = 500;

/** Maximum number of rows of one write. */
export const maxWrites = 1000;

/** The valid part of an input, and the errors of the rest. */
export interface Checked {
  readonly data: Row;
  readonly errors: FieldErrors;
}

/**
 * Checks several rows of one body.
 *
 * @param name the field that contains them; errors are named by position, `lineItems.3.quantity`, and added to `errors`
 * @param check checks one of them
 * @returns the valid parts of the rows
 */
export async function checkRows<Given = Row>(
  name: string,
  rows: readonly (Given | undefined)[],
  errors: FieldErrors,
  check: (row: Given) => Checked | Promise<Checked>,
  most = maxItems,
): Promise<Row[]> {
  if (rows.length > most) {
    errors[name] = messages.tooManyValues(most);
    return [];
  }
  const valid: Row[] = [];
  for (const [n, row] of rows.entries()) {
    // The reader has reported an error for a row that it could not read.
    const checked = row ? await check(row) : { data: {}, errors: {} };
    Object.assign(errors, nameByPosition(name, n, checked.errors));
    valid.push(checked.data);
  }
  return valid;
}

/** Names the errors of one of several rows by its position: `items.3.sku`. */
export const nameByPosition = (name: string, n: number, errors: FieldErrors): FieldErrors =>
  nameByPlace(`${name}.${n}`, errors);

/** Names the errors of a row by its place: `operations.3.comments.1.body`. */
export const nameByPlace = (place: string, errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([field, message]) => [`${place}.${field}`, message]));

/** The position and the field, empty for the row itself, in a name of `nameByPosition`; undefined for other names. */
export function readPosition(name: string, place: string): { readonly n: number; readonly field: string } | undefined {
  const [list, position, ...field] = place.split('.');
  return list === name && position !== undefined ? { n: Number(position), field: field.join('.') } : undefined;
}

/** Checks the nested items of a body; valid items are added to `data`, and errors to `errors`. */
export async function checkNestedItems(
  resource: Pick<Resource, 'model' | 'lists' | 'nestedItems'>,
  body: Readonly<Row>,
  data: Row,
  errors: FieldErrors,
): Promise<void> {
  for (const [relation, names] of Object.entries(resource.nestedItems)) {
    if (body[relation] === undefined) continue;
    const items = listOf(resource, relation).target;
    const required = requiredColumns(items, names);
    const rows = (body[relation] ?? []) as Row[];
    data[relation] = await checkRows(relation, rows, errors, (row) => checkBody(row, items, {}, required));
  }
}

/**
 * The columns, nested items and rows beside it that are stored of a row, in the words of the writer.
 *
 * @param replacing whether existing items are deleted
 */
export function storedRows({ nestedItems }: Pick<Resource, 'nestedItems'>, data: Row, replacing: boolean): Row {
  const { also, ...stored } = data;
  // By the types of hooks.
  for (const [relation, create] of Object.entries((also ?? {}) as Record<string, readonly Row[]>))
    if (create.length > 0) stored[relation] = { create };
  for (const relation of Object.keys(nestedItems)) {
    const rows = data[relation] as Row[] | undefined;
    if (!rows) continue;
    const create = rows.map((row, position) => ({ position, ...row }));
    stored[relation] = { ...(replacing && { deleteMany: {} }), create };
  }
  return stored;
}
