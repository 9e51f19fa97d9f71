import type { Context } from '../../context.ts';
import { badRequest } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { messages } from '../../input/index.ts';
import { idArgument, lowerFirst, spaced } from '../../names.ts';
import { withoutHidden } from '../access/hidden-columns.ts';
import { pathBelow } from '../definition/define.ts';
import { etagOf, etagSelection } from '../definition/etag.ts';
import { listOf, type Row, requiredColumns, type Where } from '../definition/model.ts';
import type { ResourceAction } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import type { Page, PageSelection, Selected } from '../read/lists.ts';
import { assertExists, findPage, findRow, findSingletonId } from '../read/query.ts';
import { inspectInput, requiredOfClient, rulesOf, writableColumns } from '../write/input.ts';
import { changeRow, createRow } from '../write/write.ts';
import type { ArgumentBuilder, InputFieldMap, InputFields, SchemaKit } from './schema-kit.ts';
import { selectionOf, selectionOfPage } from './selections.ts';

/** A resource at one path: its own, or the one it is mounted under. */
interface Mount {
  readonly kit: SchemaKit;
  readonly resource: Resource;
  /** The name of a row in root fields, and of several. */
  readonly name: string;
  readonly manyInNames: string;
  /** Input fields of create and replace besides columns. */
  readonly extraFields?: ExtraFields;
}

type ExtraFields = (t: InputFields) => InputFieldMap;

/** Adds the root fields of a resource, each with its REST operation. */
export function addResourceOperations(kit: SchemaKit, resource: Resource): void {
  const { type, words, rest, graphql, actions } = resource;
  // Typed by its options.
  const extraFields = (graphql.extraInput?.fields as ((kit: SchemaKit) => ExtraFields) | undefined)?.(kit);
  const own: Mount = { kit, resource, name: type, manyInNames: words.manyInNames, extraFields };
  for (const action of actions) addAction(own, action);
  if (!rest.mountedUnder) return;
  const { resource: parent, column, path, actions: mounted } = rest.mountedUnder;
  const below: Resource = {
    ...resource,
    scope: parent.scope,
    path: pathBelow(parent, path),
    parent: { resource: parent, column },
    rest: { ...rest, actions: mounted, aliases: [] },
  };
  const names = { name: parent.type + type, manyInNames: parent.type + words.manyInNames };
  for (const action of mounted) addAction({ kit, resource: below, ...names, extraFields }, action);
}

function addAction(mount: Mount, action: ResourceAction): void {
  const { one } = mount.resource.words;
  switch (action) {
    case 'list':
      return addList(mount);
    case 'read':
      return addRead(mount);
    case 'create':
      return addCreate(mount);
    case 'update':
      return addChange(mount, 'update', `Update the given fields of ${one}. Null clears a field.`);
    case 'replace':
      return addChange(mount, 'replace', `Replace ${one}. Omitted fields are reset to their defaults.`);
    case 'delete':
      return addDelete(mount);
  }
}

function addList({ kit, resource, manyInNames }: Mount): void {
  const { registry } = kit;
  const { type, words, scope, path, rest, pageSize } = resource;
  const { connection, listArguments } = kit.typesOf(resource);
  const page = async (args: Row, context: Context, selection: PageSelection): Promise<Page> => {
    const found = await findPage(registry, resource, args, parentWhere(resource, args), context, selection);
    if (found.rows.length === 0) await assertParentExists(resource, args, context);
    return found;
  };
  kit.addOperation({
    action: 'list',
    rest: rest.actions.includes('list'),
    field: lowerFirst(manyInNames),
    path,
    aliases: rest.aliases,
    parameters: rest.parameters,
    access: `${scope}:read`,
    type,
    description: `List ${words.many}, a page at a time.`,
    returns: connection,
    args: (arg) => ({ ...parentArgument(resource, arg, false), ...listArguments(arg, pageSize) }),
    resolve: (args, context, info) => page(args, context, selectionOfPage(resource, context, info)),
    source: { page },
  });
}

