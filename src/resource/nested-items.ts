import type { FieldErrors } from '../errors.ts';
import { listModel, type ModelName, modelFacts, type Row, requiredColumns } from './model.ts';
import type { Resource } from './resource.ts';
import { checkBody, type Rule } from './validate.ts';

/** The most nested items that one row may have, and the most rows of a batch. */
export const maxItems = 500;

/**
 * Checks several rows of one body.
 * @param name the field that holds them; errors are named by place, `lineItems.3.quantity`, and added to `errors`
 * @returns the rows as far as they are right
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
    errors[name] = `must be at most ${maxItems}`;
    return [];
  }
  const required = requiredColumns(model, columns);
  return rows.map((row, n) => {
    // What the reader could not read is no row, and has its error already.
    if (!row) return {};
    const checked = checkBody(row, modelFacts(model).columns, rules, required);
    for (const [column, error] of Object.entries(checked.errors)) errors[`${name}.${n}.${column}`] = error;
    return checked.data;
  });
}

/** Checks the nested items of a body; those that are right are added to `data`, and what is wrong to `errors`. */
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

/**
 * Makes Prisma's nested writes of the items, in their order.
 * @param replacing whether the row has items already, which then go
 */
export function storeNestedItems(nestedItems: Resource['nestedItems'], data: Row, replacing: boolean): Row {
  const stored = { ...data };
  for (const relation of Object.keys(nestedItems)) {
    const rows = data[relation] as Row[] | undefined;
    if (!rows) continue;
    const create = rows.map((row, position) => ({ position, ...row }));
    stored[relation] = { ...(replacing && { deleteMany: {} }), create };
    // Prisma does not take other rows for a change of this one.
    if (replacing) stored['updatedAt'] = new Date();
  }
  return stored;
}
