import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { columnFacts, enumFacts, enumOf, type ModelName, modelFacts, today } from '../resource/index.ts';

/** A status change that depends on the date: the status is `from` until a given day, and `to` afterwards. */
interface DateTransition<Status extends string> {
  readonly from: Status;
  readonly to: Status;
}

/** The status, and the last day of `from`. */
interface State<Status extends string> {
  readonly status: Status;
  readonly day: Date | null;
}

/**
 * The status as of today, independent of when the row was written.
 * @param today the company's day
 * @param previous the row before the write, if the write does not set the status: if its day was moved, a row
 *   that is `to` becomes `from` again
 */
export function statusToday<Status extends string>(
  { from, to }: DateTransition<Status>,
  today: Date,
  { status, day }: State<Status>,
  previous?: State<Status>,
): Status {
  const isMoved = previous?.status === to && previous.day?.getTime() !== day?.getTime();
  const current = isMoved ? from : status;
  return current === from && day && day < today ? to : current;
}

/** A status that follows a date column. */
type Dated<Status extends string, Day extends string> = { readonly status: Status } & {
  readonly [Name in Day]: Date | null;
};

/**
 * Creates the options of a resource whose status follows a date: hooks that set the status as of today, and the update
 * on a new day.
 *
 * @param column the date
 */
export function followDate<Status extends string, Day extends string>(
  model: ModelName,
  column: Day,
  transition: DateTransition<Status>,
) {
  type Row = Dated<Status, Day>;
  return {
    resolveInput: {
      create: <Data extends Pick<Row, 'status'> & Partial<Row>>({
        context,
        data,
      }: {
        context: Context;
        data: Data;
      }) => ({
        ...data,
        status: statusToday(transition, today(context), { status: data.status, day: data[column] ?? null }),
      }),
      update<Data extends Partial<Row>>({ context, previous, data }: { context: Context; previous: Row; data: Data }) {
        const { status, [column]: day }: Row = { ...previous, ...data };
        const before = data.status === undefined ? { status: previous.status, day: previous[column] } : undefined;
        return { ...data, status: statusToday(transition, today(context), { status, day }, before) };
      },
    },
    refreshStale: (given: { readonly ofCompany: Prisma.Sql; readonly day: Prisma.Sql }) => [
      dateTransitionSql(model, column, transition, given),
    ],
  };
}

/** The SQL that updates a company's rows whose day is over: a common table expression. */
function dateTransitionSql<Status extends string>(
  model: ModelName,
  column: string,
  { from, to }: DateTransition<Status>,
  { ofCompany, day }: { readonly ofCompany: Prisma.Sql; readonly day: Prisma.Sql },
): Prisma.Sql {
  const { table } = modelFacts(model);
  const { mappedValues } = enumFacts(enumOf(model, 'status'));
  const { databaseName = column } = columnFacts(model, column);
  // The raw parts are names and enum values of the schema, never input.
  return Prisma.sql`${Prisma.raw(`updated_${table}`)} AS (
    UPDATE ${Prisma.raw(table)} SET status = ${Prisma.raw(`'${mappedValues[to]}'`)}, updated_at = now()
    WHERE ${ofCompany} AND status = ${Prisma.raw(`'${mappedValues[from]}'`)} AND ${Prisma.raw(databaseName)} < ${day})`;
}
