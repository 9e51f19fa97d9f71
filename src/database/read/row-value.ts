// Values that are computed of a row, in SQL.
import { dateTime, decimal } from '../../fields/index.ts';
import { type ApiField, columnField, type StoredField } from '../stored-field.ts';
import type { ColumnPath, ListValue, RowValue, StatusHoursValue } from './group-query.ts';
import type { SqlModel } from './models.ts';
import type { Statement } from './statement.ts';

/** The columns that values are computed from. */
export interface ValueColumns {
  /** The field at the end of a path. */
  fieldAt(path: ColumnPath): ApiField;
  /** Its SQL. */
  sqlAt(path: ColumnPath): string;
}

/** A value that is computed from columns alone. */
export type ColumnValue = Exclude<RowValue, StatusHoursValue | ListValue | { kind: 'daysInPeriod' }>;

/** The SQL of a value. */
export function rowValueSql(statement: Statement, value: ColumnValue, columns: ValueColumns): string {
  switch (value.kind) {
    case 'column':
      return columns.sqlAt(value.of);
    case 'product':
    case 'difference': {
      const [one, other] = value.of.map((path) => `${columns.sqlAt(path)}::numeric`);
      return `(${one} ${value.kind === 'product' ? '*' : '-'} ${other})`;
    }
    default: {
      const [from, to] = [value.from, value.to].map((time) => timeSql(statement, time, columns));
      return `(extract(epoch FROM (${to} - ${from})) / ${value.kind === 'hours' ? 3600 : 86_400})`;
    }
  }
}

function timeSql(statement: Statement, time: ColumnPath | Date, columns: ValueColumns): string {
  if (!('column' in time)) return statement.value(time, dateTime.sqlType, dateTime.encode);
  return calendarOf(columns.fieldAt(time)).timeSql(columns.sqlAt(time));
}

/** The calendar of a field that has times. @throws Error for others */
export function calendarOf({ name, type }: ApiField) {
  if (!type.calendar) throw new Error(`${name} has no time, as it is a ${type.name}.`);
  return type.calendar;
}

/** The name by which conditions compare a computed value; no column has it. */
export const computedName = '$value';

/** A model whose rows have a computed value too. @param write is called once, if a condition names the value */
export function withComputed(model: SqlModel, write: () => string): SqlModel {
  let sql: string | undefined;
  const facts = { model: model.name, name: computedName, type: decimal, itemType: decimal };
  const column = columnField({ ...facts, required: false, list: false, hasDefault: false }, computedName);
  const field: StoredField = { ...column, sql: () => (sql ??= write()) };
  return { ...model, fields: { ...model.fields, [computedName]: field } };
}
