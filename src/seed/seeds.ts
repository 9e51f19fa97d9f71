import { type Database, wholeCompany } from '../database/index.ts';
import type { Resource } from '../resource/index.ts';
import { Asset } from '../schema/asset/asset.ts';
import { InventoryItem } from '../schema/inventory/item.ts';
import { Lease } from '../schema/lease/lease.ts';
import { Building } from '../schema/location/building.ts';
import { Note } from '../schema/note/note.ts';
import { Vendor } from '../schema/vendor.ts';
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
import { places } from './seeds/places.ts';
import { procurement } from './seeds/procurement.ts';
import { reminders } from './seeds/reminders.ts';
import { requests } from './seeds/requests.ts';
import { timeClock } from './seeds/time-clock.ts';
import { training } from './seeds/training.ts';
import { transfers } from './seeds/transfers.ts';
import { vendors } from './seeds/vendors.ts';

/** Seeds that are written together. Later ones refer to earlier ones. */
interface SeedPart {
  readonly seeds: readonly Seed[];
  /** What would conflict or mix with the rows of the seeds: a company that has any of these rows is left unchanged. */
  readonly unlessAny: readonly Resource[];
}

const inventoryOrProperty: readonly Resource[] = [Vendor, InventoryItem, Lease, Asset, Note];

/** The parts of the demo company. */
export const companyParts: readonly SeedPart[] = [
  { unlessAny: [Building], seeds: [places(), requests()] },
  {
    unlessAny: inventoryOrProperty,
    seeds: [
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
    ],
  },
];

/** The parts of its sandbox. */
export const sandboxParts: readonly SeedPart[] = [
  { unlessAny: [Building], seeds: [places(1), requests(6, 2)] },
  { unlessAny: inventoryOrProperty, seeds: [vendors, procurement, notes] },
];

/** Writes the parts that a company does not have yet. Runs in a transaction. */
export async function seedCompany(
  database: Database,
  companyId: string,
  idOf: Ids,
  { parts, signal }: { readonly parts: readonly SeedPart[]; readonly signal?: AbortSignal },
): Promise<void> {
  for (const { seeds, unlessAny } of parts) {
    if (await hasAny(database, companyId, unlessAny)) continue;
    const buildings = await database.prisma.building.findMany({ where: { companyId } });
    const context = new SeedContext(database, companyId, idOf, new Date());
    for (const { code, id } of buildings) if (code !== null) context.name(code, id);
    for (const seed of seeds) {
      signal?.throwIfAborted();
      await seed(context);
    }
  }
}

/** Whether a company has rows of any of the resources. */
async function hasAny({ readerOf }: Database, companyId: string, resources: readonly Resource[]): Promise<boolean> {
  const reader = readerOf(wholeCompany(companyId));
  const counts = resources.map(({ model }) => reader.count(model, {}));
  return (await Promise.all(counts)).some((count) => count > 0);
}