function addRead({ kit, resource, name }: Mount): void {
  const { words, scope, rest, isSingleton, etag, policies } = resource;
  const row = async (args: Readonly<Row>, context: Context, selection: Selected) =>
    findRow(resource, await idOf(resource, args, context), parentWhere(resource, args), context, selection);
  kit.addOperation({
    ...itemOf(resource),
    action: 'read',
    rest: rest.actions.includes('read'),
    field: lowerFirst(name),
    access: `${scope}:read`,
    description: isSingleton ? `Get ${words.one} of the company.` : `Get ${words.one} by its ID.`,
    returns: kit.typesOf(resource).ref,
    args: (arg) => idArguments(resource, arg),
    resolve: (args, context, info) => row(args, context, selectionOf(context, info)),
    source: {
      row,
      whole: { select: etagSelection(etag) },
      etagOf: (found, { caller }) => etagOf(etag, withoutHidden(caller, policies, found)),
    },
  });
}

function addCreate(mount: Mount): void {
  const { kit, resource, name } = mount;
  const { type, words, scope, path, rest } = resource;
  const columns = writableColumns(resource, 'create');
  const required = requiredOfClient(resource);
  const { one, noun } = words;
  const Input = inputType(mount, `Create${name}Input`, 'create', `A new ${noun}.`, columns, required);
  kit.addOperation({
    action: 'create',
    rest: rest.actions.includes('create'),
    field: `create${name}`,
    path,
    access: `${scope}:write`,
    type,
    description: `Create ${one}.`,
    returns: kit.typesOf(resource).ref,
    inspect: async (input, context, path) =>
      inspectInput(resource, { parentId: parentIdOf(resource, path) }, { input, required, context }),
    args: (arg) => ({
      ...parentArgument(resource, arg, true),
      input: arg({ type: Input, required: true, description: `The new ${noun}.` }),
    }),
    async resolve(args, context, info) {
      const selection = selectionOf(context, info);
      return createRow(resource, args['input'], { context, selection, parentId: parentIdOf(resource, args) });
    },
  });
}

function addChange(mount: Mount, action: 'update' | 'replace', description: string): void {
  const { kit, resource, name } = mount;
  const { scope, rest } = resource;
  const columns = writableColumns(resource, action);
  const replaces = action === 'replace';
  const required = replaces ? requiredColumns(resource, columns) : undefined;
  const typeName = `${replaces ? 'Replace' : 'Update'}${name}Input`;
  const Input = inputType(mount, typeName, action, description, columns, required ?? []);
  kit.addOperation({
    ...itemOf(resource),
    action,
    rest: rest.actions.includes(action),
    field: `${action}${name}`,
    access: `${scope}:write`,
    description,
    returns: kit.typesOf(resource).ref,
    inspect: async (input, context, path) =>
      inspectInput(resource, { id: await idOf(resource, path, context) }, { input, required, context }),
    args: (arg) => ({
      ...idArguments(resource, arg),
      input: arg({ type: Input, required: true, description: 'The new field values.' }),
      ...matchArgument(resource, arg),
    }),
    async resolve(args, context, info) {
      const write = {
        action,
        id: await idOf(resource, args, context),
        input: args['input'],
        ifMatch: expectedEtag(args),
      };
      return changeRow(resource, write, {
        context,
        selection: selectionOf(context, info),
        within: parentWhere(resource, args),
      });
    },
  });
}

function addDelete({ kit, resource, name }: Mount): void {
  const { words, scope, rest } = resource;
  kit.addOperation({
    ...itemOf(resource),
    action: 'delete',
    rest: rest.actions.includes('delete'),
    field: `delete${name}`,
    access: `${scope}:write`,
    description: `Delete ${words.one} and everything it owns. Returns the deleted row.`,
    returns: kit.typesOf(resource).ref,
    args: (arg) => ({ ...idArguments(resource, arg), ...matchArgument(resource, arg) }),
    async resolve(args, context, info) {
      const write = { action: 'delete', id: await idOf(resource, args, context), ifMatch: expectedEtag(args) } as const;
      return changeRow(resource, write, {
        context,
        selection: selectionOf(context, info),
        within: parentWhere(resource, args),
      });
    },
  });
}

