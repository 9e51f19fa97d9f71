// What addresses say about a page after the question mark.

/** Conditions in the grammar of lists: by field, or joined by `and`, `or` and `not`. */
export type Filter = Readonly<Record<string, unknown>>;

/** The state of a list, which its address has: what is left out is as the resource has it. */
export interface ListSearch {
  readonly search?: string;
  readonly filter?: Filter;
  /** The field to sort by; `-` before it for descending. */
  readonly sort?: string;
  /** The field by whose values rows are grouped. */
  readonly group?: string;
  /** The columns, in their order. */
  readonly columns?: readonly string[];
}

/** The tab of a row's page. */
export interface RowSearch {
  readonly tab?: string;
}

const isObject = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Leaves out what is not set, so that addresses stay short. */
const given = <T extends object>(values: { readonly [Key in keyof T]: T[Key] | undefined }) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;

/** Reads the state of a list; what is none is left out. */
export function parseListSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  const { filter, columns } = search;
  const names = Array.isArray(columns) ? columns.filter((name) => typeof name === 'string') : [];
  return given<ListSearch>({
    // The router reads `?search=12` as a number.
    search: typeof search['search'] === 'number' ? String(search['search']) : textIn(search['search']),
    filter: isObject(filter) && Object.keys(filter).length > 0 ? filter : undefined,
    sort: textIn(search['sort']),
    group: textIn(search['group']),
    columns: names.length > 0 ? names : undefined,
  });
}

/** Reads the tab of a row's page. */
export const parseRowSearch = (search: Readonly<Record<string, unknown>>): RowSearch =>
  given<RowSearch>({ tab: textIn(search['tab']) });

/** The row that a new row belongs to. */
export interface CreateSearch {
  readonly parent?: string;
}

/** Reads the row that a new row belongs to. */
export const parseCreateSearch = (search: Readonly<Record<string, unknown>>): CreateSearch =>
  given<CreateSearch>({ parent: textIn(search['parent']) });
