import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds. @throws Error after two minutes, with what was awaited */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await sleep(20);
  }
}
