import { Anchor, Table } from '@mantine/core';
import { useWords, type Words } from '../components/useWords.ts';
import { formatAmount, formatDate, formatNumber, formatTime } from '../format.ts';
import { type Column, type Row, valueAt } from './query.ts';

interface Props {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly currency: string;
  /** The address of a row's page, to which its first cell leads. */
  readonly pathOf?: (row: Row) => string;
}

/** A table of rows, which scrolls sideways where it does not fit. */
export function RowTable({ label, columns, rows, currency, pathOf }: Props) {
  const words = useWords();
  return (
    <Table.ScrollContainer
      minWidth={480}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label } }}
    >
      <Table aria-label={label} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.path} scope="col" ta={alignOf(column)}>
                {column.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            // Rows are only added, at the end.
            <Table.Tr key={index}>
              {columns.map((column, place) =>
                place === 0 ? (
                  <Table.Th key={column.path} scope="row" fw={400}>
                    {pathOf ? (
                      <Anchor href={pathOf(row)}>{formatValue(row, column, currency, words)}</Anchor>
                    ) : (
                      formatValue(row, column, currency, words)
                    )}
                  </Table.Th>
                ) : (
                  <Table.Td key={column.path} ta={alignOf(column)} className={classOf(column)}>
                    {formatValue(row, column, currency, words)}
                  </Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const alignOf = ({ kind }: Column) => (kind === 'number' || kind === 'amount' ? 'end' : undefined);

/** The class of a cell: what is shown on one line, and what has lines of its own. */
export const classOf = ({ kind }: Column): string | undefined =>
  kind === 'long' ? 'long' : ['number', 'amount', 'date'].includes(kind) ? 'number' : undefined;

/** The text of a value. */
export function formatValue(row: Row, { path, kind, of = '' }: Column, currency: string, words: Words): string {
  const value = valueAt(row, path);
  if (value === null || value === '') return '–';
  const text = `${value as string | number}`;
  if (kind === 'amount') return formatAmount(Number(value), currency);
  if (kind === 'number') return formatNumber(Number(value));
  if (kind === 'choice') return words(of, text);
  // A calendar date, or a time.
  if (kind === 'date') return text.length === 10 ? formatDate(text) : formatTime(text);
  return text;
}
