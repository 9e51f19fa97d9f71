import type { ArgBuilder, InputFieldBuilder, InputFieldMap } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { badRequest } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { messages } from '../input/index.ts';
import { aOrAn, idArgument, lowerFirst, plural, words } from '../names.ts';
import type { SchemaTypes } from './builder.ts';
import { pathBelow } from './define.ts';
import { etagOf, etagSelection } from './etag.ts';
import type { Page, PageSelection } from './lists.ts';
import { columnFacts, listModel, type ModelName, type Row, requiredColumns, type Where } from './model.ts';
import type { ResourceAction } from './operation.ts';
import { assertExists, findPage, findRow, findSingletonId, type Selection, selectionOfPage } from './query.ts';
import type { Resource, SchemaKit } from './resource.ts';
import { createRow, deleteRow, updateRow } from './write.ts';
import { inspectInput, requiredOfClient, rulesOf, writableColumns } from './write-input.ts';

/** A resource at one path: its own, or the one it is mounted under. */
interface Mount {
  readonly kit: SchemaKit;
  readonly resource: Resource;
  /** The name of a row in root fields. */
  readonly name: string;
  /** Input fields of create and replace besides columns. */
  readonly extraFields?: ExtraFields;
}

type ExtraFields = (t: InputFieldBuilder<SchemaTypes, 'InputObject'>) => InputFieldMap;

/** Adds the root fields of a resource, each with its REST operation. */
export function addResourceOperations(kit: SchemaKit, resource: Resource): void {
  const { type, rest, graphql, actions } = resource;
  const extraFields = graphql.extraInput?.fields(kit);
  const own: Mount = { kit, resource, name: type, extraFields };
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
  const name = parent.type + type;
  for (const action of mounted) addAction({ kit, resource: below, name, extraFields }, action);
}

function addAction(mount: Mount, action: ResourceAction): void {
  const { type, isSingleton } = mount.resource;
  const thing = words(type);
  switch (action) {
    case 'list':
      return addList(mount);
    case 'read':
      return addRead(mount);
    case 'create':
      return addCreate(mount);
    case 'update':
      return addChange(
        mount,
        'update',
        `Update the given fields of ${isSingleton ? `the ${thing}` : aOrAn(thing)}. Null clears a field.`,
      );
    case 'replace':
      return addChange(mount, 'replace', `Replace ${aOrAn(thing)}. Omitted fields are reset to their defaults.`);
    case 'delete':
      return addDelete(mount);
  }
}

function addList({ kit, resource, name }: Mount): void {
  const { type, scope, path, rest, pageSize } = resource;
  const { connection, listArguments } = kit.typesOf(resource);
  const readPage = async (args: Row, context: Context, selection: PageSelection): Promise<Page> => {
    const page = await findPage(kit, resource, args, parentWhere(resource, args), context, selection);
    if (page.rows.length === 0) await assertParentExists(resource, args, context);
    return page;
  };
  kit.addOperation({
    action: 'list',
    rest: rest.actions.includes('list'),
    field: lowerFirst(plural(name)),
    path,
    aliases: rest.aliases,
    parameters: rest.parameters,
    access: `${scope}:read`,
    type,
    description: `List ${words(plural(type))}, a page at a time.`,
    returns: connection,
    args: (arg) => ({ ...parentArgument(resource, arg, false), ...listArguments(arg, pageSize) }),
    resolve: (args, context, info) => readPage(args, context, selectionOfPage(resource, context, info)),
    readPage,
  });
}

function addRead({ kit, resource, name }: Mount): void {
  const { type, scope, rest, isSingleton, etag } = resource;
  const whole = { select: etagSelection(etag) };
  const find = async (args: Readonly<Row>, context: Context, selection: Selection) =>
    findRow(resource, await idOf(resource, args, context), parentWhere(resource, args), context, selection);
  kit.addOperation({
    ...itemOf(resource),
    action: 'read',
    rest: rest.actions.includes('read'),
    field: lowerFirst(name),
    access: `${scope}:read`,
    description: isSingleton ? `Get the ${words(type)} of the company.` : `Get ${aOrAn(words(type))} by its ID.`,
    returns: kit.typesOf(resource).ref,
    args: (arg) => idArguments(resource, arg),
    resolve: (args, context, info) => find(args, context, selectionOf(context, info)),
    async readRow(args, context) {
      const row = await find(args, context, whole);
      return { row, etag: etagOf(etag, row) };
    },
  });
}

