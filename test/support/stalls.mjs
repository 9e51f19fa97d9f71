// Loaded into a service with --import: measures for how long its event loop stalls, and prints the longest time (ms) to
// standard error when it gets the signal SIGUSR2. Time in which other processes had the processor does not count.
const intervalMs = 5;
let longest = 0;
let at = performance.now();
let cpu = process.cpuUsage();
setInterval(() => {
  const used = process.cpuUsage(cpu);
  longest = Math.max(longest, Math.min(performance.now() - at - intervalMs, (used.user + used.system) / 1000));
  at = performance.now();
  cpu = process.cpuUsage();
}, intervalMs).unref();
process.on('SIGUSR2', () => {
  process.stderr.write(`stalled ${Math.round(longest)} ms\n`);
  longest = 0;
});
