// Reads a whole file once before its rows are written: how many there are, and how it writes numbers and days.
import { setImmediate } from 'node:timers/promises';
import { type FieldErrors, validationError } from '../errors.ts';
import { survey, textOf } from './cells.ts';
import { assertColumns, type ColumnMap, findColumns, type Mapping } from './columns.ts';
import { type Conventions, type DateOrder, type Decimals, dateOrders, decimals, Survey } from './conventions.ts';
import { openTable } from './open.ts';
import { readRecords } from './records.ts';
import type { RowOptions } from './rows.ts';
import type { ByteSource } from './source.ts';
import { cellAt, type Detected, type FileTable, maxRows, type ReadOptions, refuseFile } from './table.ts';
import type { ImportApi, ImportTarget } from './target.ts';

/** What a client says about a file. */
export interface FileOptions extends ReadOptions, Conventions {
  readonly mapping?: Mapping | undefined;
}

/** A file whose rows can be written. */
export interface PreparedImport extends RowOptions {
  readonly table: FileTable;
  /** What was found out about it, or told. */
  readonly detected: Detected & Conventions;
  readonly map: ColumnMap;
  /** How many rows it has, without those that have further items of another. */
  readonly rows: number;
}

/** Where rows are written, and the clock that their times are of. */
interface ReadFor {
  readonly api: ImportApi;
  readonly timeZone: string;
}

/** Takes the columns before anything about them is refused, so that people see what they have to say about them. */
export type OnColumns = (file: Pick<PreparedImport, 'table' | 'map'>) => Promise<void>;

/** How many rows are looked at before others have their turn. */
const rowsAtOnce = 1000;

/**
 * Opens a file, and finds out what it is.
 *
 * @throws ServiceError VALIDATION_ERROR for a file that cannot be read, or that can be read in two ways
 */
export async function prepareImport(
  source: ByteSource,
  target: ImportTarget,
  options: FileOptions,
  { api, timeZone, onColumns }: ReadFor & { readonly onColumns?: OnColumns },
): Promise<PreparedImport> {
  const table = await openTable(source, options);
  const columns = findColumns(target, api, table.header, options.mapping);
  const { map } = columns;
  await onColumns?.({ table, map });
  assertColumns(target, columns);
  const { rows, ...conventions } = await surveyRows(table, map, target, options);
  const detected = { ...table.detected, ...conventions };
  return { table, map, rows, target, api, cells: { ...conventions, timeZone }, detected };
}

/** Opens a file that was prepared before, by what was found out then: its rows are not read once more. */
export async function reopenImport(
  source: ByteSource,
  target: ImportTarget,
  { rows, ...found }: FileOptions & { readonly rows: number },
  { api, timeZone }: ReadFor,
): Promise<PreparedImport> {
  const table = await openTable(source, found);
  const columns = findColumns(target, api, table.header, found.mapping);
  assertColumns(target, columns);
  const { map } = columns;
  const conventions: Conventions = { decimal: found.decimal, dateOrder: found.dateOrder };
  const detected = { ...table.detected, ...conventions };
  return { table, map, rows, target, api, cells: { ...conventions, timeZone }, detected };
}

/** Counts the rows, and finds out how they write numbers and days. */
async function surveyRows(
  table: FileTable,
  map: ColumnMap,
  target: ImportTarget,
  options: Conventions,
): Promise<Conventions & { readonly rows: number }> {
  const surveys = { decimal: new Survey<Decimals>(), dateOrder: new Survey<DateOrder>() };
  let [rows, lines] = [0, 0];
  for await (const row of readRecords(table, map, target)) {
    rows += 1;
    for (const each of [row, ...(row.further ?? [])]) {
      lines += 1;
      if (lines > maxRows) throw refuseFile(`has more than ${maxRows} rows`);
      for (const { at, field, header } of columnsOf(map)) {
        const cell = cellAt(each, at);
        survey(cell, field, surveys, () => `"${textOf(cell).slice(0, 40)}" (${header}, line ${each.line})`);
      }
      if (lines % rowsAtOnce === 0) await setImmediate();
    }
  }
  if (rows === 0) throw refuseFile('has no rows');
  return { rows, ...conclude(surveys, options) };
}

const columnsOf = ({ columns, lists }: ColumnMap) => [...columns, ...lists.flatMap((list) => list.columns)];

/** @throws ServiceError where the file can be read in two ways, and the client has not said which */
function conclude(
  surveys: { readonly decimal: Survey<Decimals>; readonly dateOrder: Survey<DateOrder> },
  options: Conventions,
): Conventions {
  const errors: FieldErrors = {};
  const decimal = surveys.decimal.conclude(decimals);
  const dateOrder = surveys.dateOrder.conclude(dateOrders);
  if (options.decimal === undefined && decimal.open !== undefined)
    errors['decimal'] = `must be ${decimals.join(' or ')}: ${decimal.open}`;
  if (options.dateOrder === undefined && dateOrder.open !== undefined)
    errors['dateOrder'] = `must be ${dateOrders.join(' or ')}: ${dateOrder.open}`;
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return { decimal: options.decimal ?? decimal.way, dateOrder: options.dateOrder ?? dateOrder.way };
}
