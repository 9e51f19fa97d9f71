import { readLog } from '../../events/log.ts';
import { decodePosition } from '../../events/position.ts';
import { assertPageSize, extendSchema, maxPageSize } from '../../resource/index.ts';
import { addWebhooks } from '../webhooks/webhooks.ts';
import { ChangeView, chooseTypes, loggedTypes, type VisibleChange } from './change-view.ts';
import { addHistories } from './history.ts';
import { addSnapshot } from './snapshot.ts';
import { addStatusPeriods } from './status-periods.ts';
import { addSubscriptions } from './subscriptions.ts';
import { changeTypes } from './types.ts';

/** A page of the feed of changes. */
interface Feed {
  readonly changes: readonly VisibleChange[];
  readonly next: string;
  readonly hasMore: boolean;
}

/** Adds the feed of changes, and the histories of rows. */
export const changes = extendSchema((kit) => {
  const { builder } = kit;
  const types = loggedTypes(kit.resources);
  const shared = changeTypes(kit, types);
  const { Change, ChangedResource } = shared;
  addHistories(kit, { Change });
  addStatusPeriods(kit);

  const ChangeFeed = builder.objectRef<Feed>('ChangeFeed').implement({
    description: 'A part of the feed of changes.',
    fields: (t) => ({
      changes: t.field({
        type: [Change],
        description: 'The changes, in the order of the log. No change is later added before `next`.',
        resolve: ({ changes }) => [...changes],
      }),
      next: t.exposeString('next', { description: 'The position to continue from. Pass it as `after`.' }),
      hasMore: t.exposeBoolean('hasMore', { description: 'Whether there may be more changes already.' }),
    }),
  });

  kit.addOperation({
    action: 'read',
    rest: true,
    field: 'changes',
    path: '/changes',
    access: 'caller',
    tag: { name: 'Changes', description: 'The changes of all resources, in one feed.' },
    type: 'ChangeFeed',
    isFeed: true,
    databaseCost: 'log',
    mayBeGone: true,
    description:
      'List the changes after a position, including deletions, of all resources that the caller may read. The error is GONE if the log no longer has these changes.',
    returns: ChangeFeed,
    args: (arg) => ({
      after: arg.string({
        description: '`next` of an earlier response. By default, the log is read from its beginning.',
        extensions: { rest: 'after' },
      }),
      resource: arg({ type: [ChangedResource], description: 'Only changes of these resources.' }),
      first: arg.int({ defaultValue: maxPageSize, description: `Maximum number of changes, 1 to ${maxPageSize}.` }),
    }),
    async resolve(args, context): Promise<Feed> {
      const { after, resource, first } = args;
      assertPageSize(first);
      const view = new ChangeView(chooseTypes(types, resource, context), context);
      const page =
        context.logPage ??
        // Unscoped, as Prisma has no such query; its SQL names the company of the caller.
        (await readLog(context.unscopedDb, context.caller, {
          after: after == null ? undefined : decodePosition(after, 'after'),
          tables: view.tables,
          limit: first,
        }));
      return { ...page, changes: view.projectAll(page.changes) };
    },
  });
  addSnapshot(kit, types, shared);
  addSubscriptions(kit, shared);
  addWebhooks(kit, types, shared);
});
