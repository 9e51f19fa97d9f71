import { notFound, validationError } from '../../errors.ts';
import { idArgument, lowerFirst } from '../../names.ts';
import {
  assertExists,
  changeRow,
  checkBody,
  type Definition,
  defineOperation,
  defineType,
  findPage,
  type Resource,
  type Row,
  selectionOf,
  selectionOfPage,
  uuidArgument,
} from '../../resource/index.ts';
import { User } from '../people/user.ts';
import type { RequestColumn } from './activity.ts';

/** What both operations need: the kind of request, and its watchers with their column that refers to it. */
interface Watched {
  readonly request: Resource;
  readonly Watcher: Resource<'Watcher'>;
  readonly column: RequestColumn;
}

/**
 * The operations on a request's watchers besides those of the resource: a list of users, and a deletion by user id in
 * the body.
 */
export const watcherOperations = (
  request: Resource,
  Watcher: Resource<'Watcher'>,
  column: RequestColumn,
): readonly Definition[] => [listWatchers({ request, Watcher, column }), deleteWatcher({ request, Watcher, column })];

const listWatchers = ({ request, Watcher, column }: Watched) => {
  const { type, words } = request;
  const requestId = idArgument(type);
  return defineOperation({
    of: User,
    action: 'list',
    rest: true,
    field: `${lowerFirst(type)}Watchers`,
    path: Watcher.path,
    access: `${request.scope}:read`,
    parameters: User.rest.parameters,
    description: `List the users who watch ${words.one}.`,
    returns: (kit) => kit.typesOf(User).connection,
    args: (arg, kit) => ({
      [requestId]: arg.id({ required: true, description: `The ${words.noun}.` }),
      ...kit.typesOf(User).listArguments(arg, User.pageSize),
    }),
    async run(args, context, info, registry) {
      const id = uuidArgument(args, requestId);
      const watching = { watching: { some: { [column]: id } } };
      const page = await findPage(registry, User, args, watching, context, selectionOfPage(User, context, info));
      if (page.rows.length === 0) await assertExists(request, id, context);
      return page;
    },
  });
};

const deleteWatcher = ({ request, Watcher, column }: Watched) => {
  const { type, words } = request;
  const requestId = idArgument(type);
  const Input = defineType(({ builder }) =>
    builder.inputType(`Delete${type}WatcherInput`, {
      description: 'Which user stops watching.',
      fields: (t) => ({ userId: t.id({ required: true, description: 'The user.' }) }),
    }),
  );
  const check = (body: Row) => checkBody(body, Watcher, {}, ['userId']);
  return defineOperation({
    of: Watcher,
    action: 'delete',
    rest: true,
    field: `delete${type}Watcher`,
    label: 'Stop watching',
    access: `${request.scope}:write`,
    description: `Remove a user from the watchers of ${words.one}.`,
    args: (arg, kit) => ({
      [requestId]: arg.id({ required: true, description: `The ${words.noun}.` }),
      input: arg({ type: Input(kit), required: true, description: 'Which user stops watching.' }),
    }),
    inspect: async (body) => check(body).errors,
    async run(args, context, info) {
      const id = uuidArgument(args, requestId);
      // The compiler does not know its type beside an argument with a computed name.
      const { data, errors } = check(args.input as Row);
      if (Object.keys(errors).length > 0) throw validationError(errors);
      const watcher = await context.db.watcher.findFirst({
        where: { [column]: id, userId: String(data['userId']) },
        select: { id: true },
      });
      if (!watcher) throw notFound(Watcher.words.noun);
      const selection = selectionOf(context, info);
      return changeRow(Watcher, { action: 'delete', id: watcher.id }, { context, selection });
    },
  });
};
