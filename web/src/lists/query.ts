/** How a value is shown. `name` is one of the API, such as `IN_PROGRESS`; `long` is text with lines. */
type Kind = 'text' | 'long' | 'name' | 'date' | 'number' | 'amount';

/** A column of a table of rows. */
export interface Column {
  readonly label: string;
  /** The fields that lead from the row to the value, such as `assignee.fullName`. */
  readonly path: string;
  readonly kind: Kind;
}

/** A row of the API: fields by name. */
export type Row = Readonly<Record<string, unknown>>;

/** A column. @param path the fields from the row to the value */
export const column = (label: string, path: string, kind: Kind = 'text'): Column => ({ label, path, kind });

/** What a query selects for columns, such as `title assignee { fullName }`. */
export const selectionOf = (columns: readonly Column[]): string =>
  [...new Set(columns.map(({ path }) => path))]
    .map((path) => path.split('.').reduceRight((inner, field) => (inner ? `${field} { ${inner} }` : field), ''))
    .join(' ');

/** The value of a column; null where the row or one on the way has none. */
export const valueAt = (row: Row, path: string): unknown =>
  path.split('.').reduce<unknown>((value, field) => (value as Row | null | undefined)?.[field] ?? null, row);

/** The address that opens a query in GraphiQL. */
export const graphiqlAddress = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;
