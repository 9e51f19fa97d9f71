// Loaded into a service with --import: measures for how long its event loop stalls, and prints the longest time (ms) to
// standard error when it gets the signal SIGUSR2. Time in which other processes and threads had the processor does not
// count. Linux only.
import { readFileSync } from 'node:fs';

const intervalMs = 5;
/** The processor time (ms) of this thread. */
const processorMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;

let longest = 0;
let at = performance.now();
let processor = processorMs();
setInterval(() => {
  longest = Math.max(longest, Math.min(performance.now() - at - intervalMs, processorMs() - processor));
  at = performance.now();
  processor = processorMs();
}, intervalMs).unref();
process.on('SIGUSR2', () => {
  process.stderr.write(`stalled ${Math.round(longest)} ms\n`);
  longest = 0;
});
