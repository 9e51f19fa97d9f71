import type { Context } from '../../context.ts';
import { isUserReference, type StoredField } from '../../database/stored-field.ts';
import { idArgument } from '../../names.ts';
import { policyActions } from '../access/decide.ts';
import type { SchemaExtension, SchemaKit } from '../schema/schema-kit.ts';
import type { NewRows } from '../write/input.ts';
import { etagParts } from './etag.ts';
import { modelFacts } from './facts.ts';
import type { Hooks, RowHooks } from './hooks.ts';
import { storedWith } from './member.ts';
import { apiField, type Column, type ModelName, type Rows, requiredColumns, type Stored, type Where } from './model.ts';
import type { Operation, ResourceAction } from './operation.ts';
import type { DefaultAction, ParentOptions, PoliciesOf, ResourceOptions } from './options.ts';
import { buildPolicies, type Policies, type PolicyOptions } from './policy.ts';
import type { ConvertInput, Resource } from './resource.ts';
import { wordsOf } from './words.ts';

const defaultActions: readonly DefaultAction[] = ['list', 'read', 'create', 'update', 'delete'];

/** The path of a collection below a resource's items. */
export const pathBelow = ({ path, type }: Resource, child: string): string => `${path}/:${idArgument(type)}${child}`;

/**
 * Defines a resource: a GraphQL type, its root fields, and their REST routes.
 *
 * @param model its Prisma model
 * @returns the definition, to be listed in `src/schema/index.ts`
 * @throws Error for a part of it that would have no effect, and for one that is missing
 */
export function defineResource<
  Model extends ModelName,
  Parent extends ParentOptions<Model> = ParentOptions<Model>,
  Action extends ResourceAction = DefaultAction,
  Field extends string = Column<Model>,
>(model: Model, options: ResourceOptions<Model, Parent, Action, Field>): Resource<Model> {
  const { parent, list = {}, access = {}, graphql = {}, rest, nestedItems = {}, hooks = {} } = options;
  const type = graphql.type ?? model;
  const rows = modelFacts(model);
  const words = wordsOf(type, { ...(type === model && rows.words), ...options.words });
  const scope = options.scope ?? parent?.resource.scope;
  if (!scope) throw new Error(`${type} names no scope group and has no parent.`);
  const declared = fieldsWithParent(options);
  assertEffective(rows, type, declared);
  const { key, creation, update, externalSource, externalId, attachments } = rows.roles;
  const namesOf = (common: readonly (StoredField | undefined)[]) => common.flatMap((field) => field?.name ?? []);
  const fields: Resource['fields'] = {
    ...declared,
    ...Object.fromEntries(namesOf([attachments, externalSource, externalId]).map((name) => [name, {}])),
  };
  const stored = storedWith(rows, fields);
  const columns = [...namesOf([key]), ...Object.keys(fields), ...namesOf([creation, update])];
  const actions: readonly ResourceAction[] = access.actions ?? defaultActions;
  if (actions.includes('create') && !hooks.resolveInput?.create) assertComplete(rows, type, columns);
  // Typed by the model's rows above; from here on rows are plain objects.
  const rowHooks = hooks as unknown as RowHooks;
  const { virtualFields, extraInput, etagSelect } = graphql;
  const [path, ...aliases] = typeof rest.path === 'string' ? [rest.path] : rest.path;
  const relations = relationsWithParent(rows, parent, graphql.relations);
  const normalized = Object.entries(fields).flatMap(([name, { comparedAs }]) =>
    comparedAs
      ? [[name, { field: apiField({ stored }, comparedAs.column), normalize: comparedAs.normalize }] as const]
      : [],
  );
  return {
    ...rows,
    kind: 'resource',
    model,
    type,
    scope,
    listAccess: `${scope}:read`,
    words: { ...words, title: options.words?.title },
    path: parent ? pathBelow(parent.resource, path) : path,
    parent,
    isSingleton: isSingleton(rows),
    stored,
    columns,
    fields,
    shownColumns: list.columns ?? columnsShown({ stored }, Object.keys(declared), options.words?.title, parent?.column),
    search: list.search ?? [],
    content: list.content,
    filters: list.filters ?? {},
    measures: list.measures ?? {},
    ranges: list.ranges ?? {},
    normalized: Object.fromEntries(normalized),
    pageSize: list.pageSize ?? 25,
    actions,
    accessFilter: access.filter,
    policies: policiesOf({ ...rows, type, words }, access, [...columns, ...Object.keys(nestedItems)], actions),
    graphql: { relations, virtualFields, extraInput },
    rest: {
      actions: rest.actions ?? actions,
      // Without the parent's id, the path lists the rows of all parents.
      aliases: [...aliases, ...(parent ? [parent.resource.path + path] : [])],
      parameters: rest.parameters ?? {},
      mountedUnder: rest.mountedUnder,
    },
    hooks: rowHooks,
    nestedItems,
    // Its keys are relations of the model in the options, and plain names from here on.
    etag: etagParts(columns, nestedItems, etagSelect as Record<string, object> | undefined),
    refreshStale: options.refreshStale,
  };
}

