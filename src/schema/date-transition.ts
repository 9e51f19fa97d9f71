import { Prisma } from '../database/generated/client/client.ts';
import { enumFacts, enumOf, type ModelName, modelFacts } from '../resource/index.ts';

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

/** The SQL that updates a company's rows whose day is over: a common table expression. */
export function dateTransitionSql<Status extends string>(
  model: ModelName,
  dayColumn: string,
  { from, to }: DateTransition<Status>,
  { ofCompany, day }: { readonly ofCompany: Prisma.Sql; readonly day: Prisma.Sql },
): Prisma.Sql {
  const { table } = modelFacts(model);
  const { words } = enumFacts(enumOf(model, 'status'));
  // The raw parts are names and enum values of the schema, never input.
  return Prisma.sql`${Prisma.raw(`updated_${table}`)} AS (
    UPDATE ${Prisma.raw(table)} SET status = ${Prisma.raw(`'${words[to]}'`)}, updated_at = now()
    WHERE ${ofCompany} AND status = ${Prisma.raw(`'${words[from]}'`)} AND ${Prisma.raw(dayColumn)} < ${day})`;
}
