import type { ArgBuilder, EnumRef, InputFieldMap, ObjectRef } from '@pothos/core';
import type { GroupArguments } from '../aggregate/find.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { defaultSort, type Listing, maxPageSize, type Page } from '../read/lists.ts';
import { yieldBetweenRows } from '../read/turns.ts';
import type { SchemaBuilder, SchemaTypes } from './builder.ts';
import type { ResourceTypes, SchemaKit } from './schema-kit.ts';

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
        description:
          'Cursor of the last row. Pass it as `after`, with the same order, to get the next page. Rows whose sort value changes meanwhile can be missed or repeated, and rows that become visible before the cursor are missed.',
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
  listing: Listing,
): ResourceTypes['listArguments'] {
  const { search } = listing;
  const rows = kit.registry.filterableOf(listing);
  const filter = kit.filterTypes.filter(rows);
  const { sort, order } = kit.orderTypes.of(rows);
  // Every list repeats these descriptions, so they are short. Each has the type of its name in `ListArguments`.
  const fields = (arg: ArgBuilder<SchemaTypes>, pageSize: number): InputFieldMap => ({
    filter: arg({ type: filter, description: 'Conditions on the rows.', extensions: { rest: false } }),
    ...(search.length > 0 && {
      search: arg.string({ description: `Find text in ${oneOf.format(search)}, ignoring case.` }),
    }),
    orderBy: arg({
      type: [order],
      description: 'Keys to sort by; the latest come first by default.',
      extensions: { rest: false },
    }),
    first: arg.int({ defaultValue: pageSize, description: `Maximum number of rows, 1 to ${maxPageSize}.` }),
    after: arg.string({ description: 'Cursor of the row before the page.' }),
    last: arg.int({ description: 'Maximum number of rows from the end.', extensions: { rest: false } }),
    before: arg.string({ description: 'Cursor of the row after the page.', extensions: { rest: false } }),
    offset: arg.int({ defaultValue: 0, description: 'Number of rows to skip.' }),
    sort: arg({
      type: sort,
      defaultValue: defaultSort(listing),
      description: 'Field to sort by. Ties are sorted by `id`.',
      deprecationReason,
    }),
    order: arg({
      type: SortOrder,
      defaultValue: 'DESC',
      description: 'The direction of the sort.',
      deprecationReason,
    }),
  });
  return fields as ResourceTypes['listArguments'];
}

/** Of the arguments for one key, which GraphQL replaced by `orderBy`. REST keeps them. */
const deprecationReason = 'Use orderBy.';

/**
 * Creates the connection type of a row type: `nodes`, `edges`, `pageInfo`, `totalCount` and, of the rows of a resource,
 * `aggregates`.
 */
export function connectionType(
  { builder, groupTypes }: SchemaKit,
  { PageInfo }: SharedListTypes,
  { type, words }: Pick<Listing, 'type' | 'words'>,
  ref: ObjectRef<SchemaTypes, unknown>,
  resource?: Resource,
): ObjectRef<SchemaTypes, Page> {
  const Edge = builder.objectRef<{ page: Page; row: Row }>(`${type}Edge`).implement({
    description: `A list entry with its cursor.`,
    extensions: { isEdge: true },
    fields: (t) => ({
      cursor: t.string({
        description: 'Cursor of the row, for `after`.',
        resolve: ({ page, row }) => page.cursor(row),
      }),
      node: t.field({ type: ref, description: `The ${words.noun}.`, resolve: ({ row }) => row }),
    }),
  });
  return builder.objectRef<Page>(`${type}Connection`).implement({
    description: `A page of a list of ${words.many}.`,
    extensions: { isConnection: true, ...(resource && { readScope: `${resource.scope}:read` }) },
    fields: (t) => ({
      nodes: t.field({
        type: [ref],
        description: 'The rows of this page.',
        resolve: ({ rows }) => yieldBetweenRows(rows.length, [...rows]),
      }),
      edges: t.field({
        type: [Edge],
        description: 'The rows of this page, each with its cursor.',
        resolve: (page) =>
          yieldBetweenRows(
            page.rows.length,
            page.rows.map((row) => ({ page, row })),
          ),
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
      ...(resource && {
        aggregates: t.field({
          type: [groupTypes.group(resource)],
          nullable: true,
          description: 'Groups and measures of all matching rows, not of this page alone.',
          args: groupTypes.arguments(t.arg),
          extensions: { aggregates: true },
          resolve: (page, args, context, info) => page.groups?.(args as GroupArguments, context, info),
        }),
      }),
    }),
  });
}
