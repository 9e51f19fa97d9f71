import { queryFromInfo } from '@pothos/plugin-prisma';
import { callerId } from '../../context.ts';
import { notFound, validationError } from '../../errors.ts';
import { aOrAn, idArgument, lowerFirst, plural, words } from '../../names.ts';
import { builder } from '../../resource/builder.ts';
import { addField, type Resource, resource } from '../../resource/define.ts';
import type { Row } from '../../resource/lists.ts';
import { modelFacts } from '../../resource/model.ts';
import { exists, listRows, rootField, uuid } from '../../resource/operations.ts';
import { relatedList, relatedThrough } from '../../resource/relations.ts';
import { checkBody, rules } from '../../resource/validate.ts';
import { delegate, isPrisma } from '../../resource/writes.ts';
import { User } from '../people.ts';
import { type RequestColumn, record } from './activity.ts';

/** Gives a kind of request its comments, watchers, time logs and activity (spec §2, Sub-resources). */
export function requestThread(request: Resource, column: RequestColumn): void {
  const { type } = request.listing;
  const requestRelation = lowerFirst(type) as 'serviceRequest' | 'moveRequest';
  const ofThisKind = { [column]: { not: null } };

  const Comment = resource('Comment', {
    type: `${type}Comment`,
    path: '/comments',
    parent: { resource: request, column, relation: 'comments' },
    actions: ['list', 'create'],
    fields: [column, 'comment', 'userId'],
    relations: ['author', requestRelation],
    visible: () => ofThisKind,
    search: ['comment'],
    input: ['comment'],
    defaults: { userId: callerId },
    after: ({ tx, context, row }) => record(tx, context, column, row[column], { action: 'COMMENTED' }),
  });

  const TimeLog = resource('TimeLog', {
    type: `${type}TimeLog`,
    path: '/time-logs',
    parent: { resource: request, column, relation: 'timeLogs' },
    actions: ['list', 'create'],
    fields: [column, 'hours', 'description', 'userId'],
    relations: ['author', requestRelation],
    visible: () => ofThisKind,
    search: ['description'],
    input: ['hours', 'description'],
    rules: { hours: rules.over(0, 24) },
    defaults: { userId: callerId },
    after: ({ tx, context, row }) =>
      record(tx, context, column, row[column], { action: 'TIME_LOGGED', toValue: String(row.hours) }),
  });

  const ActivityEntry = resource('ActivityEntry', {
    type: `${type}ActivityEntry`,
    path: '/activity',
    parent: { resource: request, column, relation: 'activity' },
    actions: ['list'],
    fields: [column, 'action', 'fromValue', 'toValue', 'userId'],
    relations: ['author', requestRelation],
    visible: () => ofThisKind,
    search: ['fromValue', 'toValue'],
  });

  const Watcher = resource('Watcher', {
    type: `${type}Watcher`,
    path: '/watchers',
    parent: { resource: request, column },
    actions: ['create'],
    fields: [column, 'userId'],
    relations: ['user', requestRelation],
    visible: () => ofThisKind,
    input: ['userId'],
    after: ({ tx, context, row }) =>
      record(tx, context, column, row[column], { action: 'WATCHER_ADDED', toValue: row.userId }),
  });
  listWatchers(request, Watcher, column);
  removeWatcher(request, Watcher, column);

  addField(request, 'watchers', (t) =>
    relatedThrough(
      t,
      request.listing.model,
      'watchers',
      Watcher,
      'user',
      User,
      {},
      `The users who watch this ${words(type)}, latest first.`,
    ),
  );
  // The way back, from a user to what they watch and what they wrote.
  const watched = plural(type);
  addField(User, `watched${watched}`, (t) =>
    relatedThrough(
      t,
      'User',
      'watching',
      Watcher,
      requestRelation,
      request,
      ofThisKind,
      `The ${words(watched)} this user watches, latest first.`,
    ),
  );
  for (const [relation, written] of [
    ['comments', Comment],
    ['timeLogs', TimeLog],
    ['activityEntries', ActivityEntry],
  ] as const) {
    const name = plural(written.listing.type);
    addField(User, lowerFirst(name), (t) =>
      relatedList(t, 'User', relation, written, `The ${words(name)} by this user.`),
    );
  }
}

/** Lists the users who watch a request, as REST does. */
function listWatchers(request: Resource, Watcher: Resource, column: RequestColumn) {
  const { type } = request.listing;
  const requestId = idArgument(type);
  rootField({
    action: 'list',
    rest: true,
    field: `${lowerFirst(type)}Watchers`,
    path: Watcher.path,
    access: `${request.scope}:read`,
    type: User.listing.type,
    description: `The users who watch ${aOrAn(words(type))}.`,
    returns: User.connection,
    args: (arg) => ({
      [requestId]: arg.id({ required: true, description: `The ${words(type)}.` }),
      ...User.arguments(arg, 25),
    }),
    async resolve(args, context, info) {
      const id = uuid(args, requestId);
      const page = await listRows(User, args, { watching: { some: { [column]: id } } }, context, info);
      if (page.rows.length === 0) await exists(request, id, context);
      return page;
    },
  });
}

/** Ends a user's watching. The body says whose (spec §4). */
function removeWatcher(request: Resource, Watcher: Resource, column: RequestColumn) {
  const { type } = request.listing;
  const requestId = idArgument(type);
  const Input = builder.inputType(`Delete${type}WatcherInput`, {
    description: 'Who is to watch no longer.',
    fields: (t) => ({ userId: t.id({ required: true, description: 'The user.' }) }),
  });
  const check = (body: Row) => checkBody(body, modelFacts('Watcher').columns, {}, ['userId']);
  rootField({
    action: 'delete',
    rest: true,
    field: `delete${type}Watcher`,
    path: Watcher.path,
    access: `${request.scope}:write`,
    type: Watcher.listing.type,
    description: `Ends a user's watching of ${aOrAn(words(type))}.`,
    returns: Watcher.ref,
    args: (arg) => ({
      [requestId]: arg.id({ required: true, description: `The ${words(type)}.` }),
      input: arg({ type: Input, required: true, description: 'Who is to watch no longer.' }),
    }),
    inspect: async (body) => check(body).faults,
    async resolve(args, context, info) {
      const id = uuid(args, requestId);
      const { data, faults } = check(args['input'] as Row);
      if (Object.keys(faults).length > 0) throw validationError(faults);
      const { companyId } = context.caller;
      const key = { companyId, [column]: id, userId: data['userId'] };
      try {
        return await context.db.$transaction(async (tx) => {
          const removed = await delegate(tx, 'Watcher').delete({
            where: { [`companyId_${column}_userId`]: key },
            ...queryFromInfo({ context, info }),
          });
          await record(tx, context, column, id, { action: 'WATCHER_REMOVED', fromValue: String(data['userId']) });
          return removed;
        });
      } catch (error) {
        throw isPrisma(error, 'P2025') ? notFound(Watcher.listing.type) : error;
      }
    },
  });
}
