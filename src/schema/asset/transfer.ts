import type { Context } from '../../context.ts';
import type { Asset as AssetRow, AssetTransfer as Transfer } from '../../database/generated/client/client.ts';
import { conflict, type FieldErrors } from '../../errors.ts';
import { defineResource, updateBySystem } from '../../resource/index.ts';
import { Asset } from './asset.ts';

/** The transfers of an asset, which cannot be changed but for what is attached. Creating one moves the asset. */
export const AssetTransfer = defineResource('AssetTransfer', {
  parent: { resource: Asset, column: 'assetId', relation: 'transfers', lock: true },
  fields: {
    fromLocation: { createOnly: true },
    toLocation: { createOnly: true },
    fromUser: { createOnly: true, mayBeDeactivated: true },
    toUser: { createOnly: true },
    transferDate: { createOnly: true },
    reason: { createOnly: true },
  },
  list: { search: ['reason'] },
  access: { actions: ['list', 'read', 'create', 'update'] },
  graphql: { relations: ['fromBuilding', 'toBuilding', 'previousHolder', 'nextHolder'] },
  rest: { path: '/transfers' },
  hooks: {
    validate({ row: { toLocation, toUser } }): FieldErrors {
      if (toLocation != null || toUser != null) return {};
      return {
        toLocation: 'is required, unless there is a new user',
        toUser: 'is required, unless there is a new location',
      };
    },
    resolveInput: {
      create: ({ parent: { buildingId, assignedTo }, data }) => ({
        ...data,
        fromLocation: data.fromLocation ?? buildingId,
        fromUser: data.fromUser ?? assignedTo,
      }),
    },
    afterOperation: { create: ({ context, row, parent }) => moveAsset(row, parent, context) },
  },
});

/**
 * Moves the locked asset according to the transfer; fields that the transfer leaves out stay unchanged. Runs after the
 * transfer is stored, so that a reference to a missing place is reported before a conflict.
 * @throws ServiceError CONFLICT if the asset is elsewhere
 */
async function moveAsset(
  { fromLocation, toLocation, fromUser, toUser }: Transfer,
  asset: AssetRow,
  context: Context,
): Promise<void> {
  const errors: FieldErrors = {};
  if (fromLocation !== asset.buildingId) errors['fromLocation'] = "is not the asset's location";
  if (fromUser !== asset.assignedTo) errors['fromUser'] = "is not the asset's user";
  if (Object.keys(errors).length > 0) {
    const message = 'The asset is not at the location, or with the user, that this transfer names as its origin.';
    throw conflict(message, errors);
  }
  const destination = { buildingId: toLocation ?? fromLocation, assignedTo: toUser ?? fromUser };
  await updateBySystem(Asset, asset, destination, context);
}
