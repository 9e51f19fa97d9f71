import { Area } from '../../schema/location/area.ts';
import { Building } from '../../schema/location/building.ts';
import { Paint } from '../../schema/paint/paint.ts';
import { PaintLocation } from '../../schema/paint/paint-location.ts';
import type { Seed, SeedContext } from '../context.ts';
import { type AreaName, buildings, paints } from '../places.ts';

/** Where an area of the demo is; undefined when the company does not have its building. */
export function placeOf(area: AreaName, seed: SeedContext): { buildingId: string; floor: string } | undefined {
  for (const { code, areas } of buildings) {
    const floor = areas.find(([name]) => name === area)?.[1];
    const buildingId = seed.building(code);
    if (floor !== undefined && buildingId !== null) return { buildingId, floor };
  }
  return undefined;
}

/** Creates the first buildings of the demo, by default all, with their areas, and the paints. */
export const places =
  (count: number = buildings.length): Seed =>
  async (seed) => {
    const at = seed.ago(200);
    for (const { areas, ...building } of buildings.slice(0, count)) {
      const { id: buildingId } = await seed.create(Building, { at, name: building.code }, building);
      for (const [name, floor, kind] of areas) await seed.create(Area, { at }, { buildingId, name, floor, kind });
    }
    for (const { uses, ...paint } of paints) {
      const { id: parentId } = await seed.create(Paint, { at }, paint);
      for (const [room, surfaceType, notes] of uses) {
        const place = placeOf(room, seed);
        if (place) await seed.create(PaintLocation, { at, parentId }, { ...place, room, surfaceType, notes });
      }
    }
  };
