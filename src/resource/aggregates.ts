import type { ArgBuilder, EnumRef, FieldMap, InputFieldMap, ObjectRef } from '@pothos/core';
import type { Context } from '../context.ts';
import { constantCase, lowerFirst, plural, words } from '../names.ts';
import type { SchemaTypes } from './builder.ts';
import {
  type AggregateFunction,
  aggregateFunctions,
  findGroups,
  type Group,
  type Key,
  keyField,
  keysOf,
  maxGroups,
  measureField,
  measuresOf,
} from './groups.ts';
import type { Listing } from './lists.ts';
import { and, type ModelName, modelFacts, type Row, type Where } from './model.ts';
import { loadRow } from './query.ts';
import type { AggregateTypes, Resource, SchemaKit } from './resource.ts';

/** Creates the argument and object types of a resource's aggregate query. */
export function createAggregateTypes(kit: SchemaKit, resource: Resource): AggregateTypes {
  const keys = keysOf(resource);
  return {
    ref: groupType(kit, resource, keys, resource.graphql.relations),
    arguments: argumentsOf(kit, resource, keys),
  };
}

/**
 * Adds the root field that aggregates a resource's rows, with the same filters as its list.
 *
 * @param name the resource's name in root fields
 * @param within returns the condition that the arguments imply, such as a parent's id
 */
export function addAggregates(
  kit: SchemaKit,
  resource: Resource,
  { name, parentArguments, within, assertParentExists }: AggregatesMount,
): void {
  const { type, scope, path } = resource;
  const { ref, arguments: groupArguments } = kit.typesOf(resource).aggregates;
  kit.addOperation({
    action: 'list',
    rest: false,
    field: `${lowerFirst(name)}Aggregates`,
    path,
    access: `${scope}:read`,
    type,
    description: `Group, count and measure ${words(plural(type))}.`,
    returns: [ref],
    args: (arg) => ({ ...parentArguments(arg), ...groupArguments(arg) }),
    async resolve(args, context, info) {
      const where = and([within(args), resource.filter?.(context) ?? {}]);
      const groups = await findGroups(kit, resource, args, where, context, info);
      if (!groups.some(({ count }) => count)) await assertParentExists(args, context);
      return groups;
    },
  });
}

/** A place where a resource's aggregates are offered. */
interface AggregatesMount {
  readonly name: string;
  readonly parentArguments: (arg: ArgBuilder<SchemaTypes>) => InputFieldMap;
  readonly within: (args: Row) => Where;
  readonly assertParentExists: (args: Row, context: Context) => Promise<void>;
}

const functionTexts: Record<AggregateFunction, string> = {
  sum: 'The sum',
  avg: 'The average',
  min: 'The minimum',
  max: 'The maximum',
};

