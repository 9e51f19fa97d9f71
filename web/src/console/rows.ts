// The queries of rows, written from definitions.
import { queryOptions } from '@tanstack/react-query';
import { runQuery } from '../api/graphql.ts';
import { ApiError } from '../api/http.ts';
import type { ListSearch } from '../app/search.ts';
import type { Collection, Definition, Field, Input } from './definitions.ts';
import { type Collections, columnsOf, isPlain, listArguments, listQuery, selectionsOf } from './list-query.ts';
import { type Argument, declare, pass, valuesOf } from './operations.ts';
import { titleOf } from './value-text.ts';

/** A row of the API: values by field. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** How many rows of a list are printed. Files have all. */
export const maxPrinted = 1000;

/** The types of rows that fields show: of their own row, and of those that they refer to. */
export const typesOf = (type: string, fields: readonly Pick<Field, 'references'>[]): string[] => [
  type,
  ...fields.flatMap(({ references }) => references ?? []),
];

/** A page of a list. */
export interface RowPage {
  readonly totalCount: number;
  readonly nodes: readonly Row[];
}

/** Some rows of a list. @param offset the number of rows before them */
export function rowsQuery(definition: Definition, state: ListSearch, collections: Collections, offset: number) {
  const { query, variables } = listQuery(definition, state, collections, offset);
  return queryOptions({
    queryKey: ['rows', definition.type, query, variables],
    meta: { types: typesOf(definition.type, columnsOf(definition, state)) },
    queryFn: async ({ signal }) => (await runQuery<{ rows: RowPage }>(query, variables, signal)).rows,
  });
}

/** A query that answers with what the list has, such as for a file. */
export function fileQuery(definition: Definition, state: ListSearch, collections: Collections) {
  const given = listArguments(definition, state);
  const fields = columnsOf(definition, state).filter(isPlain);
  return {
    query: `query List${declare(given)} {
  ${definition.listField}${pass(given)} { nodes { ${selectionsOf(fields, collections)} } }
}`,
    variables: valuesOf(given),
  };
}

/** Whether a part of an address can be the id of a row. */
export const isId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/**
 * One row with all its fields; null if there is none.
 *
 * @param input what the operation takes that changes it: its nested items are read too
 */
export function rowQuery(definition: Definition, id: string, collections: Collections, input: readonly Input[] = []) {
  const items = itemsOf(definition, input);
  const query = `query Row($id: ID!) { row: ${definition.rowField}(id: $id) { ${selectionsOf(definition.fields, collections)} ${items} etag allowedActions } }`;
  return queryOptions({
    queryKey: ['row', definition.type, id, query],
    meta: { types: typesOf(definition.type, definition.fields) },
    queryFn: async ({ signal }) => {
      const found = await runQuery<{ row: Row | null }>(query, { id }, signal).catch(noneOf);
      return found.row;
    },
  });
}

/** A row that is not there is no error of the page. */
function noneOf(error: unknown): { row: null } {
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return { row: null };
  throw error;
}

/** The nested items of a row, as the form that changes them takes them. */
function itemsOf({ fields }: Definition, input: readonly Input[]): string {
  const names = new Set(fields.flatMap(({ name, control }) => (control === 'ITEMS' ? [name] : [])));
  return input
    .filter(({ name, fields: parts }) => names.has(name) && parts.length > 0)
    .map(({ name, fields: parts }) => `${name} { ${parts.map((part) => part.name).join(' ')} }`)
    .join(' ');
}

/** Rows whose name has a text, to refer to. */
export function choicesQuery(target: Collection, search: string) {
  const { listField, titleField, isSearched, type } = target;
  const given: Argument[] = [
    { name: 'first', type: 'Int', value: 20 },
    ...(isSearched && search !== '' ? [{ name: 'search', type: 'String', value: search }] : []),
  ];
  const query = `query Choices${declare(given)} { rows: ${listField}${pass(given)} { nodes { id ${titleField ?? ''} } } }`;
  return queryOptions({
    queryKey: ['choices', type, search],
    queryFn: async ({ signal }) =>
      (await runQuery<{ rows: Pick<RowPage, 'nodes'> }>(query, valuesOf(given), signal)).rows.nodes,
  });
}

/** What people call a row of which only the id is known. */
export function titleQuery(target: Collection | undefined, id: string) {
  const query =
    target && `query Title($id: ID!) { row: ${target.rowField}(id: $id) { id ${target.titleField ?? ''} } }`;
  return queryOptions({
    queryKey: ['title', target?.type, id],
    queryFn: async ({ signal }): Promise<string> =>
      target && query ? titleOf(target, (await runQuery<{ row: Row | null }>(query, { id }, signal)).row) : id,
    staleTime: 60_000,
    enabled: target?.rowField != null,
  });
}

/** A group of a list. */
export interface RowGroup {
  readonly count: number;
  /** Values by field. */
  readonly key: Readonly<Record<string, unknown>>;
}

/** The groups of a list by the values of a field, largest first. */
export function groupsQuery(
  definition: Definition,
  state: ListSearch,
  field: Field | undefined,
  collections: Collections,
) {
  const given = listArguments(definition, { filter: state.filter, search: state.search });
  const target = field?.references ? collections.get(field.references) : undefined;
  const related = field?.relation && target?.titleField ? `${field.relation} { ${target.titleField} }` : '';
  const query = `query Groups${declare(given)} {
  rows: ${definition.listField}${pass(given)} {
    aggregates(first: 30, orderBy: [{ field: "count", direction: DESC }]) { count key { ${field?.name ?? ''} ${related} } }
  }
}`;
  const variables = valuesOf(given);
  return queryOptions({
    queryKey: ['groups', definition.type, query, variables],
    queryFn: async ({ signal }) =>
      (await runQuery<{ rows: { aggregates: readonly RowGroup[] } }>(query, variables, signal)).rows.aggregates,
    enabled: field !== undefined,
  });
}
