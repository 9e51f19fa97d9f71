import { jest } from '@jest/globals';

/** The calendar day that is `n` days from today (UTC). */
export const day = (n = 0): string => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);

/** A day as a Prisma date. */
export const date = (iso: string): Date => new Date(`${iso}T00:00:00Z`);

/** Runs `work` at another time. Only `Date` is faked; timers run, as the service and its database need them. */
export async function at<Result>(time: string, work: () => Promise<Result>): Promise<Result> {
  jest.useFakeTimers({
    now: new Date(time),
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'requestAnimationFrame',
      'cancelAnimationFrame',
      'requestIdleCallback',
      'cancelIdleCallback',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
  try {
    return await work();
  } finally {
    jest.useRealTimers();
  }
}

/** Sends `count` concurrent requests, and counts the responses by status. */
export async function countStatuses(
  count: number,
  request: (n: number) => Promise<{ status: number }>,
): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(Array.from({ length: count }, (_, n) => request(n))))
    counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
