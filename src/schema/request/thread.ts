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
} from '../../resource/index.ts';
import { User } from '../people/user.ts';
import { type RequestColumn, recordActivity } from './activity.ts';
import { watcherOperations } from './watchers.ts';

/**
 * Defines the comments, watchers, time logs and activity of a kind of request.
 * @param column their foreign key to the request
 */
export function requestThread(
  request: Resource<'ServiceRequest' | 'MoveRequest'>,
  column: RequestColumn,
): Definition[] {
  const { type } = request;
  // The relations have the names of the two types.
  const requestRelation = lowerFirst(type) as 'serviceRequest' | 'moveRequest';
  // Both kinds share their tables.
  const ofThisKind = { [column]: { not: null } };
  const filter = () => ofThisKind;
  const userId = { readOnly: true, default: currentUser } as const;

  const Comment = defineResource('Comment', {
    parent: { resource: request, column, relation: 'comments' },
    fields: { comment: {}, userId },
    list: { search: ['comment'] },
    access: { actions: ['list', 'create'], filter },
    graphql: { type: `${type}Comment`, relations: ['author', requestRelation] },
    rest: { path: '/comments' },
    hooks: {
      afterOperation: { create: (write) => recordActivity(write, column, write.row[column], { action: 'COMMENTED' }) },
    },
  });

  const TimeLog = defineResource('TimeLog', {
    parent: { resource: request, column, relation: 'timeLogs' },
    fields: { hours: { rule: rules.over(0, 24) }, description: {}, userId },
    list: { search: ['description'] },
    access: { actions: ['list', 'create'], filter },
    graphql: { type: `${type}TimeLog`, relations: ['author', requestRelation] },
    rest: { path: '/time-logs' },
    hooks: {
      afterOperation: {
        create: (write) =>
          recordActivity(write, column, write.row[column], {
            action: 'TIME_LOGGED',
            toValue: String(write.row.hours),
          }),
      },
    },
  });

  const ActivityEntry = defineResource('ActivityEntry', {
    parent: { resource: request, column, relation: 'activity' },
    fields: { action: {}, fromValue: {}, toValue: {}, userId: {} },
    list: { search: ['fromValue', 'toValue'] },
    access: { actions: ['list'], filter },
    graphql: { type: `${type}ActivityEntry`, relations: ['author', requestRelation] },
    rest: { path: '/activity' },
  });

  const Watcher = defineResource('Watcher', {
    parent: { resource: request, column },
    fields: { userId: {} },
    access: { actions: ['create'], filter },
    graphql: { type: `${type}Watcher`, relations: ['user', requestRelation] },
    rest: { path: '/watchers' },
    hooks: {
      afterOperation: {
        create: (write) =>
          recordActivity(write, column, write.row[column], { action: 'WATCHER_ADDED', toValue: write.row.userId }),
        delete: (write) =>
          recordActivity(write, column, write.previous[column], {
            action: 'WATCHER_REMOVED',
            fromValue: write.previous.userId,
          }),
      },
    },
  });

  const fields = extendSchema((kit) => {
    // The route of the watchers requires no other scope either.
    const scope = `${request.scope}:read` as const;
    const watchers = { relation: 'watchers', to: 'user', scope };
    const throughWatchers = { relation: 'watchers', target: User, through: { to: 'user', where: {} }, scope };
    kit.addRelatedList(request, 'watchers', throughWatchers);
    kit.addField(request, 'watchers', (t) =>
      relatedThrough(
        kit,
        t,
        request.model,
        watchers,
        User,
        `The users who watch this ${words(type)}, the newest user first.`,
      ),
    );
    // The inverse lists: what a user watches and wrote.
    const watched = plural(type);
    const watching = { relation: 'watching', listing: Watcher, to: requestRelation, where: ofThisKind };
    kit.addRelatedList(User, `watched${watched}`, {
      relation: 'watching',
      target: request,
      through: { to: requestRelation, where: ofThisKind },
    });
    kit.addField(User, `watched${watched}`, (t) =>
      relatedThrough(kit, t, 'User', watching, request, `The ${words(watched)} this user watches, latest first.`),
    );
    for (const [relation, written] of [
      ['comments', Comment],
      ['timeLogs', TimeLog],
      ['activityEntries', ActivityEntry],
    ] as const) {
      const name = plural(written.type);
      kit.addRelatedList(User, lowerFirst(name), { relation, target: written });
      kit.addField(User, lowerFirst(name), (t) =>
        relatedList(kit, t, 'User', relation, written, `The ${words(name)} by this user.`),
      );
    }
  });

  return [Comment, TimeLog, ActivityEntry, Watcher, watcherOperations(request, Watcher, column), fields];
}
