import type { Seed, SeedContext } from '../context.ts';
import { papers, warranties } from './asset-papers.ts';
import type { AssetPlan } from './assets.ts';
import { assets } from './assets.ts';

/** What the demo company owns, and all that is known of it. */
export const fixedAssets: Seed = (prisma, seed) => {
  const made = assets.map((plan) => ({ plan, row: seed.row(seed.ago(plan.stays[0][0]), plan.assetName) }));
  return [
    prisma.asset.createMany({ data: made.map(({ plan, row }) => ({ ...row, ...columnsOf(plan, seed) })) }),
    prisma.assetMaintenance.createMany({ data: made.flatMap(({ plan, row }) => maintenanceOf(plan, row.id, seed)) }),
    prisma.assetTransfer.createMany({ data: made.flatMap(({ plan, row }) => transfersOf(plan, row.id, seed)) }),
    prisma.assetWarranty.createMany({
      data: warranties.map(({ asset, starts, ends, ...columns }) => ({
        ...seed.row(seed.ago(Math.min(-starts, 150))),
        ...columns,
        assetId: seed.id(asset),
        startDate: seed.date(starts),
        endDate: seed.date(ends),
      })),
    }),
    prisma.assetDocument.createMany({
      data: papers.map(({ asset, days, ...columns }) => ({
        ...seed.row(seed.ago(days)),
        ...columns,
        assetId: seed.id(asset),
        fileUrl: `https://files.demo.test/assets/${columns.fileName}`,
      })),
    }),
  ];
};

function columnsOf({ stays, work: _, purchased, ...columns }: AssetPlan, seed: SeedContext) {
  const [days, place, holder] = stays.at(-1) ?? stays[0];
  return {
    ...columns,
    purchaseDate: seed.date(-purchased),
    buildingId: seed.building(place),
    assignedTo: holder && seed.user(holder),
    updatedAt: seed.ago(days),
  };
}

/** Work is planned a month ahead. What is not done by its day is overdue. */
function maintenanceOf({ work, stays }: AssetPlan, assetId: string, seed: SeedContext) {
  return work.map(([days, maintenanceType, description, estimatedCost, done]) => {
    const planned = seed.row(seed.ago(Math.min(Math.max(30 - days, 1), stays[0][0])));
    const status = done ? 'COMPLETED' : days < 0 ? 'OVERDUE' : 'SCHEDULED';
    const changed = done ? seed.ago(-days) : days < 0 ? seed.time(days + 1, 0) : planned.updatedAt;
    return {
      ...planned,
      assetId,
      maintenanceType,
      scheduledDate: seed.date(days),
      description,
      estimatedCost,
      status,
      updatedAt: changed,
    } as const;
  });
}

/** Each stay but the first begins with a transfer from the one before. */
function transfersOf({ stays }: AssetPlan, assetId: string, seed: SeedContext) {
  return stays.slice(1).map(([days, place, holder, reason], nth) => {
    const [, fromPlace, fromHolder] = stays[nth] ?? stays[0];
    return {
      ...seed.row(seed.ago(days)),
      assetId,
      fromLocation: seed.building(fromPlace),
      toLocation: seed.building(place),
      fromUser: fromHolder && seed.user(fromHolder),
      toUser: holder && seed.user(holder),
      transferDate: seed.date(-days),
      reason,
    };
  });
}
