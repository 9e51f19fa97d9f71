import { Asset } from '../../schema/asset/asset.ts';
import { AssetDocument } from '../../schema/asset/document.ts';
import { AssetMaintenance } from '../../schema/asset/maintenance.ts';
import { AssetTransfer } from '../../schema/asset/transfer.ts';
import { AssetWarranty } from '../../schema/asset/warranty.ts';
import type { Seed, SeedContext } from '../context.ts';
import { documents, warranties } from './asset-documents.ts';
import type { AssetPlan } from './assets.ts';
import { assets } from './assets.ts';

/** The demo company's assets, with their maintenance, transfers, warranties and documents. */
export const fixedAssets: Seed = async (seed) => {
  for (const plan of assets) {
    const id = await seedAsset(plan, seed);
    await seedMaintenance(plan, id, seed);
    await seedTransfers(plan, id, seed);
  }
  for (const { asset, starts, ends, ...columns } of warranties) {
    const days = { startDate: seed.date(starts), endDate: seed.date(ends) };
    const write = { at: seed.ago(Math.min(-starts, 150)), parentId: seed.id(asset) };
    await seed.create(AssetWarranty, write, { ...columns, ...days });
  }
  for (const { asset, days, ...columns } of documents) {
    const fileUrl = `https://files.demo.test/assets/${columns.fileName}`;
    await seed.create(AssetDocument, { at: seed.ago(days), parentId: seed.id(asset) }, { ...columns, fileUrl });
  }
};

async function seedAsset({ stays, work: _, purchased, ...columns }: AssetPlan, seed: SeedContext): Promise<string> {
  const [days, place, holder] = stays[0];
  const { id } = await seed.create(
    Asset,
    { at: seed.ago(days), name: columns.assetName },
    {
      ...columns,
      purchaseDate: seed.date(-purchased),
      buildingId: seed.building(place),
      assignedTo: holder && seed.user(holder),
    },
  );
  return id;
}

/** Maintenance is scheduled a month ahead. */
async function seedMaintenance({ work, stays }: AssetPlan, parentId: string, seed: SeedContext): Promise<void> {
  for (const [days, maintenanceType, description, estimatedCost, done] of work) {
    const at = seed.ago(Math.min(Math.max(30 - days, 1), stays[0][0]));
    const columns = { maintenanceType, scheduledDate: seed.date(days), description, estimatedCost };
    const { id } = await seed.create(AssetMaintenance, { at, parentId }, columns);
    if (done) await seed.update(AssetMaintenance, id, { at: seed.ago(-days) }, { status: 'COMPLETED' });
  }
}

/** Each stay but the first begins with a transfer. */
async function seedTransfers({ stays }: AssetPlan, parentId: string, seed: SeedContext): Promise<void> {
  for (const [days, place, holder, reason] of stays.slice(1)) {
    const destination = { toLocation: seed.building(place), toUser: holder && seed.user(holder) };
    const columns = { ...destination, transferDate: seed.date(-days), reason };
    await seed.create(AssetTransfer, { at: seed.ago(days), parentId }, columns);
  }
}
