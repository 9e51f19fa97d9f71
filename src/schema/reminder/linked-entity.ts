import type { GraphQLResolveInfo } from 'graphql';
import { allows } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { Reminder } from '../../database/generated/client/client.ts';
import { type FieldErrors, insufficientScope } from '../../errors.ts';
import { lowerFirst, snakeCase } from '../../names.ts';
import { loadRow, noSuch, type Resource, type Row, rowExists, type SchemaKit } from '../../resource/index.ts';
import { Asset } from '../asset/asset.ts';
import { Checklist } from '../checklist/checklist.ts';
import { Desk } from '../desk/desk.ts';
import { Document } from '../document.ts';
import { HrDocument } from '../hr/document.ts';
import { InventoryItem } from '../inventory/item.ts';
import { Lease } from '../lease/lease.ts';
import { Building } from '../location/building.ts';
import { Shipment } from '../mailroom/shipment.ts';
import { Note } from '../note/note.ts';
import { Paint } from '../paint/paint.ts';
import { User } from '../people/user.ts';
import { Invoice } from '../procurement/invoice.ts';
import { PurchaseOrder } from '../procurement/purchase-order.ts';
import { Requisition } from '../procurement/requisition.ts';
import { MoveRequest } from '../request/move-request.ts';
import { ServiceRequest } from '../request/service-request.ts';
import { TrainingProgram } from '../training/program.ts';
import { Vendor } from '../vendor.ts';

/** A reminder's link to another resource. */
type EntityLink = Partial<Pick<Reminder, 'linkedEntityType' | 'linkedEntityId'>>;

/**
 * The resources that an entity type can name, each with the words besides its name and that of its list. Other types
 * are stored, but link to nothing.
 */
const linkable: readonly (readonly [resource: Resource, ...words: string[]])[] = [
  [ServiceRequest],
  [MoveRequest],
  [InventoryItem, 'inventory', 'inventories'],
  [Requisition],
  [PurchaseOrder, 'order', 'orders'],
  [Invoice],
  [Lease],
  [Asset],
  [Vendor],
  [Checklist],
  [Shipment],
  [Building],
  [Paint],
  [Desk],
  [Document],
  [HrDocument],
  [TrainingProgram, 'training', 'trainings'],
  [Note],
  [User],
];

/** In singular and plural. */
const resourceOf = new Map(
  linkable.flatMap(([resource, ...words]) =>
    [...[resource.type, resource.words.manyInNames].map((name) => snakeCase(lowerFirst(name))), ...words].map(
      (word) => [word, resource] as const,
    ),
  ),
);
const resources = linkable.map(([resource]) => resource);

/** The resource that an entity type names, if any. */
const linkedResource = (type: string | null | undefined): Resource | undefined =>
  resourceOf.get(type?.toLowerCase().replaceAll(/[-\s]+/g, '_') ?? '');

/** Validates a link: if the type names a resource, the caller must be able to access the row. */
export async function validateLink(
  { linkedEntityType, linkedEntityId }: EntityLink,
  context: Context,
): Promise<FieldErrors> {
  const linked = linkedResource(linkedEntityType);
  if (!linked || linkedEntityId == null || (await rowExists(linked, linkedEntityId, context))) return {};
  return { linkedEntityId: noSuch(linked.words.noun) };
}

/** The field that returns a reminder's linked entity. */
export function linkedEntityField(kit: SchemaKit) {
  const LinkedEntity = kit.builder.unionType('LinkedEntity', {
    description: 'The resources that a reminder can link to.',
    types: () => resources.map((resource) => kit.typesOf(resource).ref),
  });
  return {
    type: LinkedEntity,
    nullable: true,
    description: 'The linked resource; null if it was deleted or the type names no resource.',
    select: (_args: object, _context: Context, plan: Plan) => selectLink(plan),
    resolve: (row: EntityLink, _args: object, context: Context, info: GraphQLResolveInfo) =>
      loadLinked(row, context, info),
  } as const;
}

type Plan = (selection: true, path: [], type: string) => unknown;

/**
 * Selects the columns that `loadLinked` needs. The plans say that the linked row is loaded with its selected fields, so
 * that they are not loaded again.
 */
function selectLink(plan: Plan) {
  for (const { type } of resources) plan(true, [], type);
  return { linkedEntityType: true, linkedEntityId: true } as const;
}

/**
 * Loads the linked entity; null if it was deleted or its type names no resource.
 * @throws ServiceError INSUFFICIENT_SCOPE
 */
async function loadLinked(
  { linkedEntityType, linkedEntityId }: EntityLink,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row | null> {
  const linked = linkedResource(linkedEntityType);
  if (!linked || linkedEntityId == null) return null;
  const scope = `${linked.scope}:read` as const;
  if (!allows(context.caller.scopes, scope)) throw insufficientScope(scope);
  return loadRow(linked, linkedEntityId, context, info);
}