/** What a list of rows that are no resource has of a resource. */
type ListingOptions<Model extends ModelName, Parent extends ParentOptions<Model>> = Pick<
  ResourceOptions<Model, Parent, 'list'>,
  'scope' | 'words' | 'parent' | 'fields' | 'list' | 'graphql' | 'rest'
> & {
  /** What it requires instead of the scope; and its group in API references. */
  readonly requires?: {
    readonly access: 'management' | 'admin' | 'caller';
    readonly tag: NonNullable<Operation['tag']>;
  };
  /** Limits the rows that the caller can access. */
  readonly filter?: (context: Context) => Where;
};

/**
 * Defines a list of rows that are no resource, such as line items: it has the filters, sort keys, measures and routes
 * of other lists. Its rows are neither written nor logged by it, and those of a model that no resource has.
 *
 * @returns the definition, to be listed in `src/schema/index.ts`
 */
export function defineListing<Model extends ModelName, Parent extends ParentOptions<Model> = ParentOptions<Model>>(
  model: Model,
  { requires, filter, ...options }: ListingOptions<Model, Parent>,
): Resource<Model> {
  const access = { actions: ['list'], filter } as const;
  const resource = defineResource<Model, Parent, 'list'>(model, { ...options, access });
  const { listAccess, roles } = resource;
  return {
    ...resource,
    kind: 'listing',
    // Rows are sorted by their ids, for which each table has an index: they are as the times of their creation.
    columns: resource.columns.filter((name) => name !== roles.creation?.name),
    listAccess: requires?.access ?? listAccess,
    tag: requires?.tag,
  };
}

/**
 * Defines rows that an operation of its own creates, by `createRow`: those of no resource, or of one whose rows clients
 * do not create otherwise.
 *
 * @param options the columns that the input sets, with their policies; who may create them; what further input is
 *   converted to; and hooks
 */
export function defineNewRows<Model extends ModelName>(
  model: Model,
  {
    fields,
    access = {},
    convertInput,
    hooks = {},
  }: Pick<ResourceOptions<Model>, 'fields'> & {
    readonly access?: Pick<PoliciesOf<Model>, 'create'>;
    readonly convertInput?: ConvertInput<Model>;
    readonly hooks?: Hooks<Model, undefined, 'create'> & { readonly afterOperation?: { readonly delete?: never } };
  },
): NewRows<Model> {
  const rows = modelFacts(model);
  return {
    ...rows,
    model,
    type: model,
    // As in `defineResource`, rows are plain objects from here on.
    fields: fields as NewRows['fields'],
    hooks: hooks as unknown as RowHooks,
    policies: policiesOf({ ...rows, type: model }, access, Object.keys(fields), ['create']),
    actions: ['create'],
    nestedItems: {},
    graphql: convertInput ? { extraInput: { resolve: convertInput } } : {},
  };
}

/** The most columns that a table of rows shows where its resource does not choose them. */
const maxShownColumns = 6;

/** The columns that a table shows where its resource does not choose them: the title first, and no long text. */
function columnsShown(
  rows: Stored,
  names: readonly string[],
  title: string | undefined,
  parentColumn: string | undefined,
): readonly string[] {
  const isShort = (name: string) => {
    const field = apiField(rows, name);
    return !field.list && !field.type.isLong(field);
  };
  const others = names.filter((name) => name !== title && name !== parentColumn && isShort(name));
  return [...(title === undefined ? [] : [title]), ...others].slice(0, maxShownColumns);
}

