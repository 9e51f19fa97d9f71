import { admins } from '../../auth/roles.ts';
import { lowerFirst } from '../../names.ts';
import {
  currentUser,
  type Definition,
  defineList,
  defineResource,
  own,
  type Resource,
  rules,
  type SchemaExtension,
} from '../../resource/index.ts';
import { User } from '../people/user.ts';
import { type RequestColumn, recordActivity } from './activity.ts';
import { watcherOperations } from './watchers.ts';

/** A kind of request, and the foreign key of its rows in the tables that both kinds share. */
interface Thread {
  readonly request: Resource<'ServiceRequest' | 'MoveRequest'>;
  readonly column: RequestColumn;
}

/** A thread whose activity its other rows record. */
interface RecordedThread extends Thread {
  readonly ActivityEntry: Resource<'ActivityEntry'>;
}

/**
 * Defines the comments, watchers, time logs and activity of a kind of request.
 *
 * @param column their foreign key to the request
 * @returns the resources that clients create, and all definitions
 */
export function defineRequestThread(request: Thread['request'], column: RequestColumn) {
  const ActivityEntry = defineActivity({ request, column });
  const thread = { request, column, ActivityEntry };
  const Comment = defineComments(thread);
  const TimeLog = defineTimeLogs(thread);
  const Watcher = defineWatchers(thread);
  const lists = [
    listWatchers(request, Watcher),
    listWatched(thread, Watcher),
    ...listWritten({ comments: Comment, timeLogs: TimeLog, activityEntries: ActivityEntry }),
  ];
  const operations = watcherOperations(request, Watcher, column);
  const definitions: Definition[] = [Comment, TimeLog, ActivityEntry, Watcher, ...operations, ...lists];
  return { request, Comment, TimeLog, Watcher, definitions };
}

/** A kind of request, with the resources of its thread. */
export type RequestThread = ReturnType<typeof defineRequestThread>;

const userId = { readOnly: true, default: currentUser } as const;

/** The relation to the request. The relations have the names of the two types. */
const relationTo = ({ request }: Thread) => lowerFirst(request.type) as 'serviceRequest' | 'moveRequest';

/** The condition for the rows of this kind of request. */
const ofThisKind = ({ column }: Thread) => ({ [column]: { not: null } });

/** The words of rows below a request: `a service request comment`. */
const wordsBelow = ({ request }: Thread, noun: string, many: string) =>
  ({ one: `a ${request.words.noun} ${noun}`, many: `${request.words.noun} ${many}` }) as const;

/** What has been said stays so; its author can change what is attached to it. */
const defineComments = (thread: RecordedThread) =>
  defineResource('Comment', {
    words: { ...wordsBelow(thread, 'comment', 'comments'), title: 'comment' },
    parent: { resource: thread.request, column: thread.column, relation: 'comments' },
    fields: { comment: { createOnly: true }, userId },
    list: { search: ['comment'] },
    access: {
      actions: ['list', 'read', 'create', 'update'],
      filter: () => ofThisKind(thread),
      update: own('userId', { except: admins }),
    },
    graphql: { type: `${thread.request.type}Comment`, relations: ['author', relationTo(thread)] },
    rest: { path: '/comments' },
    hooks: {
      afterOperation: {
        create: ({ context, row }) =>
          recordActivity(context, thread.ActivityEntry, row[thread.column], { action: 'COMMENTED' }),
      },
    },
  });

const defineTimeLogs = (thread: RecordedThread) =>
  defineResource('TimeLog', {
    words: wordsBelow(thread, 'time log', 'time logs'),
    parent: { resource: thread.request, column: thread.column, relation: 'timeLogs' },
    fields: { hours: { rule: rules.over(0, 24) }, description: {}, userId },
    list: { search: ['description'] },
    access: { actions: ['list', 'create'], filter: () => ofThisKind(thread) },
    graphql: { type: `${thread.request.type}TimeLog`, relations: ['author', relationTo(thread)] },
    rest: { path: '/time-logs' },
    hooks: {
      afterOperation: {
        create({ context, row }) {
          const event = { action: 'TIME_LOGGED', toValue: String(row.hours) } as const;
          return recordActivity(context, thread.ActivityEntry, row[thread.column], event);
        },
      },
    },
  });

const defineActivity = (thread: Thread) =>
  defineResource('ActivityEntry', {
    words: wordsBelow(thread, 'activity entry', 'activity entries'),
    parent: { resource: thread.request, column: thread.column, relation: 'activity' },
    fields: { action: {}, fromValue: {}, toValue: {}, userId: {} },
    list: { search: ['fromValue', 'toValue'] },
    access: { actions: ['list'], filter: () => ofThisKind(thread) },
    graphql: { type: `${thread.request.type}ActivityEntry`, relations: ['author', relationTo(thread)] },
    rest: { path: '/activity' },
  });

const defineWatchers = (thread: RecordedThread) =>
  defineResource('Watcher', {
    words: wordsBelow(thread, 'watcher', 'watchers'),
    parent: { resource: thread.request, column: thread.column },
    fields: { userId: {} },
    access: { actions: ['create'], filter: () => ofThisKind(thread) },
    graphql: { type: `${thread.request.type}Watcher`, relations: ['user', relationTo(thread)] },
    rest: { path: '/watchers' },
    hooks: {
      afterOperation: {
        create({ context, row }) {
          const event = { action: 'WATCHER_ADDED', toValue: row.userId } as const;
          return recordActivity(context, thread.ActivityEntry, row[thread.column], event);
        },
        delete({ context, previous }) {
          const event = { action: 'WATCHER_REMOVED', fromValue: previous.userId } as const;
          return recordActivity(context, thread.ActivityEntry, previous[thread.column], event);
        },
      },
    },
  });

/** Lists the users who watch a request. */
const listWatchers = (request: Thread['request'], { type: as }: Resource): SchemaExtension =>
  defineList(request, 'watchers', {
    relation: 'watchers',
    target: User,
    through: { to: 'user', as },
    // The route of the watchers requires no other scope either.
    scope: `${request.scope}:read`,
    description: `The users who watch this ${request.words.noun}, the newest user first.`,
  });

/** Lists the requests that a user watches. */
function listWatched(thread: Thread, Watcher: Resource): SchemaExtension {
  const { request } = thread;
  return defineList(User, `watched${request.words.manyInNames}`, {
    relation: 'watching',
    target: request,
    through: { listing: Watcher, to: relationTo(thread), as: Watcher.type },
    description: `The ${request.words.many} this user watches, latest first.`,
  });
}

/** Lists what a user wrote. @param lists the user's relations to it */
const listWritten = (lists: Readonly<Record<string, Resource>>): SchemaExtension[] =>
  Object.entries(lists).map(([relation, target]) =>
    defineList(User, lowerFirst(target.words.manyInNames), {
      relation,
      target,
      description: `The ${target.words.many} by this user.`,
    }),
  );