/** The path of a single row, and how operations select it. */
const itemOf = ({ path, type, isSingleton }: Resource) => ({
  path: isSingleton ? path : `${path}/:id`,
  type,
  isSingleton,
});

function inputType(
  { kit, resource, extraFields }: Mount,
  typeName: string,
  action: 'create' | 'update' | 'replace',
  description: string,
  columns: readonly string[],
  required: readonly string[],
) {
  const { fields, nestedItems } = resource;
  return kit.builder.inputType(typeName, {
    description,
    fields: (t) => ({
      ...kit.inputFields(t, resource, columns, required, rulesOf(fields)),
      ...Object.fromEntries(
        Object.keys(nestedItems).map((relation) => [
          relation,
          t.field({
            type: [kit.nestedInput(listOf(resource, relation).target.model)],
            description: `The ${spaced(relation)}, in order.`,
          }),
        ]),
      ),
      ...(action !== 'update' && extraFields?.(t)),
      ...(action === 'create' && kit.newId(t, resource)),
    }),
  });
}

/** The argument of the parent's id. */
const parentArgumentName = ({ parent }: Resource) => parent && idArgument(parent.resource.type);

function parentArgument(resource: Resource, arg: ArgumentBuilder, required: boolean): InputFieldMap {
  const name = parentArgumentName(resource);
  if (!resource.parent || !name) return {};
  const { words, roles } = resource.parent.resource;
  const description = `The ${words.noun} it belongs to${required ? '' : '; by default, any'}.`;
  // In REST it is in the path; where it is not, a filter has the same name.
  return {
    [name]: arg.id({
      required,
      description,
      extensions: { stored: roles.key, rest: false },
    }),
  };
}

const idArguments = (resource: Resource, arg: ArgumentBuilder): InputFieldMap => ({
  ...parentArgument(resource, arg, false),
  ...(!resource.isSingleton && {
    id: arg.id({
      required: true,
      description: `ID of the ${resource.words.noun}.`,
      extensions: { stored: resource.roles.key },
    }),
  }),
});

const matchArgument = ({ words }: Resource, arg: ArgumentBuilder): InputFieldMap => ({
  ifMatch: arg.string({
    description: `Expected \`etag\` of the ${words.noun}. If it differs, nothing changes and the error is PRECONDITION_FAILED.`,
    extensions: { rest: false },
  }),
});

/** The id in the arguments, or that of a singleton's row. @throws ServiceError BAD_REQUEST or NOT_FOUND */
const idOf = async (resource: Resource, args: Readonly<Row>, context: Context): Promise<string> =>
  resource.isSingleton ? findSingletonId(resource, context) : uuidArgument(args, 'id');

/** The parent's id in the arguments; undefined for a resource without a parent. @throws ServiceError BAD_REQUEST */
function parentIdOf(resource: Resource, args: Readonly<Row>): string | undefined {
  const name = parentArgumentName(resource);
  return name && uuidArgument(args, name);
}

/** The condition for the rows of the parent that the arguments name; of all parents where they name none. */
function parentWhere(resource: Resource, args: Readonly<Row>): Where {
  const name = parentArgumentName(resource);
  return resource.parent && name && args[name] != null ? { [resource.parent.column]: uuidArgument(args, name) } : {};
}

/** Distinguishes an empty list from one of a parent that does not exist. @throws ServiceError NOT_FOUND */
async function assertParentExists(resource: Resource, args: Readonly<Row>, context: Context): Promise<void> {
  const name = parentArgumentName(resource);
  // A list of the rows of all parents has no parent id.
  if (!resource.parent || !name || args[name] == null) return;
  await assertExists(resource.parent.resource, uuidArgument(args, name), context);
}

/** The ETag that the row must have; none where any will do, as with `*`. */
const expectedEtag = ({ ifMatch }: Row): string | undefined =>
  typeof ifMatch === 'string' && ifMatch !== '*' ? ifMatch : undefined;

/** An argument that must be a uuid. @throws ServiceError BAD_REQUEST */
export function uuidArgument(args: Readonly<Row>, name: string): string {
  const value = args[name];
  if (!isUuid(value)) throw badRequest(messages.uuid, name);
  return value;
}
