import { idArgument } from '../names.ts';
import { etagParts } from './etag.ts';
import type { RowHooks } from './hooks.ts';
import { type ModelName, modelFacts } from './model.ts';
import type { Action } from './operation.ts';
import type { Resource, ResourceOptions, SchemaExtension, SchemaKit } from './resource.ts';

const defaultActions: readonly Action[] = ['list', 'read', 'create', 'update', 'delete'];

/** The path of a collection below a resource's items. */
export const pathBelow = ({ path, type }: Resource, child: string): string => `${path}/:${idArgument(type)}${child}`;

/**
 * Defines a resource: a GraphQL type, its root fields, and their REST routes.
 *
 * @param model its Prisma model
 * @returns the definition, to be listed in `src/schema/index.ts`
 */
export function defineResource<
  Model extends ModelName,
  Parent extends ModelName = ModelName,
  Locks extends boolean = false,
>(model: Model, options: ResourceOptions<Model, Parent, Locks>): Resource<Model> {
  const { parent, fields, list = {}, access = {}, graphql = {}, rest, nestedItems = {}, hooks = {} } = options;
  const type = graphql.type ?? model;
  const scope = options.scope ?? parent?.resource.scope;
  if (!scope) throw new Error(`${type} names no scope group and has no parent.`);
  const timestamps = ['createdAt', 'updatedAt'].filter((column) => column in modelFacts(model).columns);
  const columns = ['id', ...Object.keys(fields), ...timestamps];
  const actions = access.actions ?? defaultActions;
  const { virtualFields, extraInput, etagSelect, relations = [] } = graphql;
  const normalized = Object.entries(fields as Resource['fields']).flatMap(([name, { comparedAs }]) =>
    comparedAs ? [[name, comparedAs] as const] : [],
  );
  const definition: Omit<Resource, 'model'> = {
    kind: 'resource',
    type,
    scope,
    path: parent ? pathBelow(parent.resource, rest.path) : rest.path,
    parent,
    isSingleton: options.isSingleton ?? false,
    columns,
    // Typed by one model's columns above; from here on columns are plain names.
    fields: fields as Resource['fields'],
    search: list.search ?? [],
    filters: list.filters ?? {},
    measures: list.measures ?? {},
    normalized: Object.fromEntries(normalized),
    pageSize: list.pageSize ?? 25,
    actions,
    accessFilter: access.filter,
    graphql: { relations, virtualFields, extraInput },
    rest: {
      actions: rest.actions ?? actions,
      // Without the parent's id, the path lists the rows of all parents.
      aliases: [...(rest.aliases ?? []), ...(parent ? [parent.resource.path + rest.path] : [])],
      parameters: rest.parameters ?? {},
      mountedUnder: rest.mountedUnder,
    },
    // Typed by the model's rows above; from here on rows are plain objects.
    hooks: hooks as unknown as RowHooks,
    nestedItems,
    etag: etagParts(columns, nestedItems, etagSelect as Record<string, object> | undefined),
    refreshStale: options.refreshStale,
  };
  return { ...definition, model };
}

/**
 * Defines types and operations that belong to no resource, or adds fields to resources.
 *
 * @param extend called once for each schema that is built
 */
export const extendSchema = (extend: (kit: SchemaKit) => void): SchemaExtension => ({ kind: 'extension', extend });
