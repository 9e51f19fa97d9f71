import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from '../app/Link.tsx';
import { useCompany } from '../console/company.ts';
import type { Definition } from '../console/definitions.ts';
import { formatNumber } from '../format.ts';
import { t } from '../texts/answers.ts';
import { rowsOf, type Source } from './links.ts';
import type { Column, Part } from './parts.ts';
import type { TextOf } from './plain-text.ts';

/** How many rows a table shows; files have all. */
const maxRows = 500;

export interface ResultProps {
  readonly part: Part;
  readonly source: Source | undefined;
  /** What the API says about the list that the part comes from. */
  readonly definition: Definition | undefined;
  readonly textOf: TextOf;
}

/** The rows of a part. Figures of groups lead to the rows that they count, and rows with an id to their pages. */
export function ResultTable({ part, ...props }: ResultProps) {
  const { columns, rows, label } = part;
  const shown = columns.filter(({ place }) => !isIdBeside(place, columns));
  return (
    <>
      <Table.ScrollContainer
        minWidth={Math.min(shown.length * 110, 900)}
        maxHeight={480}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t('labelTable', { label }) } }}
      >
        <Table aria-label={label} verticalSpacing={4} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              {shown.map((column) => (
                <Table.Th key={column.place} scope="col" ta={column.isMeasure ? 'end' : 'start'}>
                  {column.label}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, maxRows).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are never reordered
              <Table.Tr key={index}>
                {shown.map((column, at) => (
                  <Table.Td
                    key={column.place}
                    ta={column.isMeasure ? 'end' : 'start'}
                    className={column.isMeasure ? 'number' : 'long'}
                  >
                    <Cell {...props} part={part} row={row} column={column} isFirst={at === 0} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length === 0 && <Text c="dimmed">{t('nothingMatches')}</Text>}
      {rows.length > maxRows && (
        <Text size="sm">
          {t('theFirstMaxRowsOfCountDownload', { maxRows: formatNumber(maxRows), count: formatNumber(rows.length) })}
        </Text>
      )}
    </>
  );
}

/** Ids beside other columns of the same row say nothing to people. */
const isIdBeside = (place: string, columns: readonly Column[]) =>
  /(^|\.)id$/.test(place) &&
  columns.some((other) => other.place !== place && other.place.startsWith(place.slice(0, -2)));

interface CellProps extends ResultProps {
  readonly row: Part['rows'][number];
  readonly column: Column;
  readonly isFirst: boolean;
}

function Cell({ part, source, definition, textOf, row, column, isFirst }: CellProps): ReactNode {
  const { slug } = useCompany();
  const text = textOf(column, row[column.place]);
  const page = definition?.page;
  const { id } = row;
  if (isFirst && !part.isGroups && page && definition.rowField && typeof id === 'string')
    return (
      <Link inherit to="/c/$company/$collection/$id" params={{ company: slug, collection: page, id }}>
        {text}
      </Link>
    );
  return (
    <FigureLink source={source} definition={definition} row={row} column={column} name={text}>
      {text}
    </FigureLink>
  );
}

interface FigureLinkProps extends Pick<CellProps, 'source' | 'definition' | 'row' | 'column'> {
  /** What the figure says. */
  readonly name: string;
  readonly children: ReactNode;
}

/** A figure, which leads to the rows that it counts where a filter of their list can say which. */
export function FigureLink({ source, definition, row, column, name, children }: FigureLinkProps): ReactNode {
  const { slug, time_zone } = useCompany();
  const page = definition?.page;
  const search =
    source && page && column.isMeasure ? rowsOf(source, row, column.place, definition, time_zone) : undefined;
  if (!page || !search || typeof row[column.place] !== 'number') return children;
  return (
    <Link
      inherit
      to="/c/$company/$collection"
      params={{ company: slug, collection: page }}
      search={search}
      aria-label={t('labelNameShowTheRows', { label: column.label, name })}
    >
      {children}
    </Link>
  );
}
