import type { RequestPriority } from '../../database/generated/client/client.ts';
import { MoveRequest, moveRequestThread } from '../../schema/request/move-request.ts';
import { ServiceRequest, serviceRequestThread } from '../../schema/request/service-request.ts';
import type { Seed, SeedContext } from '../context.ts';
import { type Category, coordinator, type Person, reporters, workers } from '../people.ts';
import { RequestHistory } from '../request-history.ts';
import { moveScripts, type Script, serviceScripts } from '../scripts/index.ts';
import { workingTime } from '../working-time.ts';
import { placeOf } from './places.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** Creates the newest service and move requests of the demo, by default all, with their histories. */
export const requests =
  (serviceCount = serviceScripts.length, moveCount = moveScripts.length): Seed =>
  async (seed) => {
    const services = serviceScripts.filter(({ area }) => placeOf(area, seed)).slice(0, serviceCount);
    for (const [nth, script] of services.entries()) {
      const { title, description, category, area } = script;
      const { priority, ...write } = creationOf(script, nth / services.length, seed);
      const columns = { title, description, category, priority, ...placeOf(area, seed), room: area };
      const { id } = await seed.create(ServiceRequest, write, columns);
      await play(script, category, new RequestHistory(seed, serviceRequestThread, id, write.at));
    }
    const moves = moveScripts.slice(0, moveCount);
    for (const [nth, script] of moves.entries()) {
      const { title, description, from: fromLocation, to: toLocation } = script;
      const { priority, ...write } = creationOf(script, nth / moves.length, seed);
      const scheduledDate = new Date(write.at.getTime() + 10 * day);
      const columns = { title, description, priority, fromLocation, toLocation, scheduledDate };
      const { id } = await seed.create(MoveRequest, write, columns);
      await play(script, 'Move', new RequestHistory(seed, moveRequestThread, id, write.at));
    }
  };

/** A number that varies each request slightly, but is the same on every run. */
const variationOf = ({ title }: Script): number => title.length;

const reporter = (nth: number): Person => reporters[nth % reporters.length] ?? coordinator;

/** Whether the reporter gives a request too low a priority. */
const isUnderrated = (script: Script): boolean =>
  variationOf(script) % 3 === 0 && (script.priority ?? 'NORMAL') !== 'NORMAL';

/**
 * By whom, when and with which priority a request is created.
 *
 * @param age 0 is this morning, 1 four and a half months ago
 */
function creationOf(
  script: Script,
  age: number,
  seed: SeedContext,
): { by: Person; at: Date; priority: RequestPriority } {
  const at = workingTime(new Date(seed.now.getTime() - (0.1 + 137 * age ** 2) * day), -hour);
  const priority = isUnderrated(script) ? 'NORMAL' : (script.priority ?? 'NORMAL');
  return { by: reporter(variationOf(script)), at, priority };
}

/** Plays a script from after the request's creation until its end or the present. */
async function play(script: Script, category: Category, request: RequestHistory): Promise<void> {
  const { title, talk, priority } = script;
  const variation = variationOf(script);
  const worker = workers[category];
  const [asker, colleague] = [reporter(variation), reporter(variation + 2)];

  await request.after(0.1).watch(asker);
  if (isUnderrated(script)) await request.after(0.5).update(coordinator, { priority });
  await request.after(1 + (variation % 5)).assign(coordinator, worker);
  if (variation % 4 !== 0) await request.after(0.2).watch(colleague);
  await request.after(2 + (variation % 7)).update(worker, { status: 'IN_PROGRESS' });
  for (const [turn, line] of talk.entries()) {
    await request.after(1 + ((variation * (turn + 1)) % 20)).comment(turn % 2 === 0 ? worker : asker, line);
  }
  await request.after(0.3).logTime(worker, 0.5 + (variation % 6) / 2, `${category}: ${title}`);
  await request.after(0.1).update(worker, { status: 'COMPLETED' });
  if (variation % 3 !== 1) await request.after(3).comment(asker, 'Thank you, this can be closed.');
}
