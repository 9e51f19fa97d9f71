const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `row ${n}`, n, text: 'x'.repeat(100) }));

/** What `slowdown`'s work takes (ms) on the machine for which tests state their limits of time. */
const expectedMs = 15;

/**
 * Measures how much slower the processor is at the moment than that for which tests state their limits of time: a
 * virtual machine may get a fraction of it. It takes about 100 ms.
 *
 * @returns the factor for a limit, at least 1
 */
export function slowdown(): number {
  const rounds = 6;
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1) JSON.parse(JSON.stringify(rows));
  return Math.max(1, (performance.now() - start) / rounds / expectedMs);
}