function groupType(
  kit: SchemaKit,
  listing: Listing,
  keys: readonly Key[],
  relations: readonly string[],
): ObjectRef<SchemaTypes, Group> {
  const { type, model } = listing;
  const part = (
    name: string,
    description: string,
    fields: (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Group>) => FieldMap,
  ) => kit.builder.objectRef<Group>(`${type}Aggregate${name}`).implement({ description, fields });
  const KeyType = part(
    'Key',
    `The values that ${type} groups are grouped by. Null where unset or not grouped by.`,
    (t) => ({
      ...Object.fromEntries(
        keys.map((key) => [
          key.name,
          t.field({
            type: key.month ? 'Date' : kit.columnType(model, key.column),
            nullable: true,
            description: key.month
              ? `First day of the month (UTC) of \`${key.column}\`.`
              : `Value of \`${key.column}\`.`,
            resolve: (group) => group[keyField(key)] as never,
          }),
        ]),
      ),
      ...Object.fromEntries(
        relations.flatMap((relation) => {
          const key = keys.find(({ column }) => column === modelFacts(model).relations[relation]);
          const target = key && modelFacts(model).references[key.column];
          return target ? [[relation, rowOfKey(kit, t, key, target)]] : [];
        }),
      ),
    }),
  );
  const partTypes = aggregateFunctions.flatMap((of) => {
    const measures = measuresOf(of, listing);
    if (measures.length === 0) return [];
    const ref = part(
      of.charAt(0).toUpperCase() + of.slice(1),
      `${functionTexts[of]} of each column over the rows of a group, ignoring unset values.`,
      (t) =>
        Object.fromEntries(
          measures.map((measure) => [
            measure.column,
            t.field({
              // The sum of integers may exceed the range of GraphQL's Int.
              type: of === 'sum' || of === 'avg' ? 'Float' : kit.columnType(model, measure.column),
              nullable: true,
              description: `${functionTexts[of]} of \`${measure.column}\`. Null if no row has a value.`,
              resolve: (group) => group[measureField(measure)] as never,
            }),
          ]),
        ),
    );
    return [[of, ref] as const];
  });
  return kit.builder.objectRef<Group>(`${type}Aggregate`).implement({
    description: `Aggregates of a group of ${type} rows.`,
    fields: (t) => ({
      key: t.field({
        type: KeyType,
        description: 'The values that the group is grouped by.',
        resolve: (group) => group,
      }),
      count: t.int({ description: 'Number of rows in the group.', resolve: (group) => group['count'] as number }),
      ...Object.fromEntries(
        partTypes.map(([of, ref]) => [
          of,
          t.field({ type: ref, description: `${functionTexts[of]} of each column.`, resolve: (group) => group }),
        ]),
      ),
    }),
  });
}

/** The row that a key refers to. Reading it requires its type's scope, as with any other relation. */
function rowOfKey(
  kit: SchemaKit,
  t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Group>,
  key: Key,
  target: ModelName,
) {
  const resource = kit.resourceOf(target);
  const { ref } = kit.typesOf(resource);
  return t.field({
    type: ref,
    nullable: true,
    description: `Row that \`${key.column}\` refers to.`,
    resolve: (group, _args, context, info) => {
      const id = group[keyField(key)];
      return typeof id === 'string' ? loadRow(resource, ref, id, context, info) : null;
    },
  });
}

function argumentsOf(kit: SchemaKit, resource: Resource, keys: readonly Key[]): AggregateTypes['arguments'] {
  const { type } = resource;
  const { listArguments } = kit.typesOf(resource);
  const keyValues = keys.map(
    (key) =>
      [
        constantCase(key.name),
        {
          value: key.name,
          description: key.month ? `Group by the month (UTC) of \`${key.column}\`.` : `Group by \`${key.column}\`.`,
        },
      ] as const,
  );
  const sums = measuresOf('sum', resource).map(
    (measure) =>
      [
        `SUM_${constantCase(measure.column)}`,
        { value: measureField(measure), description: `Sort by the sum of \`${measure.column}\`; nulls last.` },
      ] as const,
  );
  const GroupBy: EnumRef<SchemaTypes, string> = kit.builder.enumType(`${type}GroupBy`, {
    description: `Keys to group ${type} rows by.`,
    values: Object.fromEntries(keyValues),
  });
  const Sort: EnumRef<SchemaTypes, string> = kit.builder.enumType(`${type}AggregateSort`, {
    description: `Sort orders of ${type} groups: by number of rows, by key or by a sum.`,
    values: Object.fromEntries([
      ['COUNT', { value: 'count', description: 'Sort by the number of rows.' }] as const,
      ...keyValues,
      ...sums,
    ]),
  });
  return (arg) => {
    const { filter, search } = listArguments(arg, 1);
    return {
      filter,
      ...(search && { search }),
      groupBy: arg({
        type: [GroupBy],
        description: 'Keys to group by. By default, all rows form one group.',
      }),
      sort: arg({
        type: Sort,
        defaultValue: 'count',
        description: 'What to sort the groups by. Ties are sorted by the keys.',
      }),
      order: arg({ type: kit.sortOrder, defaultValue: 'DESC', description: 'The direction of the sort.' }),
      first: arg.int({
        defaultValue: maxGroups,
        description: `Maximum number of groups, 1 to ${maxGroups}. If there are more than ${maxGroups} groups, a lower limit is required.`,
      }),
    } as InputFieldMap;
  };
}
