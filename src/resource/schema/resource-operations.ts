import type { Context } from '../../context.ts';
import { lowerFirst, spaced } from '../../names.ts';
import { withoutHidden } from '../access/hidden-columns.ts';
import { pathBelow } from '../definition/define.ts';
import { etagOf, etagSelection } from '../definition/etag.ts';
import { linksOf } from '../definition/list-below.ts';
import { listOf, type Row, requiredColumns } from '../definition/model.ts';
import type { ResourceAction } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import { getOrCreate } from '../get-or-create.ts';
import type { Page, PageSelection, Selected } from '../read/lists.ts';
import { findPage, findRow } from '../read/query.ts';
import { inspectInput, requiredOfClient, rulesOf, writableColumns } from '../write/input.ts';
import { changeRow, createRow } from '../write/write.ts';
import { addManyOperations, type InputTypes } from './many-operations.ts';
import {
  assertParentExists,
  expectedEtag,
  idArguments,
  idOf,
  matchArgument,
  parentArgument,
  parentIdOf,
  parentWhere,
} from './row-arguments.ts';
import { addInput, fieldsBelow, inputName, needsOwnInput } from './rows-below.ts';
import type { InputFieldMap, InputFields, SchemaKit } from './schema-kit.ts';
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

type InputTypeRef = InputTypes['create'];

/** Adds the root fields of a resource, each with its REST operation. */
export function addResourceOperations(kit: SchemaKit, resource: Resource): void {
  const { type, words, rest, actions } = resource;
  const extraFields = extraFieldsOf(kit, resource);
  const own: Mount = { kit, resource, name: type, manyInNames: words.manyInNames, extraFields };
  let inputs: InputTypes = {};
  for (const action of actions) inputs = { ...inputs, ...addAction(own, action) };
  addManyOperations(kit, resource, inputs);
  if (actions.includes('create')) addInputsBelow(kit, resource);
  if (!rest.mountedUnder) return;
  const { resource: parent, column, path, actions: mounted } = rest.mountedUnder;
  const below: Resource = {
    ...resource,
    scope: parent.scope,
    listAccess: `${parent.scope}:read`,
    path: pathBelow(parent, path),
    parent: { resource: parent, column },
    rest: { ...rest, actions: mounted, aliases: [] },
  };
  const names = { name: parent.type + type, manyInNames: parent.type + words.manyInNames };
  for (const action of mounted) addAction({ kit, resource: below, ...names, extraFields }, action);
}

/** The extra input of each schema's resources: several inputs have the same fields, whose types exist once. */
const extraInputs = new WeakMap<SchemaKit, Map<string, ExtraFields>>();

function extraFieldsOf(kit: SchemaKit, { type, graphql }: Resource): ExtraFields | undefined {
  // Typed by its options.
  const fields = graphql.extraInput?.fields as ((kit: SchemaKit) => ExtraFields) | undefined;
  const known = getOrCreate(extraInputs, kit, () => new Map<string, ExtraFields>());
  return fields && getOrCreate(known, type, () => fields(kit));
}

/** @returns the input type that it has, if other operations take it too */
function addAction(mount: Mount, action: ResourceAction): InputTypes {
  const { one } = mount.resource.words;
  switch (action) {
    case 'list':
      addList(mount);
      break;
    case 'read':
      addRead(mount);
      break;
    case 'create':
      return { create: addCreate(mount) };
    case 'update':
      return { update: addChange(mount, 'update', `Update the given fields of ${one}. Null clears a field.`) };
    case 'replace':
      addChange(mount, 'replace', `Replace ${one}. Omitted fields are reset to their defaults.`);
      break;
    case 'delete':
      addDelete(mount);
  }
  return {};
}

function addList({ kit, resource, manyInNames }: Mount): void {
  const { registry } = kit;
  const { type, words, listAccess: access, tag, path, rest, pageSize } = resource;
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
    access,
    tag,
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

function addCreate(mount: Mount): InputTypeRef {
  const { kit, resource, name } = mount;
  const { type, words, scope, path, rest } = resource;
  const { listsBelow } = kit.registry;
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
      inspectInput(resource, { parentId: parentIdOf(resource, path) }, { input, required, context, listsBelow }),
    args: (arg) => ({
      ...parentArgument(resource, arg, true),
      input: arg({ type: Input, required: true, description: `The new ${noun}.` }),
    }),
    async resolve(args, context, info) {
      const selection = selectionOf(context, info);
      const parentId = parentIdOf(resource, args);
      return createRow(resource, args['input'], { context, selection, parentId, listsBelow });
    },
  });
  return Input;
}

function addChange(mount: Mount, action: 'update' | 'replace', description: string): InputTypeRef {
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
      input: arg({ type: Input, required: true, description: 'New values.' }),
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
  return Input;
}

function addDelete({ kit, resource, name }: Mount): void {
  const { words, scope, rest } = resource;
  kit.addOperation({
    ...itemOf(resource),
    action: 'delete',
    rest: rest.actions.includes('delete'),
    field: `delete${name}`,
    access: `${scope}:write`,
    description: `Delete ${words.one} and everything it owns.`,
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

/** Creates the inputs of rows of lists that do not take the one of their own resource. */
function addInputsBelow(kit: SchemaKit, resource: Resource): void {
  for (const list of kit.registry.listsBelow(resource).filter(needsOwnInput)) {
    const { resource: below } = list;
    const links = linksOf(list);
    const free = (columns: readonly string[]) => columns.filter((column) => !links.includes(column));
    const { noun } = below.words;
    const given = { kit, resource: below, extraFields: extraFieldsOf(kit, below) };
    const columns = free(writableColumns(below, 'create'));
    const description = `A new ${noun} of a new ${resource.words.noun}.`;
    inputType(given, inputName(kit, resource, list), 'create', description, columns, free(requiredOfClient(below)));
  }
}

/** The path of a single row, and how operations select it. */
const itemOf = ({ path, type, isSingleton }: Resource) => ({
  path: isSingleton ? path : `${path}/:id`,
  type,
  isSingleton,
});

function inputType(
  { kit, resource, extraFields }: Pick<Mount, 'kit' | 'resource' | 'extraFields'>,
  typeName: string,
  action: 'create' | 'update' | 'replace',
  description: string,
  columns: readonly string[],
  required: readonly string[],
) {
  const { fields, nestedItems } = resource;
  return addInput(kit, typeName, {
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
      ...(action === 'create' && { ...kit.newId(t, resource), ...fieldsBelow(kit, t, resource) }),
    }),
  });
}