/** Whether a company has one row at most, which is then read and updated without an id. */
const isSingleton = ({ uniques }: Rows): boolean => Object.values(uniques).some((columns) => columns.length === 0);

/** Asserts that the policies of fields have an effect. @throws Error naming the field */
function assertEffective(rows: Rows, type: string, fields: Resource['fields']): void {
  const { uniques, stored } = rows;
  const isUnique = (column: string) => Object.values(uniques).some((columns) => columns.includes(column));
  for (const [column, { unique, notBefore, mayBeDeactivated }] of Object.entries(fields)) {
    const problem = isGenerated(stored[column])
      ? 'is a field of every resource'
      : typeof unique === 'string' && !isUnique(column)
        ? 'has no unique index'
        : notBefore !== undefined && !isTime(rows, column, notBefore)
          ? `and ${notBefore} are not both dates or both times`
          : mayBeDeactivated && !isUserReference(stored[column])
            ? 'does not refer to a user'
            : undefined;
    if (problem) throw new Error(`${type}.${column} ${problem}.`);
  }
}

/** Builds the policies of a resource. @throws Error for one that would have no effect */
function policiesOf(
  { type, words, roles }: Pick<Resource, 'type' | 'words' | 'roles'>,
  access: PolicyOptions<string, string, string>,
  fields: readonly string[],
  actions: readonly ResourceAction[],
): Policies {
  const unused = (['create', 'update', 'delete', 'read'] as const).find(
    (limited) => access[limited] && !actions.some((action) => policyActions[action] === limited),
  );
  if (unused) throw new Error(`${type} has policies of ${unused}, which is none of its actions.`);
  const policies = buildPolicies(access, { words, status: roles.status?.name, areDeleted: actions.includes('delete') });
  const named = Object.values(policies.of).flatMap((each) =>
    each.flatMap((policy) => [...policy.columns, ...policy.fields]),
  );
  const unknown = named.find((name) => !fields.includes(name));
  if (unknown !== undefined) throw new Error(`A policy of ${type} names ${unknown}, which is no field.`);
  return policies;
}

/** Whether the kit adds a column to the fields: all that have a role, but the status. */
const isGenerated = (field: StoredField | undefined): boolean => field?.role !== undefined && field.role !== 'status';

function isTime(rows: Stored, column: string, first: string): boolean {
  const { type } = apiField(rows, column);
  return type.calendar !== undefined && apiField(rows, first).type === type;
}

/** Asserts that new rows have all columns that need a value. @throws Error naming the column */
function assertComplete(rows: Rows, type: string, columns: readonly string[]): void {
  const missing = requiredColumns(rows, Object.keys(rows.stored)).find(
    (column) => column !== rows.roles.company?.name && !columns.includes(column),
  );
  if (missing !== undefined) throw new Error(`${type}.${missing} is required, has no default and is not in fields.`);
}

/** The fields of a resource. A sub-resource's column of its parent comes first, unless it has another place. */
function fieldsWithParent({
  fields,
  parent,
}: {
  readonly fields: object;
  readonly parent?: { readonly column: string };
}): Resource['fields'] {
  // Typed by one model's columns in the options; from here on columns are plain names.
  const declared = fields as Resource['fields'];
  return parent && !(parent.column in declared) ? { [parent.column]: {}, ...declared } : declared;
}

/** The relations of a resource. A sub-resource's relation to its parent comes first, unless it has another place. */
function relationsWithParent(
  { stored }: Stored,
  parent: { readonly column: string } | undefined,
  relations: readonly string[] = [],
): readonly string[] {
  const toParent = parent && stored[parent.column]?.relation;
  return toParent === undefined || relations.includes(toParent) ? relations : [toParent, ...relations];
}

/**
 * Defines types and operations that belong to no resource, or adds fields to resources.
 *
 * @param extend called once for each schema that is built
 */
export const extendSchema = (extend: (kit: SchemaKit) => void): SchemaExtension => ({ kind: 'extension', extend });
