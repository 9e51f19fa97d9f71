import type { ArgBuilder, EnumRef, InputFieldMap, InputFieldRef, ObjectRef } from '@pothos/core';
import { constantCase, plural, words } from '../names.ts';
import type { SchemaBuilder, SchemaTypes } from './builder.ts';
import { type Listing, maxPageSize, type Page } from './lists.ts';
import { columnFacts, type Row } from './model.ts';
import type { ResourceTypes, SchemaKit } from './resource.ts';

/** The types that all lists share. */
export interface SharedListTypes {
  readonly SortOrder: EnumRef<SchemaTypes, string>;
  readonly PageInfo: ObjectRef<SchemaTypes, Page>;
}

/** Creates the types that all lists share. */
export const sharedListTypes = (builder: SchemaBuilder): SharedListTypes => ({
  SortOrder: builder.enumType('SortOrder', {
    description: 'The direction of a sort.',
    values: { ASC: { description: 'Smallest or earliest first.' }, DESC: { description: 'Largest or latest first.' } },
  }),
  PageInfo: builder.objectRef<Page>('PageInfo').implement({
    description: 'Position of a page in a list.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there are more rows after this page.' }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', { description: 'Whether there are rows before this page.' }),
      startCursor: t.string({
        nullable: true,
        description: 'Cursor of the first row.',
        resolve: ({ rows, cursor }) => (rows[0] ? cursor(rows[0]) : null),
      }),
      endCursor: t.string({
        nullable: true,
        description: 'Cursor of the last row. Pass it as `after` to get the next page.',
        resolve: ({ rows, cursor }) => (rows.length > 0 ? cursor(rows[rows.length - 1] as Row) : null),
      }),
    }),
  }),
});

const oneOf = new Intl.ListFormat('en', { type: 'disjunction' });

/** Creates the `filter`, `search`, `sort` and paging arguments of the lists of a type. */
export function listArguments(
  kit: SchemaKit,
  { SortOrder }: SharedListTypes,
  { type, model, columns, search, filters }: Listing,
): ResourceTypes['listArguments'] {
  const sortable = columns.filter((column) => !columnFacts(model, column).list);
  const FilterInput = kit.builder.inputType(`${type}Filter`, {
    description:
      'Rows must match all conditions. Several values for one field match any of them; null matches rows without a value.',
    fields: (t) => {
      const fields: Record<string, InputFieldRef<SchemaTypes, unknown>> = {};
      for (const column of sortable) {
        fields[column] = t.field({ type: [kit.columnType(model, column)], description: `Filter by \`${column}\`.` });
      }
      for (const [name, filter] of Object.entries(filters)) {
        fields[name] =
          typeof filter === 'string'
            ? t.field({ type: [kit.columnType(model, filter)], description: `Another name for \`${filter}\`.` })
            : t.field({ type: filter.list ? [filter.type] : filter.type, description: filter.description });
      }
      return fields;
    },
  });
  const Sort = kit.builder.enumType(`${type}Sort`, {
    description: `Fields to sort ${type} lists by.`,
    values: Object.fromEntries(
      sortable.map((column) => [
        constantCase(column),
        { value: column, description: `Sort by \`${column}\`; nulls last.` },
      ]),
    ),
  });
  return (arg: ArgBuilder<SchemaTypes>, pageSize: number): InputFieldMap => ({
    filter: arg({ type: FilterInput, description: 'Conditions that rows must match.' }),
    ...(search.length > 0 && {
      search: arg.string({ description: `Find text in ${oneOf.format(search)}, ignoring case.` }),
    }),
    sort: arg({ type: Sort, defaultValue: 'createdAt', description: 'Field to sort by. Ties are sorted by id.' }),
    order: arg({ type: SortOrder, defaultValue: 'DESC', description: 'The direction of the sort.' }),
    first: arg.int({ defaultValue: pageSize, description: `Maximum number of rows to return, 1 to ${maxPageSize}.` }),
    after: arg.string({
      description: 'Return the rows after this cursor, which must come from a page with the same sort and order.',
    }),
    offset: arg.int({ defaultValue: 0, description: 'Number of rows to skip.' }),
  });
}

/** Creates the connection type of a row type: `nodes`, `edges`, `pageInfo` and `totalCount`. */
export function connectionType(
  builder: SchemaBuilder,
  { PageInfo }: SharedListTypes,
  type: string,
  ref: ObjectRef<SchemaTypes, unknown>,
): ObjectRef<SchemaTypes, Page> {
  const Edge = builder.objectRef<{ page: Page; row: Row }>(`${type}Edge`).implement({
    description: `A list entry with its cursor.`,
    fields: (t) => ({
      cursor: t.string({
        description: 'Cursor of the row, for `after`.',
        resolve: ({ page, row }) => page.cursor(row),
      }),
      node: t.field({ type: ref, description: `The ${words(type)}.`, resolve: ({ row }) => row }),
    }),
  });
  return builder.objectRef<Page>(`${type}Connection`).implement({
    description: `A page of a list of ${words(plural(type))}.`,
    fields: (t) => ({
      nodes: t.field({ type: [ref], description: 'The rows of this page.', resolve: ({ rows }) => [...rows] }),
      edges: t.field({
        type: [Edge],
        description: 'The rows of this page, each with its cursor.',
        resolve: (page) => page.rows.map((row) => ({ page, row })),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Position of this page in the list.',
        resolve: (page) => page,
      }),
      totalCount: t.int({
        description: 'Number of matching rows on all pages.',
        resolve: (page) => page.total(),
      }),
    }),
  });
}
