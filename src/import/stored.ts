// An import that is stored: what its person said, and what was found out.
import type { Import } from '../database/generated/client/client.ts';
import { notFound, validationError } from '../errors.ts';
import type { Api, Resource } from '../resource/index.ts';
import { textOf } from './cells.ts';
import { assertWritable, type ColumnMap, keyOf, type Mapping } from './columns.ts';
import type { Conventions, DateOrder, Decimals } from './conventions.ts';
import type { PreparedImport } from './prepare.ts';
import type { Format, ReadOptions, Separator } from './table.ts';
import type { ImportTarget, Mode } from './target.ts';

/** What the person who makes an import says about it. */
export interface ImportOptions {
  readonly mode: Mode;
  /** The fields that name a stored row, separated by commas; the id by default. */
  readonly key?: string | undefined;
  /** Whether rows that are refused keep the others from being written. */
  readonly handling: 'strict' | 'lenient';
  /** Whether it goes on by itself once it was checked. */
  readonly autoStart: boolean;
  readonly decimal?: Decimals | undefined;
  readonly dateOrder?: DateOrder | undefined;
  readonly separator?: Separator | undefined;
  readonly encoding?: string | undefined;
  readonly mapping?: Mapping | undefined;
}

/** A column as it is read, with its first values. */
export interface FoundColumn {
  /** From 1. */
  readonly position: number;
  readonly header: string;
  /** The field; null where the column is not read. */
  readonly field: string | null;
  /** The field of the row that it refers to, where the column names one. */
  readonly by: string | null;
  readonly examples: readonly string[];
}

/** What was found out about a file. */
export interface Found {
  /** How many rows it has; null where it was refused before they were counted. */
  readonly rows: number | null;
  readonly format: Format;
  readonly encoding: string | null;
  readonly separator: Separator | null;
  readonly sheet: string | null;
  readonly decimal: Decimals | null;
  readonly dateOrder: DateOrder | null;
  readonly columns: readonly FoundColumn[];
}

/** A row that was refused. */
export interface Refused {
  readonly line: number;
  readonly errors: readonly string[];
}

/** Rows that were not taken back: how many, and the first of them. */
export interface Kept {
  readonly count: number;
  readonly rows: readonly { readonly table: string; readonly rowId: string; readonly reason: 'changed' | 'referred' }[];
}

/** Why an import failed. */
export interface ImportError {
  readonly message: string;
  readonly details?: Readonly<Record<string, string>> | undefined;
}

/** How many refused rows, and rows that were kept, an import has itself; a file has all that were refused. */
export const maxShown = 100;

/** How many values of a column are shown, and how long they are. */
const shownValues = 5;
const shownLength = 100;

/** An import whose JSON is typed: it is written by this folder alone. */
export interface StoredImport extends Omit<Import, 'options' | 'found' | 'refusals' | 'kept' | 'error'> {
  readonly options: ImportOptions;
  readonly found: Found | null;
  readonly refusals: readonly Refused[];
  readonly kept: Kept | null;
  readonly error: ImportError | null;
}

/** An import with its JSON as it was written. */
export const storedImport = (row: Import): StoredImport => row as unknown as StoredImport;

/** Finds the resource of an import. @throws ServiceError NOT_FOUND for one that this build does not have */
export function resourceOfType(type: string, { resources }: Pick<Api, 'resources'>): Resource {
  const found = resources.find((each) => each.type === type);
  if (!found) throw notFound('resource');
  return found;
}

/** What rows an import writes, and by which key. @throws ServiceError VALIDATION_ERROR */
export function targetOf(resource: Resource, { mode, key }: Pick<ImportOptions, 'mode' | 'key'>): ImportTarget {
  if (key !== undefined && mode === 'insert') throw validationError({ key: 'is only for the modes update and upsert' });
  assertWritable({ resource, mode });
  return { resource, mode, key: key === undefined ? undefined : keyOf(resource, key) };
}

/** A file whose columns are known, and as much more about it as is. */
type DescribedFile = Pick<PreparedImport, 'table' | 'map'> & Partial<Pick<PreparedImport, 'rows' | 'detected'>>;

/** Describes a file, with the first values of its columns. */
export async function describeFile({ table, map, rows, detected }: DescribedFile): Promise<Found> {
  const values = table.header.map((): string[] => []);
  let read = 0;
  for await (const { cells } of table.rows()) {
    for (const [at, examples] of values.entries()) {
      const text = textOf(cells[at] ?? null).slice(0, shownLength);
      if (text !== '') examples.push(text);
    }
    read += 1;
    if (read === shownValues) break;
  }
  const {
    format,
    encoding = null,
    separator = null,
    sheet = null,
    decimal = null,
    dateOrder = null,
  } = { ...table.detected, ...detected };
  const columns = table.header.map((header, at): FoundColumn => {
    const column = map.columns.find((each) => each.at === at);
    const field = column?.field.name ?? (map.etagAt === at ? 'etag' : null);
    const item = itemColumn(map, at);
    const by = column?.by ?? item?.by ?? null;
    return { position: at + 1, header, field: field ?? item?.field ?? null, by, examples: values[at] ?? [] };
  });
  return { rows: rows ?? null, format, encoding, separator, sheet, decimal, dateOrder, columns };
}

/** What was found out about a file, as a client would say it. */
export const knownOf = ({ format, encoding, separator, decimal, dateOrder }: Found): ReadOptions & Conventions => ({
  format,
  encoding: encoding ?? undefined,
  separator: separator ?? undefined,
  decimal: decimal ?? undefined,
  dateOrder: dateOrder ?? undefined,
});

/** The list of a column, and its field: `lineItems.quantity`. */
function itemColumn({ lists }: ColumnMap, at: number): { readonly field: string; readonly by?: string } | undefined {
  for (const { list, columns, whole } of lists) {
    if (whole?.at === at) return { field: list.relation };
    const column = columns.find((each) => each.at === at);
    if (column) return { field: `${list.relation}.${column.field.name}`, ...(column.by && { by: column.by }) };
  }
  return undefined;
}
