// What a query selects of rows that graphql-js executes, as Prisma's `select`.
import { brandWithType } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import type { PageSelection, Selected } from '../read/lists.ts';
import { fieldPath, loadTogether } from '../read/load.ts';
import { isSelected } from '../read/query.ts';

/** Prisma's `select` for the selected fields of a row. */
type Selection = Pick<Selected, 'select'>;

/** What a query selects of the row or rows that a root field returns. @param also what else is needed of them */
export const selectionOf = (context: Context, info: GraphQLResolveInfo, also?: { readonly id: true }): Selection =>
  queryFromInfo({ context, info, select: also });

/** What a query selects of the rows, and their ids, that a field of the resolved value shows. */
export const selectionBelow = (
  { type }: Pick<Resource, 'type'>,
  field: string,
  context: Context,
  info: GraphQLResolveInfo,
): Selection => queryFromInfo({ context, info, typeName: type, select: { id: true }, paths: [[field]] });

/** What a query selects of a page. */
export const selectionOfPage = (
  { type }: Pick<Resource, 'type'>,
  context: Context,
  info: GraphQLResolveInfo,
): PageSelection => ({
  rows: (select) => queryFromInfo({ context, info, typeName: type, select, paths: [['nodes'], ['edges', 'node']] }),
  has: (field) => isSelected(info, field),
});

/** Loads a row for a field whose parent is not a row. @returns null when the caller cannot access it */
export async function loadRow(
  { model, type }: Pick<Resource, 'model' | 'type'>,
  id: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row | null> {
  const row = await loadTogether(context, `${type} ${fieldPath(info.path)}`, id, async (ids) => {
    const rows = await context.reader.findMany(model, {
      ...queryFromInfo({ context, info, typeName: type, select: { id: true } }),
      as: type,
      where: { id: { in: ids } },
    });
    // A union determines a row's type by its brand, which can be the type's name; its own types say references alone.
    for (const each of rows) brandWithType(each, type as never);
    return new Map(rows.map((each) => [String(each['id']), each]));
  });
  return row ?? null;
}
