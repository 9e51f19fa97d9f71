import type { ArgBuilder, FieldMap, InputFieldMap } from '@pothos/core';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import type { Access } from '../auth/access.ts';
import type { Context } from '../context.ts';
import { badRequest, notFound } from '../errors.ts';
import { aOrAn, idArgument, lowerFirst, plural, words } from '../names.ts';
import { type Aggregates, aggregatesDescription, aggregatesName, aggregatesOf, readGroups } from './aggregates.ts';
import { builder, type SchemaTypes } from './builder.ts';
import type { Resource, ResourceOptions } from './define.ts';
import { etagOf, etagSelection } from './etag.ts';
import { lineInput, lineModel, requiredOf } from './lines.ts';
import { and, type ListArguments, type Page, type Row, readPage, type Where } from './lists.ts';
import { columnFacts, type ModelName } from './model.ts';
import { type Action, type Operation, operations } from './registry.ts';
import { settleTime } from './time.ts';
import { inputField } from './types.ts';
import { isUuid } from './validate.ts';
import {
  byId,
  createRow,
  delegate,
  deleteRow,
  inspectBody,
  type Selection,
  tenant,
  updateRow,
  type Writing,
} from './writes.ts';

/** What the kit uses of Pothos's root field builders; theirs infer more from literal options than it can give. */
interface RootFieldBuilder {
  readonly arg: ArgBuilder<SchemaTypes>;
  field(options: {
    type: RootField['returns'];
    nullable: true;
    description: string;
    authScopes: { access: Access };
    extensions: { access: Access };
    args: InputFieldMap;
    resolve: (root: unknown, args: Row, context: Context, info: GraphQLResolveInfo) => unknown;
  }): FieldMap[string];
}

type Returned = Resource['ref'] | Resource['connection'] | Aggregates['ref'];

/** A root field and the REST operation that answers with it. */
export interface RootField extends Omit<Operation, 'kind'> {
  /** Whether REST offers it too. */
  readonly rest: boolean;
  readonly description: string;
  /** The type it returns: the row's or its connection, a list of rows, or a type of the family's own. */
  readonly returns: Returned | [Returned];
  readonly args: (arg: ArgBuilder<SchemaTypes>) => InputFieldMap;
  readonly resolve: (args: Row, context: Context, info: GraphQLResolveInfo) => Promise<unknown>;
}

/** Adds a root field: a query when it lists or reads, a mutation when it writes. */
export function rootField({ rest, description, returns, args, resolve, ...operation }: RootField): void {
  const { field, access, action } = operation;
  const kind = action === 'list' || action === 'read' ? 'Query' : 'Mutation';
  if (rest) operations.push({ ...operation, kind });
  const fields = (t: RootFieldBuilder): FieldMap => ({
    [field]: t.field({
      type: returns,
      // A refused or failed field is null with its error, and takes nothing else of the answer down.
      nullable: true,
      description,
      authScopes: { access },
      extensions: { access },
      args: args(t.arg),
      async resolve(_root, given, context, info) {
        await settleTime(context, info);
        return resolve(given, context, info);
      },
    }),
  });
  if (kind === 'Query') builder.queryFields(fields);
  else builder.mutationFields(fields);
}

const defaultActions: readonly Action[] = ['list', 'read', 'create', 'update', 'delete'];

/**
 * Adds the root fields of a resource.
 * @param name what they are named after: its type or, where it is also offered elsewhere, another name
 */
