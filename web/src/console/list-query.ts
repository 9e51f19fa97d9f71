// The query of a list. It needs no library, so that the first script of a page sends it while the others are loading.
import type { ListSearch } from '../app/search.ts';
import type { Collection, Definition, Field } from './definitions.ts';
import { type Argument, declare, pass, valuesOf } from './operations.ts';

/** How many rows a request for a list asks for: somewhat more than a screen shows. */
export const pageSize = 30;

/** The resources that the person can read, by type. */
export type Collections = ReadonlyMap<string, Collection>;

/** What to select for a field: of a reference also the name of the row, as its resource calls it. */
export function selectionOf({ name, references, relation }: Field, collections: Collections): string {
  const target = references ? collections.get(references) : undefined;
  if (!relation || !target) return name;
  return `${name} ${relation} { id ${target.titleField ?? ''} }`;
}

/** The same for a list, whose fields have the ids of what they refer to: a third of what a list reads would be ids. */
const namedSelectionOf = (field: Field, collections: Collections) => {
  const { titleField } = collections.get(field.references ?? '') ?? {};
  const { name, relation } = field;
  return relation && titleField ? `${name} ${relation} { ${titleField} }` : selectionOf(field, collections);
};

/** The fields whose values a query can select as they are: items have fields of their own. */
export const isPlain = ({ control }: Field) => control !== 'ITEMS';

/** What a query selects of rows: the id, and fields with the names of what they refer to. */
export const selectionsOf = (fields: readonly Field[], collections: Collections) =>
  ['id', ...fields.filter(isPlain).map((field) => selectionOf(field, collections))].join(' ');

/** The columns of a list in their order. */
export const columnsOf = (definition: Definition, { columns = definition.listFields }: ListSearch): Field[] =>
  columns.flatMap((name) => definition.fields.find((field) => field.name === name) ?? []);

/** Whether the person may change several rows at once. */
export const canChangeMany = ({ actions }: Pick<Definition, 'actions'>): boolean =>
  actions.some(({ action, isAllowed }) => /Many$/.test(action) && isAllowed);

/** `createdAt` → `CREATED_AT`, as the API spells the fields that it sorts by. */
const constantCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** The arguments of a list. */
export function listArguments({ type, isSearched }: Collection, { filter, search, sort }: ListSearch): Argument[] {
  const isDescending = sort?.startsWith('-') ?? false;
  const orderBy = sort && [{ field: constantCase(sort.replace(/^-/, '')), direction: isDescending ? 'DESC' : 'ASC' }];
  return [
    { name: 'filter', type: `${type}Filter`, value: filter },
    { name: 'search', type: 'String', value: isSearched ? search : undefined },
    { name: 'orderBy', type: `[${type}Order!]`, value: orderBy },
  ].filter(({ value }) => value !== undefined && value !== '');
}

/** A query with its variables, which finds rows. */
export interface ListQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The query of some rows of a list. @param offset the number of rows before them */
export function listQuery(
  definition: Definition,
  state: ListSearch,
  collections: Collections,
  offset: number,
): ListQuery {
  const given = [
    { name: 'first', type: 'Int', value: pageSize },
    { name: 'offset', type: 'Int', value: offset },
    ...listArguments(definition, state),
  ];
  const columns = columnsOf(definition, state).filter(isPlain);
  const selection = ['id', ...columns.map((field) => namedSelectionOf(field, collections))].join(' ');
  const query = `query List${declare(given)} {
  rows: ${definition.listField}${pass(given)} { totalCount nodes { ${selection} } }
}`;
  return { query, variables: valuesOf(given) };
}
