import type { Context } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import { conflict, type FieldErrors, validationError } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { defineType } from '../../resource/index.ts';

/** Maximum number of scheduled queries of a person in a company, and of the people who get one. */
const maxSchedules = 20;
const maxRecipients = 50;

/** When a saved query is sent, and to whom, as it is stored. */
export interface StoredSchedule {
  readonly savedQueryId: string;
  readonly weekday: number | null;
  readonly monthDay: number | null;
  readonly minute: number;
  readonly format: string;
  readonly userIds: readonly string[];
  readonly nextAt: Date;
  readonly problem: string | null;
}

const words = {
  weekday: 'Weekday, from 1 for Monday; or',
  monthDay: 'day of the month, of shorter months the last.',
  time: 'Time of the company, `HH:MM`.',
  format: 'What is attached.',
  recipientIds: `IDs of its recipients, at most ${maxRecipients}.`,
};

const AttachedTable = defineType(({ builder }) =>
  builder.enumType('AttachedTable', {
    description: 'The form of an attached table.',
    values: { CSV: { description: 'CSV.' }, XLSX: { description: 'A spreadsheet.' } },
  }),
);

/** When a saved query is sent. */
export const QuerySchedule = defineType((kit) =>
  kit.builder.objectRef<StoredSchedule>('QuerySchedule').implement({
    description: 'When the answer to a saved query is sent by email.',
    fields: (t) => ({
      weekday: t.exposeInt('weekday', { nullable: true, description: words.weekday }),
      monthDay: t.exposeInt('monthDay', { nullable: true, description: words.monthDay }),
      time: t.string({ description: words.time, resolve: ({ minute }) => timeOf(minute) }),
      format: t.field({
        type: AttachedTable(kit),
        description: words.format,
        // A check of the database allows no other.
        resolve: ({ format }) => format.toUpperCase() as 'CSV' | 'XLSX',
      }),
      recipientIds: t.idList({ description: words.recipientIds, resolve: ({ userIds }) => [...userIds] }),
      nextAt: t.field({ type: 'DateTime', description: 'Next time.', resolve: ({ nextAt }) => nextAt }),
      problem: t.exposeString('problem', { nullable: true, description: 'Why it was not sent.' }),
    }),
  }),
);

/** When a saved query is to be sent. */
export const QueryScheduleInput = defineType((kit) =>
  kit.builder.inputType('QueryScheduleInput', {
    description: 'When the answer to a saved query is sent by email.',
    fields: (t) => ({
      weekday: t.int({ description: words.weekday }),
      monthDay: t.int({ description: words.monthDay }),
      time: t.string({ required: true, description: words.time }),
      format: t.field({ type: AttachedTable(kit), required: true, description: words.format }),
      recipientIds: t.idList({ required: true, description: words.recipientIds }),
    }),
  }),
);

/** A schedule, as clients send it. */
interface GivenSchedule {
  readonly weekday?: number | null;
  readonly monthDay?: number | null;
  readonly time: string;
  readonly format: string;
  readonly recipientIds: readonly (string | number)[];
}

/** A query of the caller. */
interface OwnQuery {
  readonly id: string;
  readonly isShared: boolean;
}

/** Finds the schedules of queries, by their ids. */
export async function findSchedules(
  ids: readonly string[],
  { db }: Context,
): Promise<ReadonlyMap<string, StoredSchedule>> {
  if (ids.length === 0) return new Map();
  const found = await db.savedQuerySchedule.findMany({ where: { savedQueryId: { in: [...ids] } } });
  return new Map(found.map((schedule) => [schedule.savedQueryId, schedule]));
}

/**
 * Stores when a query of the caller is sent, or that it is not.
 *
 * @throws ServiceError VALIDATION_ERROR or CONFLICT
 */
export async function storeSchedule(
  query: OwnQuery,
  given: GivenSchedule | null | undefined,
  context: Context,
): Promise<void> {
  const { id: savedQueryId } = query;
  if (!given) {
    await context.db.savedQuerySchedule.deleteMany({ where: { savedQueryId } });
    return;
  }
  const errors = await check(query, given, context);
  if (Object.keys(errors).length > 0) throw validationError(errors);
  const { companyId, userId, timeZone } = context.caller;
  const others = await context.db.savedQuerySchedule.count({
    where: { savedQuery: { userId }, savedQueryId: { not: savedQueryId } },
  });
  if (others >= maxSchedules) throw conflict(`You have ${maxSchedules} scheduled queries. Stop one first.`);
  const { weekday = null, monthDay = null, format } = given;
  const minute = minuteOf(given.time) ?? 0;
  const userIds = [...new Set(given.recipientIds.map(String))];
  const values = Prisma.sql`${weekday}::smallint, ${monthDay}::smallint, ${minute}::smallint`;
  await context.unscopedDb.$executeRaw`
    INSERT INTO saved_query_schedules (company_id, saved_query_id, weekday, month_day, minute, format, user_ids, next_at)
    VALUES (${companyId}::uuid, ${savedQueryId}::uuid, ${values}, ${format.toLowerCase()}, ${userIds}::uuid[],
            next_saved_query_at(${values}, ${timeZone}, now()))
    ON CONFLICT (company_id, saved_query_id) DO UPDATE
    SET weekday = excluded.weekday, month_day = excluded.month_day, minute = excluded.minute, format = excluded.format,
        user_ids = excluded.user_ids, next_at = excluded.next_at, problem = NULL, updated_at = now()`;
}

/** Forgets why a query could not be sent, as it was changed. */
export const forgetProblem = ({ db }: Context, savedQueryId: string) =>
  db.savedQuerySchedule.updateMany({ where: { savedQueryId }, data: { problem: null } });

async function check(
  { isShared }: OwnQuery,
  { weekday, monthDay, time, recipientIds }: GivenSchedule,
  context: Context,
): Promise<FieldErrors> {
  const errors: Record<string, string> = {};
  if ((weekday == null) === (monthDay == null)) errors['weekday'] = 'give either a weekday or a day of the month';
  if (weekday != null && !isBetween(weekday, 1, 7)) errors['weekday'] = 'must be from 1 for Monday to 7 for Sunday';
  if (monthDay != null && !isBetween(monthDay, 1, 31)) errors['monthDay'] = 'must be from 1 to 31';
  if (minuteOf(time) === undefined) errors['time'] = 'must be a time from 00:00 to 23:59';
  const ids = [...new Set(recipientIds.map(String))];
  if (ids.length === 0 || ids.length > maxRecipients)
    errors['recipientIds'] = `must be 1 to ${maxRecipients} people of the company`;
  else if (!isShared && ids.some((id) => id !== context.caller.userId))
    errors['recipientIds'] = 'must be yourself alone, until you share the query';
  else if (!(await areColleagues(ids, context))) errors['recipientIds'] = 'must be active people of the company';
  return errors;
}

async function areColleagues(ids: readonly string[], { db }: Context): Promise<boolean> {
  if (!ids.every(isUuid)) return false;
  return (await db.user.count({ where: { id: { in: [...ids] }, deactivatedAt: null } })) === ids.length;
}

const isBetween = (value: number, first: number, last: number) => value >= first && value <= last;

const padded = (value: number) => String(value).padStart(2, '0');

const timeOf = (minute: number) => `${padded(Math.floor(minute / 60))}:${padded(minute % 60)}`;

/** The minute of a day; undefined for what is no time. */
function minuteOf(time: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