export function addOperations(resource: Resource, name: string, options: ResourceOptions<ModelName>): void {
  const { scope, path, shown, ref: returns } = resource;
  const { type, model } = resource.listing;
  const {
    parent,
    single,
    pageSize = 25,
    actions = defaultActions,
    rest = actions,
    update = [],
    fixed = [],
    lines = {},
  } = options;
  const input = (options.input ?? []).filter((column) => column !== parent?.column);
  const parentType = parent?.resource.listing.type;
  const parentArg = parentType && idArgument(parentType);
  const writing: Writing = {
    ...(options as unknown as Writing),
    type,
    model,
    shown,
    rules: options.rules ?? {},
    parent: parent && {
      column: parent.column,
      type: parent.resource.listing.type,
      model: parent.resource.listing.model,
      hold: parent.hold,
    },
  };
  const thing = words(type);
  const aThing = aOrAn(thing);
  const item = { path: single ? path : `${path}/:id`, type, returns };

  const parentArgument = (arg: ArgBuilder<SchemaTypes>, required: boolean): InputFieldMap =>
    parentType && parentArg
      ? {
          [parentArg]: arg.id({
            required,
            description: `The ${words(parentType)} it belongs to.`,
            extensions: { column: [parent.resource.listing.model, 'id'] },
          }),
        }
      : {};
  const idArguments = (arg: ArgBuilder<SchemaTypes>) => ({
    ...parentArgument(arg, false),
    ...(!single && {
      id: arg.id({ required: true, description: `The id of the ${thing}.`, extensions: { column: [model, 'id'] } }),
    }),
  });
  /** The id that the arguments name, or that of the company's only row. */
  const idOf = async (args: Row, context: Context): Promise<string> => {
    if (!single) return uuid(args, 'id');
    const [row] = await delegate(context.db, model).findMany({
      where: tenant(model, context),
      select: { id: true },
      take: 1,
    });
    if (!row) throw notFound(type);
    return String(row['id']);
  };
  const matchArgument = (arg: ArgBuilder<SchemaTypes>): InputFieldMap => ({
    ifMatch: arg.string({
      description: `The \`etag\` that the ${thing} must have; with another one nothing is changed, and the error is PRECONDITION_FAILED.`,
      extensions: { rest: false },
    }),
  });
  /** What a client asks of the row, and what its ETag is made of if that is wanted. */
  const selectionOf = (context: Context, info: GraphQLResolveInfo): Selection =>
    // The kit's selections are Prisma's, which Pothos has a type of its own for.
    queryFromInfo({ context, info, select: context.tellEtag && (etagSelection(shown) as Record<string, true>) });
  const told = (row: Row, { tellEtag }: Context): Row => {
    tellEtag?.(etagOf(shown, row));
    return row;
  };
  /** Whose rows the arguments ask for, and which of them exist for the caller. */
  const within = (args: Row, context: Context): Where => {
    const ofParent = parent && parentArg && args[parentArg] != null;
    return and([ofParent ? { [parent.column]: uuid(args, parentArg) } : {}, resource.visible?.(context) ?? {}]);
  };

  const add: Partial<Record<Action, () => void>> = {
    list: () => {
      const { connection, arguments: listed } = resource;
      rootField({
        action: 'list',
        rest: rest.includes('list'),
        field: lowerFirst(plural(name)),
        path,
        access: `${scope}:read`,
        type,
        description: `The ${words(plural(type))}, a page at a time.`,
        returns: connection,
        args: (arg) => ({ ...parentArgument(arg, true), ...listed(arg, pageSize) }),
        async resolve(args, context, info) {
          const page = await listRows(resource, args, within(args, context), context, info);
          // No rows is also what a parent that does not exist has.
          if (parent && parentArg && page.rows.length === 0)
            await exists(parent.resource, uuid(args, parentArg), context);
          return page;
        },
      });
      const aggregates = aggregatesOf(resource, options.relations ?? []);
      rootField({
        action: 'list',
        rest: false,
        field: aggregatesName(name),
        path,
        access: `${scope}:read`,
        type,
        description: aggregatesDescription(type),
        returns: [aggregates.ref],
        args: (arg) => ({ ...parentArgument(arg, true), ...aggregates.arguments(arg) }),
        async resolve(args, context, info) {
          const groups = await readGroups(resource, args, within(args, context), context, info);
          if (parent && parentArg && !groups.some(({ count }) => count))
            await exists(parent.resource, uuid(args, parentArg), context);
          return groups;
        },
      });
    },
    read: () =>
      rootField({
        ...item,
        action: 'read',
        rest: rest.includes('read'),
        field: lowerFirst(name),
        access: `${scope}:read`,
        description: single ? `The ${thing} of the company.` : `One ${thing} by its id.`,
        args: idArguments,
        resolve: async (args, context, info) =>
          told(
            await findRow(
              resource,
              await idOf(args, context),
              within(args, context),
              context,
              selectionOf(context, info),
            ),
            context,
          ),
      }),
    create: () => {
      const required = requiredFields(true);
      const Input = inputType('Create', `A new ${thing}.`, input, required);
      rootField({
        action: 'create',
        rest: rest.includes('create'),
        field: `create${name}`,
        path,
        access: `${scope}:write`,
        type,
        description: `Makes ${aThing}.`,
        returns,
        inspect: async (body, context, path) =>
          (await inspectBody(writing, { parentId: parentArg && uuid(path, parentArg) }, body, required, context, true))
            .faults,
        args: (arg) => ({
          ...parentArgument(arg, true),
          input: arg({ type: Input, required: true, description: `The new ${thing}.` }),
        }),
        async resolve(args, context, info) {
          const selection = selectionOf(context, info);
          return told(
            await createRow(writing, parentArg && uuid(args, parentArg), {
              body: args['input'] as Row,
              required,
              context,
              selection,
            }),
            context,
          );
        },
      });
    },
    update: () =>
      change(
        'update',
        'Update',
        undefined,
        `Changes the fields of ${single ? `the ${thing}` : aThing} that are given, and no others; null clears one.`,
      ),
    replace: () =>
      change(
        'replace',
        'Replace',
        requiredFields(false),
        `Replaces ${aThing}: a field left out returns to its default.`,
      ),
    delete: () =>
      rootField({
        ...item,
        action: 'delete',
        rest: rest.includes('delete'),
        field: `delete${name}`,
        access: `${scope}:write`,
        description: `Deletes ${aThing} and what it owns, and answers with what it was.`,
        args: (arg) => ({ ...idArguments(arg), ...matchArgument(arg) }),
        resolve: (args, context, info) =>
          deleteRow(
            writing,
            uuid(args, 'id'),
            within(args, context),
            context,
            queryFromInfo({ context, info }),
            matchOf(args),
          ),
      }),
  };

  function change(
    action: 'update' | 'replace',
    verb: 'Update' | 'Replace',
    required: readonly string[] | undefined,
    description: string,
  ) {
    const columns = [...input.filter((column) => !fixed.includes(column)), ...update];
    const Input = inputType(verb, description, columns, required ?? []);
    const base = action === 'replace' ? defaults(model, columns) : {};
    rootField({
      ...item,
      action,
      rest: rest.includes(action),
      field: `${action}${name}`,
      access: `${scope}:write`,
      description,
      inspect: async (body, context, path) =>
        (await inspectBody(writing, { id: await idOf(path, context) }, body, required, context, true)).faults,
      args: (arg) => ({
        ...idArguments(arg),
        input: arg({ type: Input, required: true, description: 'The fields.' }),
        ...matchArgument(arg),
      }),
      async resolve(args, context, info) {
        const ask = {
          body: filled(base, args['input'] as Row),
          required,
          context,
          selection: selectionOf(context, info),
          ifMatch: matchOf(args),
        };
        return told(await updateRow(writing, await idOf(args, context), within(args, context), ask), context);
      },
    });
  }

  /** What a body must have: the columns that the service does not fill itself. */
  function requiredFields(creating: boolean): string[] {
    return requiredOf(model, input).filter((column) => !creating || !(column in (options.defaults ?? {})));
  }

  function inputType(verb: string, description: string, columns: readonly string[], required: readonly string[]) {
    return builder.inputType(`${verb}${name}Input`, {
      description,
      fields: (t) => ({
        ...Object.fromEntries(
          columns.map((column) => [
            column,
            inputField(t, model, column, required.includes(column), options.rules?.[column as never]),
          ]),
        ),
        ...Object.fromEntries(
          Object.keys(lines).map((relation) => [
            relation,
            t.field({
              type: [lineInput(lineModel(model, relation))],
              description: `Its ${words(relation)}, in order.`,
            }),
          ]),
        ),
        ...(verb !== 'Update' && options.inputs?.(t)),
      }),
    });
  }

  for (const action of actions) add[action]?.();
}

