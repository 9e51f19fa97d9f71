import type { PrismaClient } from '../generated/client/client.ts';
import type { Ids } from './people.ts';
import type { Theme } from './stage.ts';
import { Stage } from './stage.ts';
import { aiUsage } from './themes/ai-usage.ts';
import { checklists } from './themes/checklists.ts';
import { seating } from './themes/desks.ts';
import { documents } from './themes/documents.ts';
import { fixedAssets } from './themes/fixed-assets.ts';
import { hr } from './themes/hr.ts';
import { leases } from './themes/leases.ts';
import { mailroom } from './themes/mailroom.ts';
import { notes } from './themes/notes.ts';
import { procurement } from './themes/procurement.ts';
import { reminders } from './themes/reminders.ts';
import { timeClock } from './themes/time-clock.ts';
import { training } from './themes/training.ts';
import { transfers } from './themes/transfers.ts';
import { vendors } from './themes/vendors.ts';

/** What the demo company has besides its places and requests. Later ones refer to earlier ones. */
export const allThemes: readonly Theme[] = [
  vendors,
  procurement,
  transfers,
  leases,
  fixedAssets,
  checklists,
  timeClock,
  mailroom,
  seating,
  documents,
  hr,
  training,
  notes,
  reminders,
  aiUsage,
];

/** What its sandbox has. */
export const fewThemes: readonly Theme[] = [vendors, procurement, notes];

/** Furnishes a company with themes, all or nothing, unless it has something of the kind already. */
export async function playThemes(
  prisma: PrismaClient,
  companyId: string,
  idOf: Ids,
  themes: readonly Theme[],
): Promise<void> {
  if (await hasAny(prisma, companyId)) return;
  const buildings = await prisma.building.findMany({ where: { companyId }, select: { code: true, id: true } });
  const stage = new Stage(companyId, idOf, new Date(), new Map(buildings.map(({ code, id }) => [code, id])));
  await prisma.$transaction(themes.flatMap((theme) => theme(prisma, stage)));
}

/** Whether a company has rows of its own where the demo's would collide with them, or only be in their way. */
async function hasAny(
  { vendor, inventoryItem, lease, asset, note }: PrismaClient,
  companyId: string,
): Promise<boolean> {
  const where = { companyId };
  const counts = [
    vendor.count({ where }),
    inventoryItem.count({ where }),
    lease.count({ where }),
    asset.count({ where }),
    note.count({ where }),
  ];
  return (await Promise.all(counts)).some((count) => count > 0);
}
