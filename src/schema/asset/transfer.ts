import type { Context } from '../../context.ts';
import type { AssetTransfer } from '../../database/generated/client/client.ts';
import { conflict, type FieldErrors } from '../../errors.ts';
import { resource } from '../../resource/define.ts';
import type { Transaction } from '../../resource/writes.ts';
import { Asset } from './asset.ts';

/** The moves of an asset, which stand as they were made. Making one moves the asset. */
resource('AssetTransfer', {
  path: '/transfers',
  parent: { resource: Asset, column: 'assetId', relation: 'transfers', hold: true },
  actions: ['list', 'read', 'create'],
  rest: ['list', 'create'],
  fields: ['assetId', 'fromLocation', 'toLocation', 'fromUser', 'toUser', 'transferDate', 'reason'],
  relations: ['asset', 'fromBuilding', 'toBuilding', 'previousHolder', 'nextHolder'],
  input: ['fromLocation', 'toLocation', 'fromUser', 'toUser', 'transferDate', 'reason'],
  search: ['reason'],
  creating: ({ parent: { buildingId, assignedTo }, data }) => ({
    ...data,
    fromLocation: data.fromLocation ?? buildingId,
    fromUser: data.fromUser ?? assignedTo,
  }),
  after: ({ tx, context, row }) => move(row, tx, context),
});

/**
 * Moves the asset, which is held, from where the transfer says to where it goes; what it does not say stays. Runs once
 * the transfer is stored, as a place that does not exist is another fault than one where the asset is not.
 * @throws ServiceError CONFLICT when the asset is not there
 */
async function move(
  { assetId, fromLocation, toLocation, fromUser, toUser }: AssetTransfer,
  tx: Transaction,
  { caller: { companyId } }: Context,
) {
  const where = { companyId, id: assetId };
  const { count } = await tx.asset.updateMany({
    where: { ...where, buildingId: fromLocation, assignedTo: fromUser },
    data: { buildingId: toLocation ?? fromLocation, assignedTo: toUser ?? fromUser },
  });
  if (count > 0) return;
  const { buildingId, assignedTo } = await tx.asset.findFirstOrThrow({ where });
  const faults: FieldErrors = {};
  if (fromLocation !== buildingId) faults['fromLocation'] = 'is not where the asset is';
  if (fromUser !== assignedTo) faults['fromUser'] = 'is not who has the asset';
  throw conflict('The asset is not where this transfer takes it from.', faults);
}
