import type { ResourceWords } from '../api/meta.ts';

/** What a table shows of rows: the name of a field, or one of these. */
export type Shown = string | ShownValue;

/** A value that the name of a field does not tell. */
interface ShownValue {
  readonly field: string;
  /** The fields that lead from the row to the value, such as `assignee.fullName` of the field `assignedTo`. */
  readonly path?: string;
  /** Whether it is an amount of money, which the API has as any number. */
  readonly isAmount?: boolean;
}

/** The name of the row that a field refers to. @param path the fields that lead to it */
export const related = (field: string, path: string): ShownValue => ({ field, path });

/** An amount of money in the company's currency. */
export const amount = (field: string): ShownValue => ({ field, isAmount: true });

/** A column of a table of rows, with what the API says about it. */
export interface Column {
  readonly label: string;
  /** The fields that lead from the row to the value. */
  readonly path: string;
  /** The control of a form for such values. */
  readonly control: ResourceWords['fields'][number]['control'] | 'AMOUNT';
  /** The GraphQL type of the values. */
  readonly type: string;
}

/** A row of the API: fields by name. */
export type Row = Readonly<Record<string, unknown>>;

const valueOf = (shown: Shown): ShownValue => (typeof shown === 'string' ? { field: shown } : shown);

/** The columns that show values of rows. */
export const columnsOf = ({ fields }: ResourceWords, shown: readonly Shown[]): Column[] =>
  shown.map(valueOf).flatMap(({ field, path = field, isAmount }) => {
    const found = fields.find(({ name }) => name === field);
    return found ? [{ ...found, path, ...(isAmount && { control: 'AMOUNT' as const }) }] : [];
  });

/** What a query selects for values, such as `title assignee { fullName }`. */
export const selectionOf = (shown: readonly Shown[]): string =>
  shown
    .map(valueOf)
    .map(({ field, path = field }) =>
      path.split('.').reduceRight((inner, name) => (inner ? `${name} { ${inner} }` : name), ''),
    )
    .join(' ');

/** The value of a column; null where the row or one on the way has none. */
export const valueAt = (row: Row, path: string): unknown =>
  path.split('.').reduce<unknown>((value, field) => (value as Row | null | undefined)?.[field] ?? null, row);

/** The address that opens a query in GraphiQL. */
export const graphiqlAddress = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;
