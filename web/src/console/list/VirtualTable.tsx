import { Text, UnstyledButton } from '@mantine/core';
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
import { memo, useMemo, useRef } from 'react';
import { Link } from '../../app/Link.tsx';
import type { ListSearch } from '../../app/search.ts';
import { useIsPrinting } from '../../components/useIsPrinting.ts';
import { formatNumber } from '../../format.ts';
import { t } from '../../texts/console.ts';
import { useCompany } from '../company.ts';
import { type Definition, type Field, useCollections } from '../definitions.ts';
import { columnsOf, pageSize } from '../list-query.ts';
import { maxPrinted, type Row, rowsQuery } from '../rows.ts';
import { isNumeric } from '../value-text.ts';
import { Value } from '../values.tsx';

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

  const fields = useFields(definition, state);
  const columns = useMemo(
    () => helper.columns(fields.map((field) => helper.accessor((row) => row[field.name], { id: field.name }))),
    [fields],
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
      {/* Without the components of Mantine: a list that scrolls shows thousands of cells a second. */}
      <table aria-rowcount={totalCount + 1} aria-label={definition.plural}>
        <thead>
          <tr>
            {onSelect && (
              <th className="choice-cell">
                <input
                  type="checkbox"
                  aria-label={t('selectTheRowsInView')}
                  checked={areAllSelected}
                  ref={(box) => {
                    if (box) box.indeterminate = !areAllSelected && Object.keys(selection).length > 0;
                  }}
                  onChange={() => table.toggleAllRowsSelected(!areAllSelected)}
                />
              </th>
            )}
            {fields.map((field) => (
              <SortableHeader key={field.name} field={field} sort={state.sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={before} width={width} />
          {indexes.map((index) => {
            const row = rowAt(index);
            if (isPrinting && !row) return null;
            return (
              <TableRow
                key={row?.id ?? index}
                index={index}
                row={row}
                definition={definition}
                fields={fields}
                isSelected={row !== undefined && isSelected(row.id)}
                onSelect={onSelect}
              />
            );
          })}
          <Spacer height={after} width={width} />
        </tbody>
      </table>
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

/** The fields that are columns, the same array until the columns change. */
function useFields(definition: Definition, { columns }: ListSearch): readonly Field[] {
  // What the address says is read anew with each change of it.
  const names = columns?.join(' ');
  return useMemo(
    () => columnsOf(definition, names === undefined ? {} : { columns: names.split(' ') }),
    [definition, names],
  );
}

interface RowProps {
  readonly index: number;
  /** Undefined while it is loading. */
  readonly row: Row | undefined;
  readonly definition: Definition;
  readonly fields: readonly Field[];
  readonly isSelected: boolean;
  readonly onSelect: ((change: Updater<RowSelectionState>) => void) | undefined;
}

/** A row of the table. It stays as it is while others come and go. */
const TableRow = memo(function TableRow({ index, row, definition, fields, isSelected, onSelect }: RowProps) {
  return (
    <tr aria-rowindex={index + 2} style={{ height: rowHeight }} className={isSelected ? 'selected' : undefined}>
      {onSelect && (
        <td className="choice-cell">
          {row && (
            <input
              type="checkbox"
              aria-label={t('selectRow')}
              checked={isSelected}
              onChange={() => onSelect((chosen) => toggle(chosen, row.id))}
            />
          )}
        </td>
      )}
      {fields.map((field, place) => (
        <td key={field.name} className={isNumeric(field) ? 'cell at-end' : 'cell'}>
          {row ? (
            <Cell definition={definition} field={field} row={row} isFirst={place === 0} />
          ) : (
            <span className="waiting" />
          )}
        </td>
      ))}
    </tr>
  );
});

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
  const direction = isAscending ? 'ascending' : isDescending ? 'descending' : undefined;
  return (
    <th scope="col" className={isNumeric(field) ? 'at-end' : undefined} aria-sort={direction}>
      {isSort ? (
        <UnstyledButton fw={700} fz="sm" onClick={() => onSort(isAscending ? `-${name}` : name)}>
          {label} {isAscending ? '↑' : isDescending ? '↓' : ''}
        </UnstyledButton>
      ) : (
        label
      )}
    </th>
  );
}
