import { Checkbox, Skeleton, Table, Text, UnstyledButton } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import {
  createColumnHelper,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  type Updater,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { Link } from '../../app/Link.tsx';
import type { ListSearch } from '../../app/search.ts';
import { useIsPrinting } from '../../components/useIsPrinting.ts';
import { formatNumber } from '../../format.ts';
import { t } from '../../texts/console.ts';
import { useCompany } from '../company.ts';
import { type Definition, type Field, useCollections } from '../definitions.ts';
import { columnsOf, maxPrinted, pageSize, type Row, rowsQuery } from '../rows.ts';
import { isNumeric, Value } from '../values.tsx';

/** The height (px) of a row: all have the same, so that a list of any length scrolls. */
const rowHeight = 40;

const features = tableFeatures({ rowSelectionFeature });
const helper = createColumnHelper<typeof features, Row>();

interface Props {
  readonly definition: Definition;
  readonly state: ListSearch;
  readonly totalCount: number;
  readonly selection: RowSelectionState;
  readonly onSelect?: (change: Updater<RowSelectionState>) => void;
  readonly onSort: (sort: string) => void;
}

/** A table of all rows of a list, of which it reads and shows those in view. */
export function VirtualTable({ definition, state, totalCount, selection, onSelect, onSort }: Props) {
  const collections = useCollections();
  const viewport = useRef<HTMLDivElement>(null);
  // Its functions are called here alone, with each render.
  // eslint-disable-next-line react-hooks/incompatible-library
  const virtualizer = useVirtualizer({
    count: totalCount,
    getScrollElement: () => viewport.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = virtualizer.getVirtualItems();
  const isPrinting = useIsPrinting();
  // Paper does not scroll: it has all rows.
  const indexes = isPrinting
    ? Array.from({ length: Math.min(totalCount, maxPrinted) }, (_, index) => index)
    : items.map(({ index }) => index);
  const [first, last] = [indexes[0] ?? 0, indexes.at(-1) ?? 0];
  const pages = Array.from(
    { length: Math.floor(last / pageSize) - Math.floor(first / pageSize) + 1 },
    (_, n) => Math.floor(first / pageSize) + n,
  );
  const results = useQueries({
    queries: pages.map((page) => rowsQuery(definition, state, collections, page * pageSize)),
  });
  const loaded = new Map(pages.map((page, n) => [page, results[n]?.data?.nodes]));
  const rowAt = (index: number) => loaded.get(Math.floor(index / pageSize))?.[index % pageSize];

  const fields = columnsOf(definition, state);
  const columns = useMemo(
    () =>
      helper.columns(
        columnsOf(definition, state).map((field) => helper.accessor((row) => row[field.name], { id: field.name })),
      ),
    [definition, state],
  );
  const data = indexes.flatMap((index) => rowAt(index) ?? []);
  const table = useTable({
    features,
    columns,
    data,
    getRowId: ({ id }) => id,
    state: { rowSelection: selection },
    ...(onSelect && { onRowSelectionChange: onSelect }),
  });
  const isSelected = (id: string) => selection[id] === true;
  const before = isPrinting ? 0 : (items[0]?.start ?? 0);
  const after = isPrinting ? 0 : virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0);
  const width = fields.length + (onSelect ? 1 : 0);
  const areAllSelected = data.length > 0 && data.every(({ id }) => isSelected(id));
  return (
    // The region scrolls by the keyboard.
    <div ref={viewport} className="rows" role="region" aria-label={definition.plural} tabIndex={0}>
      <Table stickyHeader highlightOnHover layout="auto" aria-rowcount={totalCount + 1} aria-label={definition.plural}>
        <Table.Thead>
          <Table.Tr>
            {onSelect && (
              <Table.Th w={40}>
                <Checkbox
                  size="xs"
                  aria-label={t('selectTheRowsInView')}
                  checked={areAllSelected}
                  indeterminate={!areAllSelected && Object.keys(selection).length > 0}
                  onChange={() => table.toggleAllRowsSelected(!areAllSelected)}
                />
              </Table.Th>
            )}
            {fields.map((field) => (
              <SortableHeader key={field.name} field={field} sort={state.sort} onSort={onSort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Spacer height={before} width={width} />
          {indexes.map((index) => {
            const row = rowAt(index);
            if (isPrinting && !row) return null;
            return (
              <Table.Tr
                key={row?.id ?? index}
                aria-rowindex={index + 2}
                h={rowHeight}
                bg={row && isSelected(row.id) ? 'var(--mantine-primary-color-light)' : undefined}
              >
                {onSelect && (
                  <Table.Td>
                    {row && (
                      <Checkbox
                        size="xs"
                        aria-label={t('selectRow')}
                        checked={isSelected(row.id)}
                        onChange={() => onSelect((chosen) => toggle(chosen, row.id))}
                      />
                    )}
                  </Table.Td>
                )}
                {fields.map((field, place) => (
                  <Table.Td key={field.name} ta={isNumeric(field) ? 'end' : undefined} className="cell">
                    {row ? (
                      <Cell definition={definition} field={field} row={row} isFirst={place === 0} />
                    ) : (
                      <Skeleton h={12} />
                    )}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
          <Spacer height={after} width={width} />
        </Table.Tbody>
      </Table>
      {isPrinting && data.length < totalCount && (
        <Text size="sm">
          {t('countOfTotalCountRowsArePrinted', {
            count: formatNumber(data.length),
            totalCount: formatNumber(totalCount),
          })}
        </Text>
      )}
    </div>
  );
}

/** Selects a row, or no longer. */
function toggle(selection: RowSelectionState, id: string): RowSelectionState {
  const { [id]: wasSelected, ...others } = selection;
  return wasSelected ? others : { ...selection, [id]: true };
}

/** The room of rows that are not in view. */
function Spacer({ height, width }: { readonly height: number; readonly width: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden style={{ height }}>
      <td colSpan={width} style={{ padding: 0 }} />
    </tr>
  );
}

interface CellProps {
  readonly definition: Definition;
  readonly field: Field;
  readonly row: Row;
  readonly isFirst: boolean;
}

/** A value of a row; the first one leads to its page. */
function Cell({ definition: { page, rowField }, field, row, isFirst }: CellProps) {
  const { slug } = useCompany();
  if (!isFirst || !page || !rowField || field.control === 'REFERENCE') return <Value field={field} row={row} />;
  return (
    <Link to="/c/$company/$collection/$id" params={{ company: slug, collection: page, id: row.id }} c="inherit" inherit>
      <Value field={field} row={row} />
    </Link>
  );
}

interface HeaderProps {
  readonly field: Field;
  readonly sort: string | undefined;
  readonly onSort: (sort: string) => void;
}

/** The name of a column, which sorts by it. */
function SortableHeader({ field: { name, label, isSort, ...field }, sort, onSort }: HeaderProps) {
  const isAscending = sort === name;
  const isDescending = sort === `-${name}`;
  const align = isNumeric(field) ? 'end' : undefined;
  const direction = isAscending ? 'ascending' : isDescending ? 'descending' : undefined;
  return (
    <Table.Th scope="col" ta={align} aria-sort={direction}>
      {isSort ? (
        <UnstyledButton fw={700} fz="sm" onClick={() => onSort(isAscending ? `-${name}` : name)}>
          {label} {isAscending ? '↑' : isDescending ? '↓' : ''}
        </UnstyledButton>
      ) : (
        label
      )}
    </Table.Th>
  );
}
