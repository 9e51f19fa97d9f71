import type { ArgBuilder, EnumRef, InputFieldMap, ObjectRef } from '@pothos/core';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import type { SearchMatch } from '../definition/searched-content.ts';
import { defaultSort, type Listing, maxPageSize, type Page } from '../read/lists.ts';
import { yieldBetweenRows } from '../read/turns.ts';
import type { SchemaBuilder, SchemaTypes } from './builder.ts';
import { readBy } from './resource-type.ts';
import type { ResourceTypes, SchemaKit } from './schema-kit.ts';

/** The types that all lists share. */
export interface SharedListTypes {
  readonly SortOrder: EnumRef<SchemaTypes, string>;
  readonly PageInfo: ObjectRef<SchemaTypes, Page>;
  readonly SearchMatch: ObjectRef<SchemaTypes, SearchMatch>;
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
  SearchMatch: builder.objectRef<SearchMatch>('SearchMatch').implement({
    description: 'Where the content of a row has the words of a search.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the row.' }),
      page: t.exposeInt('page', { nullable: true, description: 'Number of the page, if it has one.' }),
      text: t.exposeString('text', { description: 'The words, with some around them.' }),
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
  const { search, content } = listing;
  const searched = content ? [...search, content.words] : search;
  const rows = kit.registry.filterableOf(listing);
  const filter = kit.filterTypes.filter(rows);
  const { sort, order } = kit.orderTypes.of(rows);
  // Every list repeats these descriptions, so they are short. Each has the type of its name in `ListArguments`.
  const fields = (arg: ArgBuilder<SchemaTypes>, pageSize: number): InputFieldMap => ({
    filter: arg({ type: filter, description: 'Filter.', extensions: { rest: false } }),
    ...(search.length > 0 && {
      search: arg.string({ description: `Find text in ${oneOf.format(searched)}, ignoring case.` }),
    }),
    orderBy: arg({
      type: [order],
      description: 'Order; latest first by default.',
      extensions: { rest: false },
    }),
    first: arg.int({ defaultValue: pageSize, description: `1 to ${maxPageSize} rows.` }),
    after: arg.string({ description: 'Cursor before the page.' }),
    last: arg.int({ description: 'Rows from the end.', extensions: { rest: false } }),
    before: arg.string({ description: 'Cursor after the page.', extensions: { rest: false } }),
    offset: arg.int({ defaultValue: 0, description: 'Rows to skip.' }),
    sort: arg({
      type: sort,
      defaultValue: defaultSort(listing),
      description: 'Field; ties by `id`.',
      deprecationReason,
    }),
    order: arg({
      type: SortOrder,
      defaultValue: 'DESC',
      description: 'Its direction.',
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
  { PageInfo, SearchMatch }: SharedListTypes,
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
    extensions: { isConnection: true, ...(resource && readBy(resource)) },
    fields: (t) => ({
      nodes: t.field({
        type: [ref],
        description: 'The rows of this page.',
        resolve: ({ rows }) => yieldBetweenRows(rows.length, [...rows]),
      }),
      edges: t.field({
        type: [Edge],
        description: 'Rows with their cursors.',
        resolve: (page) =>
          yieldBetweenRows(
            page.rows.length,
            page.rows.map((row) => ({ page, row })),
          ),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Position of the page.',
        resolve: (page) => page,
      }),
      totalCount: t.int({
        description: 'Number of matching rows.',
        resolve: (page) => page.total(),
      }),
      ...(resource?.content && {
        matches: t.field({
          type: [SearchMatch],
          nullable: true,
          description: 'Where the content of the rows of this page has the words of `search`.',
          resolve: (page) => page.matches?.(),
        }),
      }),
      ...(resource && {
        aggregates: t.field({
          type: [groupTypes.group(resource)],
          nullable: true,
          description: 'Groups and measures of the rows.',
          args: groupTypes.arguments(t.arg, resource),
          extensions: { aggregates: true },
          async resolve(page, args, context, info) {
            const groups = await page.groups?.(args, context, info);
            if (!context.takeGroups || !groups) return groups;
            context.takeGroups(groups);
            return [];
          },
        }),
      }),
    }),
  });
}
