import type { GraphQLResolveInfo } from 'graphql';
import { allows } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { Reminder } from '../../database/generated/client/client.ts';
import { type FieldErrors, insufficientScope } from '../../errors.ts';
import { plural, words } from '../../names.ts';
import { builder } from '../../resource/builder.ts';
import { type Resource, resourceOf } from '../../resource/define.ts';
import type { Row } from '../../resource/lists.ts';
import { loadRow } from '../../resource/load.ts';
import type { ModelName } from '../../resource/model.ts';
import { byId, delegate, type Transaction } from '../../resource/writes.ts';

/** What a reminder is about. */
export type Link = Partial<Pick<Reminder, 'linkedEntityType' | 'linkedEntityId'>>;

/** The words that name a family, each with the model of its rows. Any other word is kept, and links to nothing. */
const families: Readonly<Record<string, ModelName>> = {
  service_request: 'ServiceRequest',
  move_request: 'MoveRequest',
  inventory: 'InventoryItem',
  inventory_item: 'InventoryItem',
  requisition: 'Requisition',
  purchase_order: 'PurchaseOrder',
  order: 'PurchaseOrder',
  invoice: 'Invoice',
  lease: 'Lease',
  asset: 'Asset',
  vendor: 'Vendor',
  checklist: 'Checklist',
  shipment: 'Shipment',
  building: 'Building',
  paint: 'Paint',
  desk: 'Desk',
  document: 'Document',
  hr_document: 'HrDocument',
  training: 'TrainingProgram',
  training_program: 'TrainingProgram',
  note: 'Note',
  user: 'User',
};

/** The same in singular and plural. */
const modelOf = new Map(
  Object.entries(families).flatMap(([word, model]) => [
    [word, model],
    [plural(word), model],
  ]),
);
const models = [...new Set(modelOf.values())];

/** The resource that a reminder is about, if its words name one. */
function linkedResource(type: string | null | undefined): Resource | undefined {
  const model = modelOf.get(type?.toLowerCase().replaceAll(/[-\s]+/g, '_') ?? '');
  return model && resourceOf(model);
}

/** What is wrong with a link: it names a family, and a row that does not exist for the caller. */
export async function linkFaults(
  { linkedEntityType, linkedEntityId }: Link,
  context: Context,
  db: Context['db'] | Transaction,
): Promise<FieldErrors> {
  const linked = linkedResource(linkedEntityType);
  if (!linked || linkedEntityId == null) return {};
  const {
    visible,
    listing: { model, type },
  } = linked;
  const row = await delegate(db, model).findUnique({
    where: byId(model, linkedEntityId, context, visible?.(context)),
    select: { id: true },
  });
  return row ? {} : { linkedEntityId: `names no ${words(type)} of your company` };
}

/** Whatever a reminder can be about. */
export const LinkedEntity = builder.unionType('LinkedEntity', {
  description: 'Something that a reminder can be about.',
  types: () => models.map((model) => resourceOf(model).ref),
});

/**
 * What a reminder's own row must have for `loadLinked`. The plans that are made here are what tells Pothos, below
 * every reminder, that what is asked of a linked row comes with it and need not be loaded again.
 */
export function selectLink(plan: (selection: true, path: [], type: string) => unknown) {
  for (const model of models) plan(true, [], model);
  return { linkedEntityType: true, linkedEntityId: true } as const;
}

/**
 * Loads what a reminder is about; null when that is gone, or is nothing that the service knows.
 * @throws ServiceError INSUFFICIENT_SCOPE
 */
export async function loadLinked(
  { linkedEntityType, linkedEntityId }: Link,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row | null> {
  const linked = linkedResource(linkedEntityType);
  if (!linked || linkedEntityId == null) return null;
  const scope = `${linked.scope}:read` as const;
  if (!allows(context.caller.scopes, scope)) throw insufficientScope(scope);
  return loadRow(linked, linkedEntityId, context, info);
}
