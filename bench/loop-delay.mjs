// Loaded into the service (`--import`): writes, every 250 ms, the longest that its event loop was late, and how much
// of that the process itself was busy, which the load of the machine is not.
import { appendFileSync } from 'node:fs';

const file = process.env.BENCH_LOOP_DELAY_FILE;
const intervalMs = 10;
let worst = { at: 0, lateMs: 0, busyMs: 0 };
let last = performance.now();
let cpu = process.cpuUsage();
let written = last;
if (file)
  setInterval(() => {
    const now = performance.now();
    const used = process.cpuUsage(cpu);
    const lateMs = now - last - intervalMs;
    if (lateMs > worst.lateMs) worst = { at: Date.now(), lateMs, busyMs: (used.user + used.system) / 1000 };
    if (now - written > 250) {
      appendFileSync(file, `${JSON.stringify(worst)}\n`);
      worst = { at: 0, lateMs: 0, busyMs: 0 };
      written = now;
    }
    last = performance.now();
    cpu = process.cpuUsage();
  }, intervalMs).unref();
