import { queryFromInfo } from '@pothos/plugin-prisma';
import { notFound, validationError } from '../../errors.ts';
import { aOrAn, idArgument, lowerFirst, words } from '../../names.ts';
import {
  assertExists,
  checkBody,
  deleteRow,
  extendSchema,
  findPage,
  modelFacts,
  type Resource,
  type Row,
  type SchemaExtension,
  selectionOfPage,
  uuidArgument,
} from '../../resource/index.ts';
import { User } from '../people/user.ts';
import type { RequestColumn } from './activity.ts';

/**
 * The operations on a request's watchers besides those of the resource: a list of users, and a deletion by user id in
 * the body.
 */
export const watcherOperations = (
  request: Resource,
  Watcher: Resource<'Watcher'>,
  column: RequestColumn,
): SchemaExtension =>
  extendSchema((kit) => {
    const { builder } = kit;
    const { type } = request;
    const requestId = idArgument(type);
    const users = kit.typesOf(User);

    kit.addOperation({
      action: 'list',
      rest: true,
      field: `${lowerFirst(type)}Watchers`,
      path: Watcher.path,
      access: `${request.scope}:read`,
      type: User.type,
      parameters: User.rest.parameters,
      description: `List the users who watch ${aOrAn(words(type))}.`,
      returns: users.connection,
      args: (arg) => ({
        [requestId]: arg.id({ required: true, description: `The ${words(type)}.` }),
        ...users.listArguments(arg, User.pageSize),
      }),
      async resolve(args, context, info) {
        const id = uuidArgument(args, requestId);
        const watching = { watching: { some: { [column]: id } } };
        const page = await findPage(kit, User, args, watching, context, selectionOfPage(User, context, info));
        if (page.rows.length === 0) await assertExists(request, id, context);
        return page;
      },
    });

    const Input = builder.inputType(`Delete${type}WatcherInput`, {
      description: 'Which user stops watching.',
      fields: (t) => ({ userId: t.id({ required: true, description: 'The user.' }) }),
    });
    const check = (body: Row) => checkBody(body, modelFacts('Watcher').columns, {}, ['userId']);
    kit.addOperation({
      action: 'delete',
      rest: true,
      field: `delete${type}Watcher`,
      path: Watcher.path,
      access: `${request.scope}:write`,
      type: Watcher.type,
      description: `Remove a user from the watchers of ${aOrAn(words(type))}.`,
      returns: kit.typesOf(Watcher).ref,
      args: (arg) => ({
        [requestId]: arg.id({ required: true, description: `The ${words(type)}.` }),
        input: arg({ type: Input, required: true, description: 'Which user stops watching.' }),
      }),
      inspect: async (body) => check(body).errors,
      async resolve(args, context, info) {
        const id = uuidArgument(args, requestId);
        // The compiler does not know its type beside an argument with a computed name.
        const { data, errors } = check(args.input as Row);
        if (Object.keys(errors).length > 0) throw validationError(errors);
        const watcher = await context.db.watcher.findFirst({
          where: { [column]: id, userId: String(data['userId']) },
          select: { id: true },
        });
        if (!watcher) throw notFound(Watcher.type);
        return deleteRow(Watcher, watcher.id, {}, { context, selection: queryFromInfo({ context, info }) });
      },
    });
  });
