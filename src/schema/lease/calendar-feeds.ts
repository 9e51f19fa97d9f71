import { createFeed, deleteFeed, type CalendarFeed as Feed, listFeeds } from '../../auth/calendar-feeds.ts';
import { recordSecurityEvent, type SecurityAction } from '../../auth/security-log.ts';
import { type Context, inTransaction } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { defineOperation, defineType, uuidArgument } from '../../resource/index.ts';
import { actorOf, assertSignedInLately, mainCompanyId } from '../account/session-access.ts';

const CalendarFeed = defineType(({ builder }) =>
  builder.objectRef<Feed>('CalendarFeed').implement({
    description: 'An address of the calendar of leases, for calendar programs.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the address.' }),
      path: t.string({
        nullable: true,
        description: "Its path, relative to the service's address, shown only when it is made.",
        resolve: ({ path }) => path,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'Time it was made.',
        resolve: ({ createdAt }) => createdAt,
      }),
    }),
  }),
);

const ofPerson = { type: 'CalendarFeed', path: '/calendar-feeds', rest: false, access: 'session' } as const;

const calendarFeeds = defineOperation({
  ...ofPerson,
  action: 'list',
  field: 'calendarFeeds',
  description: 'List your addresses of the calendar of leases, newest first.',
  returns: (kit) => [CalendarFeed(kit)],
  run: (_args, context) => listFeeds(context.unscopedDb, ownerOf(context)),
});

const createCalendarFeed = defineOperation({
  ...ofPerson,
  action: 'create',
  field: 'createCalendarFeed',
  label: 'Create calendar address',
  description: 'Make an address of the calendar of leases, which is read with your rights.',
  returns: CalendarFeed,
  async run(_args, context) {
    assertSignedInLately(context, 'create a calendar address');
    return inTransaction(context, async () => {
      const feed = await createFeed(context.unscopedDb, ownerOf(context));
      await record('calendar_feed_created', context);
      return feed;
    });
  },
});

const deleteCalendarFeed = defineOperation({
  ...ofPerson,
  action: 'delete',
  field: 'deleteCalendarFeed',
  label: 'Delete calendar address',
  description: 'Delete one of your addresses of the calendar of leases, so that nobody can read it any more.',
  returns: CalendarFeed,
  args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the address.' }) }),
  async run(args, context) {
    const id = uuidArgument(args, 'id');
    return inTransaction(context, async () => {
      const found = await deleteFeed(context.unscopedDb, ownerOf(context), id);
      if (!found) throw notFound('calendar address');
      await record('calendar_feed_deleted', context);
      return found;
    });
  },
});

/** The operations on addresses of the calendar of leases: `src/rest/calendar.ts` serves them. */
export const calendarFeedOperations = [calendarFeeds, createCalendarFeed, deleteCalendarFeed];

const ownerOf = ({ caller: { companyId, userId } }: Context) => ({ companyId, userId });

const record = async (action: SecurityAction, context: Context): Promise<void> => {
  const { unscopedDb, caller } = context;
  const companyId = await mainCompanyId(context);
  await recordSecurityEvent(unscopedDb, { action, actor: actorOf(context), companyId, personId: caller.userId });
};
