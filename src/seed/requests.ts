import { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { uuidAt } from '../formats.ts';
import type { RequestColumn } from '../schema/request/activity.ts';
import { SeedContext } from './context.ts';
import type { Category, Ids } from './people.ts';
import { coordinator, reporters, workers } from './people.ts';
import { buildings, paints } from './places.ts';
import type { Script } from './scripts/index.ts';
import { moveScripts, serviceScripts } from './scripts/index.ts';
import { RequestTimeline } from './timeline.ts';

const day = 86_400_000;

/** The part of the demo that a company gets. */
interface Extent {
  buildings: number;
  /** Maximum number; only those about one of the buildings. */
  serviceRequests: number;
  moveRequests: number;
}

/**
 * Creates the demo's buildings, paints and requests in a company, all or none.
 *
 * @returns false when it already has buildings and was left unchanged
 */
export async function seedRequests(database: Database, companyId: string, idOf: Ids, extent: Extent): Promise<boolean> {
  const { prisma } = database;
  if ((await prisma.building.count({ where: { companyId } })) > 0) return false;
  const now = new Date();
  const seed = new SeedContext(database, companyId, idOf, now, new Map());
  const places = placeRows(companyId, extent.buildings, new Date(now.getTime() - 200 * day));
  const timelines: RequestTimeline[] = [];
  const serviceRequests: Prisma.ServiceRequestCreateManyInput[] = [];
  const moveRequests: Prisma.MoveRequestCreateManyInput[] = [];

  const services = serviceScripts.filter(({ area }) => places.byArea.has(area)).slice(0, extent.serviceRequests);
  for (const [nth, script] of services.entries()) {
    const { title, description, category, area } = script;
    const timeline = playScript('serviceRequestId', seed, script, category, nth / services.length);
    serviceRequests.push({ ...timeline.request, title, description, category, ...places.byArea.get(area), room: area });
    timelines.push(timeline);
  }
  const moves = moveScripts.slice(0, extent.moveRequests);
  for (const [nth, script] of moves.entries()) {
    const { title, description, from: fromLocation, to: toLocation } = script;
    const timeline = playScript('moveRequestId', seed, script, 'Move', nth / moves.length);
    const scheduledDate = new Date(timeline.createdAt.getTime() + 10 * day);
    moveRequests.push({ ...timeline.request, title, description, fromLocation, toLocation, scheduledDate });
    timelines.push(timeline);
  }

  await prisma.$transaction([
    prisma.building.createMany({ data: places.buildings }),
    prisma.area.createMany({ data: places.areas }),
    prisma.paint.createMany({ data: places.paints }),
    prisma.paintLocation.createMany({ data: places.paintLocations }),
    prisma.serviceRequest.createMany({ data: serviceRequests }),
    prisma.moveRequest.createMany({ data: moveRequests }),
    prisma.comment.createMany({ data: timelines.flatMap(({ comments }) => comments) }),
    prisma.watcher.createMany({ data: timelines.flatMap(({ watchers }) => watchers) }),
    prisma.timeLog.createMany({ data: timelines.flatMap(({ timeLogs }) => timeLogs) }),
    prisma.activityEntry.createMany({ data: timelines.flatMap(({ activity }) => activity) }),
    prisma.$executeRaw(splitPeriods(companyId)),
  ]);
  return true;
}

/** A statement that gives requests, which are created with their last status, a period for each that they have had. */
const splitPeriods = (companyId: string): Prisma.Sql => Prisma.sql`
  WITH moved AS (
    SELECT row_id, from_value, to_value, at, lead(at) OVER (PARTITION BY row_id ORDER BY at) AS next,
           row_number() OVER (PARTITION BY row_id ORDER BY at) AS nth
    FROM (
      SELECT coalesce(service_request_id, move_request_id) AS row_id, from_value, to_value, created_at AS at
      FROM activity_entries WHERE company_id = ${companyId}::uuid AND action = 'status_changed'
    ) AS entry
  ), begun AS (
    UPDATE status_periods AS period SET status = from_value, left_at = at FROM moved
    WHERE company_id = ${companyId}::uuid AND period.row_id = moved.row_id AND nth = 1
  )
  INSERT INTO status_periods (company_id, row_id, table_name, status, entered_at, left_at)
  SELECT company_id, row_id, table_name, to_value, at, next
  FROM moved JOIN status_periods USING (row_id) WHERE company_id = ${companyId}::uuid ORDER BY row_id, at`;

/**
 * The rows of the first `count` buildings and of all paints, and each area's location. They are written in bulk, in the
 * transaction of the requests that refer to them; none of them has a hook.
 */
function placeRows(companyId: string, count: number, at: Date) {
  const stamp = () => ({ companyId, id: uuidAt(at), createdAt: at, updatedAt: at });
  const byArea = new Map<string, { buildingId: string; floor: string }>();
  const areas: Prisma.AreaCreateManyInput[] = [];
  const paintLocations: Prisma.PaintLocationCreateManyInput[] = [];
  const buildingRows = buildings.slice(0, count).map(({ areas: parts, ...building }) => {
    const row = { ...stamp(), ...building };
    for (const [name, floor, kind] of parts) {
      areas.push({ ...stamp(), buildingId: row.id, name, floor, kind });
      byArea.set(name, { buildingId: row.id, floor });
    }
    return row;
  });
  const paintRows = paints.map(({ uses, ...paint }) => {
    const row = { ...stamp(), ...paint };
    for (const [room, surfaceType, notes] of uses) {
      const place = byArea.get(room);
      if (place) paintLocations.push({ ...stamp(), paintId: row.id, ...place, room, surfaceType, notes });
    }
    return row;
  });
  return { buildings: buildingRows, areas, byArea, paints: paintRows, paintLocations };
}

/**
 * Plays a script from the request's creation until its end or the present.
 *
 * @param age when the request was created: 0 is this morning, 1 four and a half months ago
 */
function playScript(
  reference: RequestColumn,
  seed: SeedContext,
  { title, talk, priority = 'NORMAL' }: Script,
  category: Category,
  age: number,
): RequestTimeline {
  const variation = title.length; // varies each request slightly, but the same on every run
  const worker = workers[category];
  const reporter = (nth: number) => reporters[nth % reporters.length] ?? coordinator;
  const asker = reporter(variation);
  const colleague = reporter(variation + 2);
  const underrated = variation % 3 === 0 && priority !== 'NORMAL';
  const madeAt = new Date(seed.now.getTime() - (0.1 + 137 * age ** 2) * day);
  const timeline = new RequestTimeline(reference, seed, asker, underrated ? 'NORMAL' : priority, madeAt);

  timeline.after(0.1, () => timeline.watch(asker));
  if (underrated) timeline.after(0.5, () => timeline.setPriority(coordinator, priority));
  timeline.after(1 + (variation % 5), () => timeline.assign(coordinator, worker));
  if (variation % 4 !== 0) timeline.after(0.2, () => timeline.watch(colleague));
  timeline.after(2 + (variation % 7), () => timeline.setStatus(worker, 'IN_PROGRESS'));
  for (const [turn, line] of talk.entries()) {
    timeline.after(1 + ((variation * (turn + 1)) % 20), () => timeline.comment(turn % 2 === 0 ? worker : asker, line));
  }
  timeline.after(0.3, () => timeline.logTime(worker, 0.5 + (variation % 6) / 2, `${category}: ${title}`));
  timeline.after(0.1, () => timeline.setStatus(worker, 'COMPLETED'));
  if (variation % 3 !== 1) timeline.after(3, () => timeline.comment(asker, 'Thank you, this can be closed.'));
  return timeline;
}
