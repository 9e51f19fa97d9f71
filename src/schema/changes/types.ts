import type { Actor } from '../../database/index.ts';
import { upperFirst } from '../../names.ts';
import { column, defineType, type SchemaKit, type TypeRef } from '../../resource/index.ts';
import { type LoggedType, loggedTypes, type VisibleChange } from './change-view.ts';

/** The GraphQL types of a change. */
export type ChangeTypes = ReturnType<typeof changeTypes>;

/** The GraphQL types of a change, which the feed, histories, subscriptions and webhooks share. */
export const sharedTypes = defineType((kit) => changeTypes(kit, loggedTypes(kit.registry.resources)));

function changeTypes({ builder }: SchemaKit, rowTypes: readonly LoggedType[]) {
  const ChangedResource = builder.enumType('ChangedResource', {
    description: 'Type of the changed row: a resource, or the line items of one.',
    values: Object.fromEntries(
      rowTypes.map((each) => [
        each.name,
        {
          value: each.type,
          description: `\`${each.name.toLowerCase()}\` in REST; a row of the type ${each.type}.`,
          extensions: { restValue: each.name.toLowerCase(), label: upperFirst(each.words.many) },
        },
      ]),
    ),
  });
  const ChangeAction = builder.enumType('ChangeAction', {
    description: 'Action on a row.',
    values: {
      CREATE: {
        value: 'create',
        description: '`create` in REST: the row is new, or became visible.',
        extensions: { restValue: 'create' },
      },
      UPDATE: {
        value: 'update',
        description: '`update` in REST: fields of the row changed.',
        extensions: { restValue: 'update' },
      },
      DELETE: {
        value: 'delete',
        description: '`delete` in REST: the row was deleted, or is no longer visible.',
        extensions: { restValue: 'delete' },
      },
      DUE: { value: 'due', description: '`due` in REST: a reminder fell due.', extensions: { restValue: 'due' } },
      LOW_STOCK: {
        value: 'low_stock',
        description: '`low_stock` in REST: the stock of an item fell below its reorder point.',
        extensions: { restValue: 'low_stock' },
      },
    },
  });
  const ActorKind = builder.enumType('ActorKind', {
    description: 'Kind of caller that made a change.',
    values: Object.fromEntries(
      actorKinds.map(([kind, description]) => [
        kind.toUpperCase(),
        { value: kind, description: `\`${kind}\` in REST: ${description}`, extensions: { restValue: kind } },
      ]),
    ),
  });

  const ChangeActor = builder.objectRef<Actor>('ChangeActor').implement({
    description: 'Who made a change.',
    fields: (t) => ({
      kind: t.field({ type: ActorKind, description: 'Kind of caller.', resolve: ({ kind }) => kind }),
      userId: t.field({
        type: 'ID',
        nullable: true,
        description: 'User who made the change, or on whose behalf the token acts. Null if there is none.',
        extensions: { stored: column('User', 'id') },
        resolve: ({ user_id }) => user_id ?? null,
      }),
      tokenId: t.field({
        type: 'ID',
        nullable: true,
        description: 'API token that the change was made with. Null if it was made without a token.',
        extensions: { stored: column('ApiToken', 'id') },
        resolve: ({ kind, id }) => (kind === 'token' && id ? id : null),
      }),
      requestId: t.string({
        nullable: true,
        description: 'ID of the request. Null if there was none.',
        resolve: ({ request_id }) => request_id ?? null,
      }),
    }),
  });

  const Change = builder.objectRef<VisibleChange>('Change').implement({
    description: 'A change of one row.',
    fields: (t) => ({
      version: t.string({
        description:
          'A number. Of two changes to one row, the later has the higher number, in whatever order they arrive.',
        resolve: ({ seq }) => seq,
      }),
      at: t.field({ type: 'DateTime', description: 'Time of the change.', resolve: ({ at }) => at }),
      resource: t.field({
        type: ChangedResource,
        description: 'Type of the changed row.',
        resolve: ({ rowType: { type } }) => type,
      }),
      rowId: t.field({ type: 'ID', description: 'ID of the row.', resolve: ({ rowId }) => rowId }),
      action: t.field({ type: ChangeAction, description: 'Action on the row.', resolve: ({ action }) => action }),
      fields: t.field({
        type: ['FieldName'],
        description: 'The fields that an update changed. Empty for other actions.',
        resolve: ({ fields }) => [...fields],
      }),
      before: t.field({
        type: 'RowImage',
        nullable: true,
        description: 'The row before the change. Null for a new row.',
        resolve: ({ before }) => before,
      }),
      after: t.field({
        type: 'RowImage',
        nullable: true,
        description: 'The row after the change. Null for a deleted row.',
        resolve: ({ after }) => after,
      }),
      actor: t.field({
        type: ChangeActor,
        nullable: true,
        description: 'Who made the change. Null if the service did.',
        resolve: ({ actor }) => actor,
      }),
    }),
  });
  // Operations return types of any rows.
  return { ChangedResource, ChangeAction, ChangeActor, Change: Change as TypeRef };
}

const actorKinds: readonly (readonly [Actor['kind'], string])[] = [
  ['token', 'an API token.'],
  ['session', 'a signed-in person.'],
  ['guest', 'a guest.'],
  ['command_line', 'the command line.'],
  ['clock', 'a scheduled update, for example of an expired lease.'],
];
