import type { FieldMap } from '@pothos/core';
import type { FieldErrors } from '../errors.ts';
import { builder } from './builder.ts';
import type { Row } from './lists.ts';
import { columnFacts, type ModelName, modelFacts } from './model.ts';
import { ownedTypes } from './registry.ts';
import type { FieldBuilder } from './relations.ts';
import { inputField } from './types.ts';
import { checkBody, type Rule } from './validate.ts';

/** Lists that a row is written and shown with, such as the lines of an order: relation → its columns. */
export type Lines = Readonly<Record<string, readonly string[]>>;

const inputs = new Map<ModelName, InputRef>();
type InputRef = ReturnType<typeof builder.inputType>;

/** Defines the types of a row's lines. They are shown and written with the row, so its scopes are theirs. */
export function defineLines(model: ModelName, columns: readonly string[], fields: (t: FieldBuilder) => FieldMap): void {
  const required = requiredOf(model, columns);
  const description = modelFacts(model).documentation;
  ownedTypes.add(model);
  builder.prismaObject(model, { description, select: {}, fields });
  inputs.set(
    model,
    builder.inputType(`${model}Input`, {
      description,
      fields: (t) =>
        Object.fromEntries(columns.map((column) => [column, inputField(t, model, column, required.includes(column))])),
    }),
  );
}

/** The input type of lines. */
export function lineInput(model: ModelName): InputRef {
  const found = inputs.get(model);
  if (!found) throw new Error(`${model} is no line of anything`);
  return found;
}

/** The most lines one row may have. */
export const mostLines = 500;

/** The model of a relation's lines. */
export function lineModel(model: ModelName, relation: string): ModelName {
  const list = modelFacts(model).lists[relation];
  if (!list) throw new Error(`${model}.${relation} is no list`);
  return list.model;
}

/** The columns that a line cannot do without. */
export const requiredOf = (model: ModelName, columns: readonly string[]) =>
  columns.filter((column) => {
    const { required, hasDefault, list } = columnFacts(model, column);
    return required && !hasDefault && !list;
  });

/** Checks the lines of a body; faults are named by their place, `lineItems.3.quantity`. */
export function inspectLines(
  { model, lines = {} }: { readonly model: ModelName; readonly lines?: Lines },
  body: Readonly<Row>,
  data: Row,
  faults: FieldErrors,
): void {
  for (const [relation, columns] of Object.entries(lines)) {
    if (body[relation] === undefined) continue;
    data[relation] = inspectRows(
      lineModel(model, relation),
      columns,
      {},
      relation,
      (body[relation] ?? []) as Row[],
      faults,
    );
  }
}

/** Checks several rows of one body; each fault is named by its place. @returns the rows as far as they are right */
export function inspectRows(
  model: ModelName,
  columns: readonly string[],
  rules: Readonly<Record<string, Rule | undefined>>,
  name: string,
  rows: readonly (Row | undefined)[],
  faults: FieldErrors,
): Row[] {
  if (rows.length > mostLines) faults[name] = `must be at most ${mostLines}`;
  return rows.map((row, n) => {
    // What REST could not read is no row, and has its fault already.
    if (!row) return {};
    const checked = checkBody(row, modelFacts(model).columns, rules, requiredOf(model, columns));
    for (const [column, fault] of Object.entries(checked.faults)) faults[`${name}.${n}.${column}`] = fault;
    return checked.data;
  });
}

/** Makes Prisma's nested writes of lines, in their order; those that an updated row had go. */
export function storeLines(lines: Lines, data: Row, replacing: boolean): Row {
  const stored = { ...data };
  for (const relation of Object.keys(lines)) {
    const rows = data[relation] as Row[] | undefined;
    if (!rows) continue;
    stored[relation] = {
      ...(replacing && { deleteMany: {} }),
      create: rows.map((row, position) => ({ position, ...row })),
    };
    // Prisma does not take other rows for a change of this one.
    if (replacing) stored['updatedAt'] = new Date();
  }
  return stored;
}
