// Rows of a file that are one new row together: further ones have items of its lists.

import { textOf } from './cells.ts';
import type { ColumnMap, ImportColumn } from './columns.ts';
import { type Cell, cellAt, type FileRow, type FileTable, maxRowLength, maxRowsBelow } from './table.ts';
import type { ImportTarget } from './target.ts';

/** Reads the rows of a file, each with the further ones that have its items. */
export async function* readRecords(
  table: Pick<FileTable, 'rows'>,
  map: ColumnMap,
  target: ImportTarget,
): AsyncGenerator<FileRow> {
  if (map.lists.every(({ columns }) => columns.length === 0)) {
    yield* table.rows();
    return;
  }
  const records = new Records(map, target);
  for await (const row of table.rows()) {
    const whole = records.take(row);
    if (whole) yield whole;
  }
  const last = records.end();
  if (last) yield last;
}

/** A row, and what has been found to follow it. */
interface Open {
  readonly row: FileRow;
  readonly further: FileRow[];
  /** The characters of all of its rows. */
  length: number;
  error?: string;
}

class Records {
  private readonly own: readonly ImportColumn[];
  private readonly items: readonly ImportColumn[];
  /** The columns by which rows are known to be of one new row: a key, or all of its own. */
  private readonly keys: readonly (readonly ImportColumn[])[];
  private open: Open | undefined;

  constructor({ columns, lists }: ColumnMap, { resource, key }: ImportTarget) {
    this.own = columns;
    this.items = lists.flatMap((list) => list.columns);
    const find = (name: string) => columns.find(({ field }) => field.name === name);
    const keys = [['id'], ...(key ? [key] : []), ...Object.values(resource.uniques)]
      .map((names) => names.map(find))
      .filter((found): found is ImportColumn[] => found.length > 0 && found.every((each) => each !== undefined));
    this.keys = keys.length > 0 ? keys : [columns];
  }

  /** @returns the row before, once another one begins */
  take(row: FileRow): FileRow | undefined {
    const { open } = this;
    if (open && this.isFurther(row, open)) {
      this.add(row, open);
      return undefined;
    }
    this.open = { row, further: [], length: lengthOf(row) };
    return open && whole(open);
  }

  end(): FileRow | undefined {
    return this.open && whole(this.open);
  }

  private isFurther(row: FileRow, { row: first }: Open): boolean {
    if (row.error !== undefined || !this.items.some((column) => textAt(row, column) !== '')) return false;
    if (this.own.every((column) => textAt(row, column) === '')) return this.own.length > 0;
    return this.keys.some((columns) =>
      columns.every((column) => {
        const text = textAt(row, column);
        return text === textAt(first, column) && (text !== '' || columns === this.own);
      }),
    );
  }

  private add(row: FileRow, open: Open): void {
    const other = this.own.find((column) => {
      const text = textAt(row, column);
      return text !== '' && text !== textAt(open.row, column);
    });
    if (other) open.error ??= `${other.header} in line ${row.line}: must be empty, or as in line ${open.row.line}`;
    open.length += lengthOf(row);
    if (open.further.length >= maxRowsBelow) open.error ??= `has more than ${maxRowsBelow} rows of items`;
    else if (open.length > maxRowLength) open.error ??= `has more than ${maxRowLength} characters with its items`;
    else open.further.push(row);
  }
}

const textAt = (row: FileRow, { at }: Pick<ImportColumn, 'at'>): string => textOf(cellAt(row, at)).trim();

const whole = ({ row, further, error }: Open): FileRow => {
  if (further.length === 0 && error === undefined) return row;
  return { ...row, further, ...(error !== undefined && row.error === undefined && { error }) };
};

const lengthOf = ({ cells }: FileRow): number => cells.reduce((sum, cell) => sum + cellLength(cell), 0);

/** How many characters a cell has, about. */
export function cellLength(cell: Cell): number {
  if (cell === null) return 0;
  if ('text' in cell) return cell.text.length;
  return 'json' in cell ? jsonLength(cell.json) : 10;
}

const jsonLength = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 10;
  return Object.entries(value).reduce((sum, [name, member]) => sum + name.length + jsonLength(member), 0);
};