/**
 * Reads one page of a list.
 * @throws ServiceError BAD_REQUEST naming a wrong argument
 */
export async function listRows(
  { listing, visible }: Resource,
  args: ListArguments,
  within: Where,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Page> {
  const { model, type } = listing;
  const { filter, query, page } = readPage(listing, args, context);
  const base = and([tenant(model, context), within, visible?.(context) ?? {}]);
  const selection = queryFromInfo({
    context,
    info,
    typeName: type,
    select: query.select,
    paths: [['nodes'], ['edges', 'node']],
  });
  const rows = await delegate(context.db, model).findMany({ ...query, ...selection, where: and([base, query.where]) });
  return page(rows, () => delegate(context.db, model).count({ where: and([base, filter]) }));
}

/** Reads one row of the caller's company. @throws ServiceError NOT_FOUND */
async function findRow(
  { listing }: Resource,
  id: string,
  within: Where,
  context: Context,
  selection: Selection,
): Promise<Row> {
  const row = await delegate(context.db, listing.model).findUnique({
    where: byId(listing.model, id, context, within),
    ...selection,
  });
  if (!row) throw notFound(listing.type);
  return row;
}

/** @throws ServiceError NOT_FOUND unless the caller's company has this row */
export const exists = (resource: Resource, id: string, context: Context) =>
  findRow(resource, id, resource.visible?.(context) ?? {}, context, { select: { id: true } });

/** The ETag that the row must have; any is as good as none asked for. */
const matchOf = ({ ifMatch }: Row): string | undefined =>
  typeof ifMatch === 'string' && ifMatch !== '*' ? ifMatch : undefined;

/** An argument that must be a uuid. @throws ServiceError BAD_REQUEST */
export function uuid(args: Row, name: string): string {
  const value = args[name];
  if (!isUuid(value)) throw badRequest('must be a uuid', name);
  return value;
}

/** A body with what it leaves out, or has null for, taken from `base`. */
const filled = (base: Row, body: Row): Row => ({
  ...base,
  ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? base[name] ?? value])),
});

/** What a replaced row's columns hold unless the body says otherwise. */
const defaults = (model: ModelName, columns: readonly string[]): Row =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const { required, default: value } = columnFacts(model, column);
      return required && value === undefined ? [] : [[column, value ?? null]];
    }),
  );
