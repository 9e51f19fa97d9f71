import type { PrismaClient } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import type { Seed } from './context.ts';
import { SeedContext } from './context.ts';
import type { Ids } from './people.ts';
import { aiUsage } from './seeds/ai-usage.ts';
import { checklists } from './seeds/checklists.ts';
import { seating } from './seeds/desks.ts';
import { documents } from './seeds/documents.ts';
import { fixedAssets } from './seeds/fixed-assets.ts';
import { hr } from './seeds/hr.ts';
import { leases } from './seeds/leases.ts';
import { mailroom } from './seeds/mailroom.ts';
import { notes } from './seeds/notes.ts';
import { procurement } from './seeds/procurement.ts';
import { reminders } from './seeds/reminders.ts';
import { timeClock } from './seeds/time-clock.ts';
import { training } from './seeds/training.ts';
import { transfers } from './seeds/transfers.ts';
import { vendors } from './seeds/vendors.ts';

/** The seeds of the demo company besides its places and requests. Later ones refer to earlier ones. */
export const companySeeds: readonly Seed[] = [
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

/** The seeds of its sandbox. */
export const sandboxSeeds: readonly Seed[] = [vendors, procurement, notes];

/** Timeout (ms) of the transaction that seeds a company, long enough for a slow and busy machine. */
const timeoutMs = 300_000;

/** Runs seeds for a company in one transaction, unless it already has rows of this kind. */
export async function seedCompany(
  database: Database,
  companyId: string,
  idOf: Ids,
  seeds: readonly Seed[],
): Promise<void> {
  const { prisma } = database;
  if (await hasAny(prisma, companyId)) return;
  const buildings = await prisma.building.findMany({ where: { companyId }, select: { code: true, id: true } });
  const buildingIds = new Map(buildings.map(({ code, id }) => [code, id]));
  const work = async () => {
    const context = new SeedContext(database, companyId, idOf, new Date(), buildingIds);
    for (const seed of seeds) await seed(context);
  };
  await database.transaction(work, { timeoutMs });
}

/** Whether a company has its own rows that would conflict or mix with the demo's. */
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
