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
  measureField,
  measuresOf,
  mostGroups,
} from './groups.ts';
import type { Listing } from './lists.ts';
import { and, type ModelName, modelFacts, type Row, type Where } from './model.ts';
import { loadRow } from './query.ts';
import type { AggregateTypes, Resource, SchemaKit } from './resource.ts';

/** Makes what the groups of a resource's rows are asked for and answer with. */
export function makeAggregateTypes(kit: SchemaKit, resource: Resource): AggregateTypes {
  const keys = keysOf(resource);
  return {
    ref: groupType(kit, resource, keys, resource.graphql.relations),
    arguments: argumentsOf(kit, resource, keys),
  };
}

/**
 * Adds the root field that reads a resource's rows in groups, beside the one that lists them.
 * @param name what the root fields of the resource are named after
 * @param within whose rows the arguments ask for
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
      const groups = await findGroups(resource, args, where, context, info);
      if (!groups.some(({ count }) => count)) await assertParentExists(args, context);
      return groups;
    },
  });
}

/** Where the groups of a resource are offered. */
interface AggregatesMount {
  readonly name: string;
  readonly parentArguments: (arg: ArgBuilder<SchemaTypes>) => InputFieldMap;
  readonly within: (args: Row) => Where;
  readonly assertParentExists: (args: Row, context: Context) => Promise<void>;
}

const functionTexts: Record<AggregateFunction, string> = {
  sum: 'The sum',
  avg: 'The average',
  min: 'The least',
  max: 'The greatest',
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
    `What the ${type} rows of a group have in common; null where it is unset, or not grouped by.`,
    (t) => ({
      ...Object.fromEntries(
        keys.map((key) => [
          key.name,
          t.field({
            type: key.month ? 'Date' : kit.columnType(model, key.column),
            nullable: true,
            description: key.month
              ? `The first day of the month, UTC, that \`${key.column}\` is in.`
              : `Their \`${key.column}\`.`,
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
      `${functionTexts[of]} of each column, over the rows of a group that have it set.`,
      (t) =>
        Object.fromEntries(
          measures.map((measure) => [
            measure.column,
            t.field({
              // The sum of integers may be none that GraphQL's Int can hold.
              type: of === 'sum' || of === 'avg' ? 'Float' : kit.columnType(model, measure.column),
              nullable: true,
              description: `${functionTexts[of]} of \`${measure.column}\`; null where it is set in no row.`,
              resolve: (group) => group[measureField(measure)] as never,
            }),
          ]),
        ),
    );
    return [[of, ref] as const];
  });
  return kit.builder.objectRef<Group>(`${type}Aggregate`).implement({
    description: `Rows of ${type} that have the same in common, counted and measured.`,
    fields: (t) => ({
      key: t.field({ type: KeyType, description: 'What its rows have in common.', resolve: (group) => group }),
      count: t.int({ description: 'How many rows it has.', resolve: (group) => group['count'] as number }),
      ...Object.fromEntries(
        partTypes.map(([of, ref]) => [
          of,
          t.field({ type: ref, description: `${functionTexts[of]} of each column.`, resolve: (group) => group }),
        ]),
      ),
    }),
  });
}

/** The row that a key names. Its type's scope is asked for, as wherever a field leads to it. */
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
    description: `What their \`${key.column}\` names.`,
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
          description: key.month ? `By the month, UTC, that \`${key.column}\` is in.` : `By \`${key.column}\`.`,
        },
      ] as const,
  );
  const sums = measuresOf('sum', resource).map(
    (measure) =>
      [
        `SUM_${constantCase(measure.column)}`,
        { value: measureField(measure), description: `By the sum of \`${measure.column}\`; unset last.` },
      ] as const,
  );
  const GroupBy: EnumRef<SchemaTypes, string> = kit.builder.enumType(`${type}GroupBy`, {
    description: `What ${type} rows can be grouped by.`,
    values: Object.fromEntries(keyValues),
  });
  const Sort: EnumRef<SchemaTypes, string> = kit.builder.enumType(`${type}AggregateSort`, {
    description: `What groups of ${type} rows can be sorted by: how many they are, what they are grouped by, or a sum.`,
    values: Object.fromEntries([
      ['COUNT', { value: 'count', description: 'By how many rows they have.' }] as const,
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
        description: 'What the rows of a group have in common; all rows are one group unless given.',
      }),
      sort: arg({
        type: Sort,
        defaultValue: 'count',
        description: 'What to sort the groups by; ties sort by what they are grouped by.',
      }),
      order: arg({ type: kit.sortOrder, defaultValue: 'DESC', description: 'The direction of the sort.' }),
      first: arg.int({
        defaultValue: mostGroups,
        description: `How many groups at the most, 1 to ${mostGroups}. When there are more than ${mostGroups}, fewer must be asked for.`,
      }),
    } as InputFieldMap;
  };
}
