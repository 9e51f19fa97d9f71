import { Table } from '@mantine/core';
import type { Meta } from '../api/meta.ts';
import { PageLink } from '../app/Link.tsx';
import { useMeta } from '../components/useMeta.ts';
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
  const meta = useMeta();
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
                      <PageLink to={pathOf(row)}>{formatValue(row, column, currency, meta)}</PageLink>
                    ) : (
                      formatValue(row, column, currency, meta)
                    )}
                  </Table.Th>
                ) : (
                  <Table.Td key={column.path} ta={alignOf(column)} className={classOf(column)}>
                    {formatValue(row, column, currency, meta)}
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

const isNumber = ({ control }: Column) => control === 'NUMBER' || control === 'AMOUNT';

const alignOf = (column: Column) => (isNumber(column) ? 'end' : undefined);

/** The class of a cell: what is shown on one line, and what has lines of its own. */
export const classOf = (column: Column): string | undefined =>
  column.control === 'LONG_TEXT' ? 'long' : isNumber(column) || /^DATE/.test(column.control) ? 'number' : undefined;

/** The text of a value. */
export function formatValue(row: Row, { path, control, type }: Column, currency: string, meta: Meta): string {
  const value = valueAt(row, path);
  if (value === null || value === '') return '–';
  const text = `${value as string | number}`;
  if (control === 'AMOUNT') return formatAmount(Number(value), currency);
  if (control === 'NUMBER') return formatNumber(Number(value));
  if (control === 'CHOICE') return meta.label(type, text);
  if (control === 'DATE') return formatDate(text);
  return control === 'DATE_TIME' ? formatTime(text) : text;
}
