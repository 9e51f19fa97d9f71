/** Reads a CPU profile that node has written. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A function's position in V8's profile format. */
interface CallFrame {
  functionName: string;
  url: string;
  /** Zero-based. */
  lineNumber: number;
}

interface Profile {
  nodes: { id: number; callFrame: CallFrame }[];
  /** Microseconds of the system's monotonic clock. */
  startTime: number;
  samples: number[];
  /** Microseconds since the previous sample. */
  timeDeltas: number[];
}

/**
 * The functions or packages with the most self time.
 *
 * @param folder what `--cpu-prof-dir` named; only the main thread's profile is read
 * @param spans the times of interest, in microseconds of the monotonic clock
 * @param nameOf the name that a function is counted under
 * @param top how many names to return
 * @returns the share of all busy time in percent, and the name
 */
export function topSelfTimes(
  folder: string,
  spans: { from: number; to: number }[],
  nameOf: (frame: CallFrame) => string,
  top: number,
): { percent: number; name: string }[] {
  const file = readdirSync(folder).find((name) => /\.0\.\d+\.cpuprofile$/.test(name));
  if (!file) throw new Error(`no profile of the main thread in ${folder}`);
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));

  const times = new Map<string, number>();
  let time = profile.startTime;
  let busy = 0;
  for (const [i, id] of profile.samples.entries()) {
    time += profile.timeDeltas[i]!;
    const frame = frames.get(id)!;
    if (frame.functionName === '(idle)' || !spans.some(({ from, to }) => time >= from && time < to)) continue;
    // A sample counts for the time until the next one.
    const delta = profile.timeDeltas[i + 1] ?? 0;
    busy += delta;
    const name = nameOf(frame);
    times.set(name, (times.get(name) ?? 0) + delta);
  }
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, top)
    .map(([name, microseconds]) => ({ percent: (100 * microseconds) / busy, name }));
}

/** A function by its name and its line in the compiled code. */
export function functionOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName || '(anonymous)';
  return url ? `${name}  ${pathOf(url)}:${lineNumber + 1}` : name;
}

/** The package or repository folder that a function belongs to. */
export function packageOf({ functionName, url }: CallFrame): string {
  if (!url) return functionName.startsWith('(') ? functionName : 'node';
  if (!url.startsWith('file:')) return url.startsWith('node:') ? 'node' : url.replace(/:.*/, '');
  const path = pathOf(url);
  return /^(@[^/]+\/[^/]+|[^/]+)/.exec(path.split('node_modules/').at(-1)!)![0].replace(/^src$/, dirname(path));
}

const pathOf = (url: string) =>
  url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)).replace(/^node_modules\//, '') : url;
