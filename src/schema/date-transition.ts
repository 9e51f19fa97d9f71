import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import {
  enumWords,
  type RefreshStale,
  type StaleUpdate,
  staleRowsAtOnce,
  storedField,
  today,
} from '../resource/index.ts';

/** A status change that depends on the date: the status is `from` until a given day, and `to` afterwards. */
interface DateTransition<Status extends string> {
  readonly from: Status;
  readonly to: Status;
}

/** A stored row. */
interface State<Status extends string> {
  readonly status: Status;
  /** Whether a client set it to `to` before its day was over. */
  readonly statusKept: boolean;
  /** The last day of `from`. */
  readonly day: Date | null;
}

/**
 * The status as of today, independent of when the row was written. Where the day of a row that is `to` is moved, and
 * the write does not set the status, it becomes `from` again, unless a client had set it before that day was over.
 *
 * @param today the company's day
 * @param given the status that the write sets, if any
 * @param day the day as it will be
 * @param previous the row before the write
 */
export function statusToday<Status extends string>(
  { from, to }: DateTransition<Status>,
  today: Date,
  given: Status | undefined,
  day: Date | null,
  previous?: State<Status>,
): { readonly status: Status; readonly statusKept: boolean } {
  const isMoved = previous?.status === to && !previous.statusKept && previous.day?.getTime() !== day?.getTime();
  const current = given ?? (isMoved || !previous ? from : previous.status);
  const isOver = day !== null && day < today;
  const status = current === from && isOver ? to : current;
  // After the day, it is what the date says too, unless the row is what a client made it before.
  const isKept = !isOver || (current === to && previous?.status === to && previous.statusKept);
  return { status, statusKept: status === to && isKept };
}

/** A status that follows a date column. */
type Dated<Status extends string, Day extends string> = { readonly status: Status; readonly statusKept: boolean } & {
  readonly [Name in Day]: Date | null;
};

/**
 * Creates the options of a resource whose status follows a date: hooks that set the status as of today, and the update
 * on a new day.
 *
 * @param column the date
 */
export function followDate<Status extends string, Day extends string>(column: Day, transition: DateTransition<Status>) {
  type Row = Dated<Status, Day>;
  return {
    resolveInput: {
      create: <Data extends Pick<Row, 'status'> & Partial<Row>>({
        context,
        data,
      }: {
        context: Context;
        data: Data;
      }) => ({ ...data, ...statusToday(transition, today(context), data.status, data[column] ?? null) }),
      update<Data extends Partial<Row>>({ context, previous, data }: { context: Context; previous: Row; data: Data }) {
        const { status, statusKept, [column]: before } = previous;
        const { [column]: day }: Row = { ...previous, ...data };
        const stored = { status, statusKept, day: before };
        return { ...data, ...statusToday(transition, today(context), data.status, day, stored) };
      },
    },
    refreshStale: (given: Parameters<RefreshStale>[0]) => dateTransition(column, transition, given),
  };
}

/** Updates rows of a company whose day is over, the oldest days first. */
function dateTransition<Status extends string>(
  column: string,
  { from, to }: DateTransition<Status>,
  { rows, ofCompany, day }: Parameters<RefreshStale>[0],
): StaleUpdate {
  const words = enumWords(storedField(rows, 'status'));
  // The raw parts are names and enum values of the schema, never input.
  const table = Prisma.raw(rows.table);
  const date = Prisma.raw(storedField(rows, column).column);
  const [stale, updated] = [Prisma.raw(`stale_${rows.table}`), Prisma.raw(`updated_${rows.table}`)];
  return {
    steps: [
      Prisma.sql`${stale} AS (
        SELECT id FROM ${table} WHERE ${ofCompany} AND status = ${Prisma.raw(`'${words[from]}'`)} AND ${date} < ${day}
        ORDER BY ${date} LIMIT ${staleRowsAtOnce} FOR NO KEY UPDATE)`,
      Prisma.sql`${updated} AS (
        UPDATE ${table} SET status = ${Prisma.raw(`'${words[to]}'`)}, updated_at = now()
        WHERE ${ofCompany} AND id IN (SELECT id FROM ${stale}) RETURNING id)`,
    ],
    updated,
  };
}
