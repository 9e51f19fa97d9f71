import { readLog } from '../../events/log.ts';
import { decodePosition } from '../../events/position.ts';
import { assertPageSize, defineOperation, defineType, maxPageSize } from '../../resource/index.ts';
import { ChangeView, chooseTypes, loggedTypes, type VisibleChange } from './change-view.ts';
import { sharedTypes } from './types.ts';

/** The most changes of a page: they are read by one statement, and few of them are as large as rows can be. */
const maxChanges = 1000;

/** A page of the feed of changes. */
interface Feed {
  readonly changes: readonly VisibleChange[];
  readonly next: string;
  readonly hasMore: boolean;
  readonly isTruncated: boolean;
}

const ChangeFeed = defineType((kit) =>
  kit.builder.objectRef<Feed>('ChangeFeed').implement({
    description: 'A part of the feed of changes.',
    fields: (t) => ({
      changes: t.field({
        type: [sharedTypes(kit).Change],
        description: 'The changes, in the order of the log. No change is later added before `next`.',
        resolve: ({ changes }) => [...changes],
      }),
      next: t.exposeString('next', { description: 'The position to continue from. Pass it as `after`.' }),
      hasMore: t.exposeBoolean('hasMore', { description: 'Whether there may be more changes already.' }),
      isTruncated: t.exposeBoolean('isTruncated', {
        description:
          'Whether it begins where earlier changes have been deleted from the log, so that rows which have not changed since are missing: begin with `snapshot` instead, and continue from its `position`. Never with `after`.',
        // In REST it is in `meta`.
        extensions: { rest: false },
      }),
    }),
  }),
);

/** The feed of changes. */
export const changeFeed = defineOperation({
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
    'List the changes after a position, including deletions, of all resources that the caller may read. The error is GONE if the log no longer has these changes: begin again with the snapshot, and continue from its position.',
  returns: ChangeFeed,
  args: (arg, kit) => ({
    after: arg.string({
      description:
        '`next` of an earlier response. By default, the log is read from its beginning, where changes may have been deleted.',
      extensions: { rest: 'after' },
    }),
    resource: arg({ type: [sharedTypes(kit).ChangedResource], description: 'Only changes of these resources.' }),
    first: arg.int({
      defaultValue: maxPageSize,
      description: `Maximum number of changes, 1 to ${maxChanges}.`,
      extensions: { maxPageSize: maxChanges },
    }),
  }),
  async run(args, context, _info, { resources }): Promise<Feed> {
    const { after, resource, first } = args;
    assertPageSize(first, maxChanges);
    const view = new ChangeView(chooseTypes(loggedTypes(resources), resource, context), context);
    const page =
      context.logPage ??
      // Unscoped, as Prisma has no such query; its SQL names the company of the caller.
      (await readLog(context.unscopedDb, context.caller, {
        after: after == null ? undefined : decodePosition(after, 'after'),
        tables: view.tables,
        limit: first,
      }));
    return { ...page, changes: await view.projectAll(page.changes) };
  },
});
