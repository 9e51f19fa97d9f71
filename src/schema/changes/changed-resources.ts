import { noPolicies, type SchemaKit } from '../../resource/index.ts';
import { ChangeSource, type PositionedChange } from './change-source.ts';
import { type LoggedType, loggedTypes, type VisibleChange } from './change-view.ts';
import type { ListedChange } from './listed.ts';
import { sharedTypes } from './types.ts';

/**
 * Adds the subscription that names the resources of which rows have changed, so that a client that shows many of them
 * reads again what matters. It has one event for each resource, however many of its rows changed together.
 */
export function addChangedResources(kit: SchemaKit): void {
  const { builder, registry } = kit;
  const { ChangedResource } = sharedTypes(kit);
  const ResourceChange = builder.objectRef<PositionedChange>('ResourceChange').implement({
    description: 'That rows of a resource have changed.',
    fields: (t) => ({
      position: t.exposeString('position', {
        description: 'The position of the latest change. Pass it as `after` to continue.',
      }),
      resource: t.field({
        type: ChangedResource,
        description: 'Type of the changed rows.',
        resolve: ({ change: { rowType } }) => rowType.type,
      }),
      type: t.string({
        description: 'The GraphQL type of the changed rows, such as `ServiceRequest`.',
        resolve: ({ change: { rowType } }) => rowType.type,
      }),
    }),
  });
  // What the caller may not read is left out, type by type and row by row, as of the feed.
  const access = 'caller';
  builder.subscriptionFields((t) => ({
    changes: t.field({
      type: ResourceChange,
      nullable: true,
      description: 'Follow which resources change, among all that the caller may read.',
      authScopes: { access },
      extensions: { access, type: 'ResourceChange', action: 'read', policies: noPolicies },
      args: { after: t.arg.string({ description: '`position` of an earlier change.' }) },
      subscribe: (_root, { after }): AsyncIterable<PositionedChange> =>
        new ChangeSource(loggedTypes(registry.resources), latestOfEach, after),
      resolve: (positioned) => positioned,
    }),
  }));
}

/** The latest change of each type, in the order of the log. */
function latestOfEach(changes: readonly VisibleChange[]): ListedChange[] {
  const latest = new Map<LoggedType, ListedChange>();
  for (const { before: _before, after: _after, ...change } of changes) {
    // Again at the end.
    latest.delete(change.rowType);
    latest.set(change.rowType, { ...change, befores: [] });
  }
  return [...latest.values()];
}