function addCreate(mount: Mount): void {
  const { kit, resource, name } = mount;
  const { type, scope, path, rest } = resource;
  const columns = writableColumns(resource, 'create');
  const required = requiredOfClient(resource);
  const thing = words(type);
  const Input = inputType(mount, `Create${name}Input`, 'create', `A new ${thing}.`, columns, required);
  kit.addOperation({
    action: 'create',
    rest: rest.actions.includes('create'),
    field: `create${name}`,
    path,
    access: `${scope}:write`,
    type,
    description: `Create ${aOrAn(thing)}.`,
    returns: kit.typesOf(resource).ref,
    inspect: async (input, context, path) =>
      inspectInput(resource, { parentId: parentIdOf(resource, path) }, { input, required, context }),
    args: (arg) => ({
      ...parentArgument(resource, arg, true),
      input: arg({ type: Input, required: true, description: `The new ${thing}.` }),
    }),
    async resolve(args, context, info) {
      const request = {
        input: args['input'],
        required,
        context,
        selection: selectionOf(context, info),
      };
      return createRow(resource, parentIdOf(resource, args), request);
    },
  });
}

function addChange(mount: Mount, action: 'update' | 'replace', description: string): void {
  const { kit, resource, name } = mount;
  const { scope, rest } = resource;
  const columns = writableColumns(resource, action);
  const replaces = action === 'replace';
  const required = replaces ? requiredColumns(resource.model, columns) : undefined;
  const base = replaces ? columnDefaults(resource.model, columns) : {};
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
      const input = withDefaults(base, args['input']);
      const request = {
        input,
        required,
        context,
        selection: selectionOf(context, info),
        ifMatch: expectedEtag(args),
      };
      const id = await idOf(resource, args, context);
      return updateRow(resource, id, parentWhere(resource, args), request);
    },
  });
}

function addDelete({ kit, resource, name }: Mount): void {
  const { type, scope, rest } = resource;
  kit.addOperation({
    ...itemOf(resource),
    action: 'delete',
    rest: rest.actions.includes('delete'),
    field: `delete${name}`,
    access: `${scope}:write`,
    description: `Delete ${aOrAn(words(type))} and everything it owns. Returns the deleted row.`,
    returns: kit.typesOf(resource).ref,
    args: (arg) => ({ ...idArguments(resource, arg), ...matchArgument(resource, arg) }),
    resolve: async (args, context, info) =>
      deleteRow(resource, await idOf(resource, args, context), parentWhere(resource, args), {
        context,
        selection: selectionOf(context, info),
        ifMatch: expectedEtag(args),
      }),
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
  const { model, fields, nestedItems } = resource;
  return kit.builder.inputType(typeName, {
    description,
    fields: (t) => ({
      ...kit.inputFields(t, model, columns, required, rulesOf(fields)),
      ...Object.fromEntries(
        Object.keys(nestedItems).map((relation) => [
          relation,
          t.field({
            type: [kit.nestedInput(listModel(model, relation))],
            description: `The ${words(relation)}, in order.`,
          }),
        ]),
      ),
      ...(action !== 'update' && extraFields?.(t)),
    }),
  });
}

/** The argument of the parent's id. */
const parentArgumentName = ({ parent }: Resource) => parent && idArgument(parent.resource.type);

function parentArgument(resource: Resource, arg: ArgBuilder<SchemaTypes>, required: boolean): InputFieldMap {
  const name = parentArgumentName(resource);
  if (!resource.parent || !name) return {};
  const { type, model } = resource.parent.resource;
  const description = `The ${words(type)} it belongs to${required ? '' : '; by default, any'}.`;
  // In REST it is in the path; where it is not, a filter has the same name.
  return { [name]: arg.id({ required, description, extensions: { column: [model, 'id'], rest: false } }) };
}

const idArguments = (resource: Resource, arg: ArgBuilder<SchemaTypes>): InputFieldMap => ({
  ...parentArgument(resource, arg, false),
  ...(!resource.isSingleton && {
    id: arg.id({
      required: true,
      description: `ID of the ${words(resource.type)}.`,
      extensions: { column: [resource.model, 'id'] },
    }),
  }),
});

const matchArgument = ({ type }: Resource, arg: ArgBuilder<SchemaTypes>): InputFieldMap => ({
  ifMatch: arg.string({
    description: `Expected \`etag\` of the ${words(type)}. If it differs, nothing changes and the error is PRECONDITION_FAILED.`,
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

/** The fields of the row that a client selects. */
const selectionOf = (context: Context, info: GraphQLResolveInfo): Selection => queryFromInfo({ context, info });

/** The ETag that the row must have; none where any will do, as with `*`. */
const expectedEtag = ({ ifMatch }: Row): string | undefined =>
  typeof ifMatch === 'string' && ifMatch !== '*' ? ifMatch : undefined;

/** An argument that must be a uuid. @throws ServiceError BAD_REQUEST */
export function uuidArgument(args: Readonly<Row>, name: string): string {
  const value = args[name];
  if (!isUuid(value)) throw badRequest(messages.uuid, name);
  return value;
}

/** Fills missing and null values of a body from `base`. */
const withDefaults = (base: Row, body: Row): Row => ({
  ...base,
  ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? base[name] ?? value])),
});

/** The values of a replaced row's columns that the body leaves out. */
const columnDefaults = (model: ModelName, columns: readonly string[]): Row =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const { required, default: value } = columnFacts(model, column);
      return required && value === undefined ? [] : [[column, value ?? null]];
    }),
  );
