import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { lowerFirst } from '../../names.ts';
import {
  defineType,
  extendSchema,
  type Filter,
  FilteredList,
  type Resource,
  type Row,
  type SchemaKit,
  selectionBelow,
} from '../../resource/index.ts';
import { ChangeSource, type PositionedChange } from './change-source.ts';
import { lineItemsOf, loggedType } from './change-view.ts';
import { addChangedResources } from './changed-resources.ts';
import { listChanges } from './listed.ts';
import { sharedTypes } from './types.ts';

/** A change with the row as it is now, if the list that is followed has it. */
interface ListEvent extends PositionedChange {
  readonly row: Row | null;
}

/**
 * A subscription to each list, to each row that a company has one of, and to which resources change. They are no
 * operations: REST has none, and `LogStreams` runs them.
 */
export const subscriptions = extendSchema((kit) => {
  kit.builder.subscriptionType({ description: 'The lists and rows that can be followed.' });
  for (const resource of kit.registry.resources)
    if (resource.isSingleton || resource.actions.includes('list')) addSubscription(kit, resource);
  addChangedResources(kit);
});

/** The type of what the events of all lists have. */
const ListChange = defineType((kit) => {
  const { ChangeAction, ChangeActor } = sharedTypes(kit);
  return kit.builder.objectRef<PositionedChange>('ListChange').implement({
    description: 'A change of a row, as seen in a list.',
    fields: (t) => ({
      position: t.exposeString('position', {
        description: 'The position of the change. Pass it as `after` to continue.',
      }),
      action: t.field({
        type: ChangeAction,
        description:
          'What happened to the list: a row that enters it counts as created, and one that leaves it as deleted.',
        resolve: ({ change: { action } }) => action,
      }),
      id: t.field({ type: 'ID', description: 'ID of the row.', resolve: ({ change: { rowId } }) => rowId }),
      changedFields: t.field({
        type: ['FieldName'],
        description: 'The fields that an update changed. Empty for other actions.',
        resolve: ({ change: { fields } }) => [...fields],
      }),
      at: t.field({ type: 'DateTime', description: 'Time of the change.', resolve: ({ change: { at } }) => at }),
      actor: t.field({
        type: ChangeActor,
        nullable: true,
        description: 'Who made the change. Null if the service did.',
        resolve: ({ change: { actor } }) => actor,
      }),
    }),
  });
});

function addSubscription(kit: SchemaKit, resource: Resource): void {
  const { type, words, scope, isSingleton, policies } = resource;
  const { registry } = kit;
  const { ref } = kit.typesOf(resource);
  const filterType = isSingleton ? undefined : kit.filterTypes.filter(kit.registry.filterableOf(resource));
  const listName = lowerFirst(isSingleton ? type : words.manyInNames);
  const RowEvent = kit.builder.objectRef<ListEvent>(`${type}Event`).implement({
    description: `A change of ${words.many}.`,
    fields: (t) => ({
      change: t.field({ type: ListChange(kit), description: 'What happened.', resolve: (positioned) => positioned }),
      row: t.expose('row', {
        type: ref,
        nullable: true,
        description: 'The row now; null if not in the list.',
      }),
    }),
  });
  const access = `${scope}:read` as const;
  const rowType = loggedType(resource);
  const lineItems = lineItemsOf(resource);
  const types = [rowType, ...lineItems.map((items) => items.rowType)];
  const lists = new WeakMap<Context, FilteredList>();
  const listOf = (context: Context, filter: unknown) => {
    // GraphQL has read it by the type of the argument.
    const list =
      lists.get(context) ?? new FilteredList(registry, resource, filter as Filter | null | undefined, context);
    lists.set(context, list);
    return list;
  };
  kit.builder.subscriptionFields((t) => ({
    [listName]: t.field({
      type: RowEvent,
      nullable: true,
      description: `Follow ${words.many}.`,
      authScopes: { access },
      extensions: { access, type, action: 'read', policies },
      args: {
        ...(filterType && { filter: t.arg({ type: filterType, description: 'Filter.' }) }),
        after: t.arg.string({ description: '`position` of an earlier change.' }),
      },
      subscribe(_root, { filter, after }, context): AsyncIterable<PositionedChange> {
        listOf(context, filter);
        return new ChangeSource(types, (changes) => listChanges(changes, rowType, lineItems), after);
      },
      resolve: (positioned, { filter }, context, info) =>
        findEvent(listOf(context, filter), positioned, info, selectionBelow(resource, 'row', context, info)),
    }),
  }));
}

/** The part of a change that a caller is sent, with the current row; null if the row neither was nor is in the list. */
async function findEvent(
  list: FilteredList,
  positioned: PositionedChange,
  info: GraphQLResolveInfo,
  selection: Parameters<FilteredList['find']>[2],
): Promise<ListEvent | null> {
  const { change } = positioned;
  const { befores, action, rowId } = change;
  const [row, wasIn] = await Promise.all([
    // Also for a deletion, as it may not be the latest change of its row.
    list.find(rowId, info, selection),
    Promise.all(befores.map(async (before) => before !== null && list.matched(before))),
  ]);
  if (!row)
    return wasIn.includes(true) ? { ...positioned, row, change: { ...change, action: 'delete', fields: [] } } : null;
  const isNew = wasIn[0] === false && (action === 'update' || action === 'delete');
  return { ...positioned, row, change: isNew ? { ...change, action: 'create', fields: [] } : change };
}
