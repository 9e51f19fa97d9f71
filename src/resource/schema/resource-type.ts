import type { FieldMap, ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import type { Role } from '../../database/stored-field.ts';
import { spaced } from '../../names.ts';
import { allowedOperations, allowedStatuses, selectionOfPolicies } from '../access/allowed-actions.ts';
import { withoutHidden } from '../access/hidden-columns.ts';
import { etagOf, etagSelection } from '../definition/etag.ts';
import { apiField, itemOrder, listOf, type Row, type Rows, requiredColumns, type Stored } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import type { SchemaTypes } from './builder.ts';
import { relatedList } from './related-lists.ts';
import type { FieldBuilder, SchemaKit } from './schema-kit.ts';

/** Creates the GraphQL type of a resource's rows. */
export function createRowType(kit: SchemaKit, resource: Resource): ObjectRef<SchemaTypes, unknown> {
  const { model, type, graphql, parent, documentation } = resource;
  // Typed by its options.
  const virtualFields = (graphql.virtualFields as ((kit: SchemaKit) => (t: never) => FieldMap) | undefined)?.(kit);
  const ref = kit.builder.prismaObject(model, {
    ...(type !== model && { variant: type }),
    description: documentation,
    extensions: { ...readBy(resource), policies: resource.policies },
    // In select mode a query loads the selected columns only.
    select: {},
    // Pothos types these options by one model; the kit knows the model only by name.
    fields: (t: never) => withVirtualFields(rowFields(kit, t, resource), virtualFields?.(t) ?? {}, type),
  } as never) as ObjectRef<SchemaTypes, unknown>;
  if (parent?.relation) {
    const { resource: owner, relation } = parent;
    const description = `The ${listOf(owner, relation).words} of this ${owner.words.noun}.`;
    kit.registry.addRelatedList(owner, relation, { relation, target: resource });
    kit.addField(owner, relation, (t) => relatedList(kit, t, owner, relation, resource, description));
  }
  return ref;
}

/** What reading rows requires: their scope, or what their list requires instead. */
export const readBy = ({ scope, listAccess }: Pick<Resource, 'scope' | 'listAccess'>) => ({
  readScope: `${scope}:read` as const,
  readAccess: listAccess,
});

/** @throws Error when a virtual field has the name of another field */
function withVirtualFields(fields: FieldMap, virtualFields: FieldMap, type: string): FieldMap {
  const name = Object.keys(virtualFields).find((each) => each in fields);
  if (name !== undefined) throw new Error(`${type}.${name} is a field already, and cannot be a virtual field too.`);
  return { ...fields, ...virtualFields };
}

/** Creates the types of a row's nested items. They are shown and written with the row, so its scopes apply. */
export function createNestedTypes(kit: SchemaKit, resource: Resource): void {
  for (const [relation, columns] of Object.entries(resource.nestedItems)) {
    const items = listOf(resource, relation).target;
    const relations = Object.entries(items.relations).flatMap(([name, { field }]) =>
      columns.includes(field.name) ? [name] : [],
    );
    const required = requiredColumns(items, columns);
    const { model, documentation: description } = items;
    kit.builder.prismaObject(model, {
      description,
      extensions: { isOwned: true },
      select: {},
      fields: (t: never) => ({
        ...columnFields(kit, t, items, columns),
        ...relationFields(kit, t, items, relations),
      }),
    } as never);
    kit.addNestedInput(model, {
      description,
      fields: (t) => kit.inputFields(t, items, columns, required),
    });
  }
}

function rowFields(kit: SchemaKit, t: FieldBuilder, resource: Resource): FieldMap {
  const { columns, parent, nestedItems, etag, policies } = resource;
  const fields = {
    ...columnFields(kit, t, resource, columns, parent?.column),
    ...relationFields(kit, t, resource, kit.registry.relationsOf(resource)),
  };
  for (const relation of Object.keys(nestedItems)) {
    fields[relation] = t.relation(relation, {
      query: { orderBy: itemOrder },
      description: `The ${spaced(relation)}, in order.`,
    });
  }
  if (resource.kind === 'listing') return fields;
  fields['etag'] = t.field({
    type: 'String',
    description: 'Version for `ifMatch`; `ETag` in REST.',
    extensions: { rest: false },
    select: etagSelection(etag),
    resolve: (row: Row, _args: object, { caller }: Context) => etagOf(etag, withoutHidden(caller, policies, row)),
  });
  return { ...fields, ...allowedFields(kit, t, resource) };
}

/** What the caller may do with a row: the writes themselves decide by the same policies. */
function allowedFields(kit: SchemaKit, t: FieldBuilder, resource: Resource): FieldMap {
  const { registry } = kit;
  const { type, roles, fields } = resource;
  const { status } = roles;
  const select = selectionOfPolicies(resource);
  const asked = { extensions: { rest: false, usualSize: allowedCost }, select };
  return {
    allowedActions: t.field({
      ...asked,
      type: ['String'],
      description: 'Mutations that you may run.',
      resolve: (row: Row, _args: object, context: Context) =>
        allowedOperations(registry.rowActionsOf(type), row, context),
    }),
    ...(status &&
      fields[status.name]?.transitions && {
        allowedStatuses: t.field({
          ...asked,
          type: [kit.enumType(apiField(resource, status.name))],
          description: 'Statuses that you may give it.',
          resolve: (row: Row, _args: object, context: Context) => allowedStatuses(resource, row, context),
        }),
      }),
  };
}

/** What it counts to ask the policies about a row: about as many answers as there are. */
const allowedCost = 4;

/**
 * Creates fields for columns, on a type whose objects are rows of a model.
 *
 * @param parentColumn the column that refers to the parent; it is always set here, even where the table allows null
 */
export function columnFields(
  kit: Pick<SchemaKit, 'columnType'>,
  t: FieldBuilder,
  rows: Stored,
  columns: readonly string[],
  parentColumn?: string,
): FieldMap {
  const fields: FieldMap = {};
  for (const column of columns) {
    const stored = apiField(rows, column);
    const { required, list, documentation, role } = stored;
    const type = kit.columnType(stored);
    fields[column] = t.expose(column, {
      type: list ? [type] : type,
      nullable: !required && column !== parentColumn,
      description: documentation ?? (role && commonColumns[role]),
      extensions: { stored },
    });
  }
  return fields;
}

/** Creates fields for to-one relations and to-many relations. */
function relationFields(kit: SchemaKit, t: FieldBuilder, rows: Rows, relations: readonly string[]): FieldMap {
  const fields: FieldMap = {};
  for (const relation of relations) {
    const list = rows.lists[relation];
    const description = `The ${list?.words ?? spaced(relation)}.`;
    fields[relation] = list
      ? relatedList(kit, t, rows, relation, kit.registry.resourceOf(list.target.model), description)
      : t.relation(relation, { nullable: true, description });
  }
  return fields;
}

/** Descriptions of the columns that all rows have. */
const commonColumns: Readonly<Partial<Record<Role, string>>> = {
  key: 'ID, a UUID.',
  creation: 'Time of creation.',
  update: 'When a field or line item last changed.',
};
