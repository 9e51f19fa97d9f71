import { lowerFirst, plural, words } from '../../names.ts';
import {
  currentUser,
  type Definition,
  defineResource,
  extendSchema,
  type Resource,
  relatedList,
  relatedThrough,
  rules,
  type SchemaKit,
} from '../../resource/index.ts';
import { User } from '../people/user.ts';
import { type RequestColumn, recordActivity } from './activity.ts';
import { watcherOperations } from './watchers.ts';

/** A kind of request, and the foreign key of its rows in the tables that both kinds share. */
interface Thread {
  readonly request: Resource<'ServiceRequest' | 'MoveRequest'>;
  readonly column: RequestColumn;
}

/**
 * Defines the comments, watchers, time logs and activity of a kind of request.
 *
 * @param column their foreign key to the request
 * @returns the resources that clients create, and all definitions
 */
export function defineRequestThread(request: Thread['request'], column: RequestColumn) {
  const thread = { request, column };
  const Comment = defineComments(thread);
  const TimeLog = defineTimeLogs(thread);
  const ActivityEntry = defineActivity(thread);
  const Watcher = defineWatchers(thread);
  const extension = extendSchema((kit) => {
    addWatchers(kit, request);
    addWatched(kit, thread, Watcher);
    addWritten(kit, { comments: Comment, timeLogs: TimeLog, activityEntries: ActivityEntry });
  });
  const operations = watcherOperations(request, Watcher, column);
  const definitions: Definition[] = [Comment, TimeLog, ActivityEntry, Watcher, operations, extension];
  return { request, Comment, TimeLog, Watcher, definitions };
}

/** A kind of request, with the resources of its thread. */
export type RequestThread = ReturnType<typeof defineRequestThread>;

const userId = { readOnly: true, default: currentUser } as const;

/** The relation to the request. The relations have the names of the two types. */
const relationTo = ({ request }: Thread) => lowerFirst(request.type) as 'serviceRequest' | 'moveRequest';

/** The condition for the rows of this kind of request. */
const ofThisKind = ({ column }: Thread) => ({ [column]: { not: null } });

const defineComments = (thread: Thread) =>
  defineResource('Comment', {
    parent: { resource: thread.request, column: thread.column, relation: 'comments' },
    fields: { comment: {}, userId },
    list: { search: ['comment'] },
    access: { actions: ['list', 'create'], filter: () => ofThisKind(thread) },
    graphql: { type: `${thread.request.type}Comment`, relations: ['author', relationTo(thread)] },
    rest: { path: '/comments' },
    hooks: {
      afterOperation: {
        create: ({ context, row }) =>
          recordActivity(context, thread.column, row[thread.column], { action: 'COMMENTED' }),
      },
    },
  });

const defineTimeLogs = (thread: Thread) =>
  defineResource('TimeLog', {
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
          return recordActivity(context, thread.column, row[thread.column], event);
        },
      },
    },
  });

const defineActivity = (thread: Thread) =>
  defineResource('ActivityEntry', {
    parent: { resource: thread.request, column: thread.column, relation: 'activity' },
    fields: { action: {}, fromValue: {}, toValue: {}, userId: {} },
    list: { search: ['fromValue', 'toValue'] },
    access: { actions: ['list'], filter: () => ofThisKind(thread) },
    graphql: { type: `${thread.request.type}ActivityEntry`, relations: ['author', relationTo(thread)] },
    rest: { path: '/activity' },
  });

const defineWatchers = (thread: Thread) =>
  defineResource('Watcher', {
    parent: { resource: thread.request, column: thread.column },
    fields: { userId: {} },
    access: { actions: ['create'], filter: () => ofThisKind(thread) },
    graphql: { type: `${thread.request.type}Watcher`, relations: ['user', relationTo(thread)] },
    rest: { path: '/watchers' },
    hooks: {
      afterOperation: {
        create({ context, row }) {
          const event = { action: 'WATCHER_ADDED', toValue: row.userId } as const;
          return recordActivity(context, thread.column, row[thread.column], event);
        },
        delete({ context, previous }) {
          const event = { action: 'WATCHER_REMOVED', fromValue: previous.userId } as const;
          return recordActivity(context, thread.column, previous[thread.column], event);
        },
      },
    },
  });

/** Adds the users who watch a request. */
function addWatchers(kit: SchemaKit, request: Thread['request']): void {
  // The route of the watchers requires no other scope either.
  const scope = `${request.scope}:read` as const;
  const link = { relation: 'watchers', to: 'user', scope };
  const description = `The users who watch this ${words(request.type)}, the newest user first.`;
  kit.addRelatedList(request, 'watchers', {
    relation: 'watchers',
    target: User,
    through: { to: 'user', where: {} },
    scope,
  });
  kit.addField(request, 'watchers', (t) => relatedThrough(kit, t, request.model, link, User, description));
}

/** Adds the requests that a user watches. */
function addWatched(kit: SchemaKit, thread: Thread, Watcher: Resource): void {
  const { request } = thread;
  const [many, to, where] = [plural(request.type), relationTo(thread), ofThisKind(thread)];
  const link = { relation: 'watching', listing: Watcher, to, where };
  const description = `The ${words(many)} this user watches, latest first.`;
  kit.addRelatedList(User, `watched${many}`, { relation: 'watching', target: request, through: { to, where } });
  kit.addField(User, `watched${many}`, (t) => relatedThrough(kit, t, 'User', link, request, description));
}

/** Adds what a user wrote. @param lists the user's relations to it */
function addWritten(kit: SchemaKit, lists: Readonly<Record<string, Resource>>): void {
  for (const [relation, written] of Object.entries(lists)) {
    const name = plural(written.type);
    const description = `The ${words(name)} by this user.`;
    kit.addRelatedList(User, lowerFirst(name), { relation, target: written });
    kit.addField(User, lowerFirst(name), (t) => relatedList(kit, t, 'User', relation, written, description));
  }
}
