/** How a value is shown. `choice` is one of an enum; `long` is text with lines. */
type Kind = 'text' | 'long' | 'choice' | 'date' | 'number' | 'amount';

/** A column of a table of rows. */
export interface Column {
  readonly label: string;
  /** The fields that lead from the row to the value, such as `assignee.fullName`. */
  readonly path: string;
  readonly kind: Kind;
  /** The enum of a choice. */
  readonly of?: string;
}

/** A row of the API: fields by name. */
export type Row = Readonly<Record<string, unknown>>;

/** A column. @param path the fields from the row to the value */
export const column = (label: string, path: string, kind: Kind = 'text'): Column => ({ label, path, kind });

/** A column of values of an enum. */
export const choice = (label: string, path: string, of: string): Column => ({ label, path, kind: 'choice', of });

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
