import type { Stage, Theme } from '../context.ts';
import { papers, warranties } from './asset-papers.ts';
import type { AssetPlan } from './assets.ts';
import { assets } from './assets.ts';

/** What the demo company owns, and all that is known of it. */
export const fixedAssets: Theme = (prisma, stage) => {
  const made = assets.map((plan) => ({ plan, row: stage.row(stage.ago(plan.stays[0][0]), plan.assetName) }));
  return [
    prisma.asset.createMany({ data: made.map(({ plan, row }) => ({ ...row, ...columnsOf(plan, stage) })) }),
    prisma.assetMaintenance.createMany({ data: made.flatMap(({ plan, row }) => maintenanceOf(plan, row.id, stage)) }),
    prisma.assetTransfer.createMany({ data: made.flatMap(({ plan, row }) => transfersOf(plan, row.id, stage)) }),
    prisma.assetWarranty.createMany({
      data: warranties.map(({ asset, starts, ends, ...columns }) => ({
        ...stage.row(stage.ago(Math.min(-starts, 150))),
        ...columns,
        assetId: stage.id(asset),
        startDate: stage.date(starts),
        endDate: stage.date(ends),
      })),
    }),
    prisma.assetDocument.createMany({
      data: papers.map(({ asset, days, ...columns }) => ({
        ...stage.row(stage.ago(days)),
        ...columns,
        assetId: stage.id(asset),
        fileUrl: `https://files.demo.test/assets/${columns.fileName}`,
      })),
    }),
  ];
};

function columnsOf({ stays, work: _, purchased, ...columns }: AssetPlan, stage: Stage) {
  const [days, place, holder] = stays.at(-1) ?? stays[0];
  return {
    ...columns,
    purchaseDate: stage.date(-purchased),
    buildingId: stage.building(place),
    assignedTo: holder && stage.user(holder),
    updatedAt: stage.ago(days),
  };
}

/** Work is planned a month ahead. What is not done by its day is overdue. */
function maintenanceOf({ work, stays }: AssetPlan, assetId: string, stage: Stage) {
  return work.map(([days, maintenanceType, description, estimatedCost, done]) => {
    const planned = stage.row(stage.ago(Math.min(Math.max(30 - days, 1), stays[0][0])));
    const status = done ? 'COMPLETED' : days < 0 ? 'OVERDUE' : 'SCHEDULED';
    const changed = done ? stage.ago(-days) : days < 0 ? stage.time(days + 1, 0) : planned.updatedAt;
    return {
      ...planned,
      assetId,
      maintenanceType,
      scheduledDate: stage.date(days),
      description,
      estimatedCost,
      status,
      updatedAt: changed,
    } as const;
  });
}

/** Each stay but the first begins with a transfer from the one before. */
function transfersOf({ stays }: AssetPlan, assetId: string, stage: Stage) {
  return stays.slice(1).map(([days, place, holder, reason], nth) => {
    const [, fromPlace, fromHolder] = stays[nth] ?? stays[0];
    return {
      ...stage.row(stage.ago(days)),
      assetId,
      fromLocation: stage.building(fromPlace),
      toLocation: stage.building(place),
      fromUser: fromHolder && stage.user(fromHolder),
      toUser: holder && stage.user(holder),
      transferDate: stage.date(-days),
      reason,
    };
  });
}
