import type { FieldErrors } from '../errors.ts';
import { tooManyValues } from '../input/index.ts';
import { listModel, type ModelName, modelFacts, type Row, requiredColumns } from './model.ts';
import type { Resource } from './resource.ts';
import { checkBody, type Rule } from './validate.ts';

/** Maximum number of nested items of a row, and of rows in a batch. */
export const maxItems = 500;

/**
 * Checks several rows of one body.
 *
 * @param name the field that contains them; errors are named by position, `lineItems.3.quantity`, and added to `errors`
 * @returns the valid parts of the rows
 */
export function checkRows(
  model: ModelName,
  columns: readonly string[],
  rules: Readonly<Record<string, Rule | undefined>>,
  name: string,
  rows: readonly (Row | undefined)[],
  errors: FieldErrors,
): Row[] {
  if (rows.length > maxItems) {
    errors[name] = tooManyValues(maxItems);
    return [];
  }
  const required = requiredColumns(model, columns);
  return rows.map((row, n) => {
    // The reader has reported an error for a row that it could not read.
    if (!row) return {};
    const checked = checkBody(row, modelFacts(model).columns, rules, required);
    for (const [column, error] of Object.entries(checked.errors)) errors[`${name}.${n}.${column}`] = error;
    return checked.data;
  });
}

/** Checks the nested items of a body; valid items are added to `data`, and errors to `errors`. */
export function checkNestedItems(
  { model, nestedItems }: Pick<Resource, 'model' | 'nestedItems'>,
  body: Readonly<Row>,
  data: Row,
  errors: FieldErrors,
): void {
  for (const [relation, columns] of Object.entries(nestedItems)) {
    if (body[relation] === undefined) continue;
    const rows = (body[relation] ?? []) as Row[];
    data[relation] = checkRows(listModel(model, relation), columns, {}, relation, rows, errors);
  }
}

/** Creates Prisma's nested writes of the items, in their order. @param replacing whether existing items are deleted */
export function storeNestedItems(nestedItems: Resource['nestedItems'], data: Row, replacing: boolean): Row {
  const stored = { ...data };
  for (const relation of Object.keys(nestedItems)) {
    const rows = data[relation] as Row[] | undefined;
    if (!rows) continue;
    const create = rows.map((row, position) => ({ position, ...row }));
    stored[relation] = { ...(replacing && { deleteMany: {} }), create };
  }
  return stored;
}
