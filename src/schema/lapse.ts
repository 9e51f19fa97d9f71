import { Prisma } from '../database/generated/client/client.ts';
import { columnFacts, enumFacts, type ModelName, modelFacts, today } from '../resource/index.ts';

/** A status that the passing of a day changes: `from` up to that day, `to` from the next one on. */
export interface Lapse<Status extends string> {
  readonly from: Status;
  readonly to: Status;
}

/** What a lapse looks at: the status, and the day after which it is another. */
interface State<Status extends string> {
  readonly status: Status;
  readonly day: Date | null;
}

/**
 * The status that is right today, whatever a write says.
 * @param previous the row as it was, when the write says nothing of the status: a day that has moved brings a lapsed
 * row back
 */
export function statusToday<Status extends string>(
  { from, to }: Lapse<Status>,
  { status, day }: State<Status>,
  previous?: State<Status>,
): Status {
  const isMoved = previous?.status === to && previous.day?.getTime() !== day?.getTime();
  const current = isMoved ? from : status;
  return current === from && day && day < today() ? to : current;
}

/** The SQL that lets the rows of a company lapse whose day is over: a common table expression. */
export function lapseSql<Status extends string>(
  model: ModelName,
  dayColumn: string,
  { from, to }: Lapse<Status>,
  { ofCompany, day }: { readonly ofCompany: Prisma.Sql; readonly day: Prisma.Sql },
): Prisma.Sql {
  const { table } = modelFacts(model);
  const { words } = enumFacts(columnFacts(model, 'status').type);
  // Names and words of the schema, no values.
  return Prisma.sql`${Prisma.raw(`lapsed_${table}`)} AS (
    UPDATE ${Prisma.raw(table)} SET status = ${Prisma.raw(`'${words[to]}'`)}, updated_at = now()
    WHERE ${ofCompany} AND status = ${Prisma.raw(`'${words[from]}'`)} AND ${Prisma.raw(dayColumn)} < ${day})`;
}
