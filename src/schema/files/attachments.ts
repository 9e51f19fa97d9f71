// The files that are attached to rows of resources with attachments: a list of each row, and routes that change it.
import type { Context } from '../../context.ts';
import { inTransaction } from '../../context.ts';
import { badRequest, notFound } from '../../errors.ts';
import { idArgument, lowerFirst } from '../../names.ts';
import {
  type ArgumentBuilder,
  assertPageSize,
  changeRow,
  defineField,
  defineFile,
  defineOperation,
  forEachResource,
  type InputFieldMap,
  lockRow,
  type Page,
  type Resource,
  type Row,
  rowExists,
  type SchemaExtension,
  storedField,
  uuidArgument,
} from '../../resource/index.ts';
import { type PageArguments, pageArguments } from '../page-arguments.ts';
import { fileMediaTypes, fileName, nameParameter, ofFiles } from './files.ts';
import { addFile, loadFiles } from './stored-files.ts';
import { FileConnection } from './types.ts';

/** The attachments of each resource that has the column. */
export const attachments = forEachResource((resource) =>
  resource.roles.attachments
    ? [attachmentsField(resource), ...(resource.rest.actions.includes('list') ? routesOf(resource) : [])]
    : [],
);

const attachmentsField = (resource: Resource): SchemaExtension =>
  defineField(resource, 'attachments', (t, kit) =>
    t.field({
      type: FileConnection(kit),
      nullable: true,
      description: 'The attached files.',
      args: pageArguments(t.arg, 25, 'file'),
      select: { attachmentIds: true },
      resolve: (row: Row, args: PageArguments, context: Context) => pageOf(idsOf(row), args, context),
    }),
  );

/** The ids of the files that are attached to a row. */
const idsOf = ({ attachmentIds }: Row): readonly string[] =>
  Array.isArray(attachmentIds) ? attachmentIds.map(String) : [];

/** A page of the files of a row, in their order. The cursor is the id of a file. */
async function pageOf(ids: readonly string[], args: PageArguments, context: Context): Promise<Page> {
  const first = args.first ?? 25;
  assertPageSize(first);
  const after = args.after == null ? -1 : ids.indexOf(args.after);
  if (args.after != null && after === -1) throw badRequest('is not a cursor of this list', 'after');
  const shown = ids.slice(after + 1, after + 1 + first);
  return {
    // The rows of a page are of any type, here files.
    rows: (await loadFiles(shown, context)) as unknown as readonly Row[],
    hasNextPage: ids.length > after + 1 + first,
    hasPreviousPage: after >= 0,
    cursor: ({ id }) => String(id),
    total: () => ids.length,
  };
}

/** The routes of attachments: to list, to send and attach, to attach a file that was sent, and to remove. */
function routesOf(resource: Resource): SchemaExtension[] {
  const { type, words, scope, path, parent, rest, actions } = resource;
  const parentArgument = parent && idArgument(parent.resource.type);
  const id = (arg: ArgumentBuilder, of: Resource, required: boolean) =>
    arg.id({ required, description: `ID of the ${of.words.noun}.`, extensions: { stored: storedField(of, 'id') } });
  const within = (args: Readonly<Record<string, unknown>>) => {
    const parentId = parentArgument === undefined ? undefined : args[parentArgument];
    return parent && parentId != null ? { [parent.column]: parentId } : {};
  };
  const below = `${path}/:id/attachments`;
  const list = defineOperation({
    ...{ type: 'File', action: 'list', rest: true, path: below, access: `${scope}:read` },
    field: `${lowerFirst(type)}Attachments`,
    description: `List the files attached to ${words.one}.`,
    returns: FileConnection,
    args: (arg): InputFieldMap => ({
      ...(parentArgument !== undefined && parent && { [parentArgument]: id(arg, parent.resource, false) }),
      id: id(arg, resource, true),
      ...pageArguments(arg, 25, 'file'),
    }),
    async run(args: Readonly<Row>, context) {
      const rowId = uuidArgument(args, 'id');
      if (!(await rowExists(resource, rowId, context, within(args)))) throw notFound(words.noun);
      const [row = {}] = await context.reader.findMany(resource.model, {
        as: type,
        where: { id: rowId },
        select: { attachmentIds: true },
      });
      return pageOf(idsOf(row), args, context);
    },
  });
  if (!actions.includes('update') || !rest.actions.includes('update')) return [list];
  /** Changes which files a row has, as an update of it does. */
  const change = (
    rowPath: Readonly<Record<string, string>>,
    context: Context,
    by: (ids: readonly string[]) => string[],
  ) =>
    inTransaction(context, async () => {
      const row = await lockRow(resource, rowPath['id'] ?? '', context, within(rowPath));
      const input = { attachmentIds: by(idsOf(row)) };
      await changeRow(resource, { action: 'update', id: String(row['id']), input }, { context });
    });
  const about = { ...ofFiles, access: `${scope}:write`, words: { one: words.one } } as const;
  const add = defineFile({
    ...about,
    does: 'add',
    limit: 'file',
    answer: 'file',
    field: `sendAttachmentOf${type}`,
    path: below,
    description: `Send a file, as \`POST /files\` takes it, and attach it to ${words.one}.`,
    parameters: [nameParameter],
    mediaTypes: fileMediaTypes,
    async run({ path: given, body, maxBytes, name, query }, context) {
      if (!(await rowExists(resource, given['id'] ?? '', context, within(given)))) throw notFound(words.noun);
      return addFile({ body, maxBytes, name: fileName(name || query['name']) }, context, (fileId) =>
        change(given, context, (ids) => [...ids, fileId]),
      );
    },
  });
  const put = defineFile({
    ...about,
    does: 'put',
    field: `attachTo${type}`,
    path: `${below}/:fileId`,
    description: `Attach a file that was sent to ${words.one}.`,
    mediaTypes: [],
    run: ({ path: given }, context) =>
      change(given, context, (ids) => [...new Set([...ids, (given['fileId'] ?? '').toLowerCase()])]),
  });
  const remove = defineFile({
    ...about,
    does: 'remove',
    field: `detachFrom${type}`,
    path: `${below}/:fileId`,
    description: `Remove a file from ${words.one}. It is deleted after a day, unless another row holds it.`,
    mediaTypes: [],
    run: ({ path: given }, context) =>
      change(given, context, (ids) => {
        const fileId = (given['fileId'] ?? '').toLowerCase();
        if (!ids.includes(fileId)) throw notFound('attachment');
        return ids.filter((each) => each !== fileId);
      }),
  });
  return [list, add, put, remove];
}
