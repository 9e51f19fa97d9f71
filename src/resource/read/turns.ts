/** How many rows are handled before other requests get their turn: their fields take some milliseconds. */
const rowsPerTurn = 300;

// Of the process, as all requests share its event loop.
let handled = 0;
let isCounting = false;
const waiting: (() => void)[] = [];

/**
 * Lets other requests have a turn before a list's rows become part of a response, when many rows have been handled
 * since the last turn. Without it, a response with many rows would block all other requests until it is complete.
 */
export function yieldBetweenRows<Rows>(count: number, rows: Rows): Rows | Promise<Rows> {
  if (!isCounting) {
    isCounting = true;
    setImmediate(nextTurn);
  }
  handled += count;
  return handled <= rowsPerTurn && waiting.length === 0
    ? rows
    : new Promise((resolve) => waiting.push(() => resolve(rows)));
}

/** Immediates that are scheduled together run together, so each turn schedules the next one. */
function nextTurn(): void {
  handled = 0;
  waiting.shift()?.();
  isCounting = waiting.length > 0;
  if (isCounting) setImmediate(nextTurn);
}
