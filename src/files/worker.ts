// Work on the files of strangers, in a process of its own that can be killed: their bytes may be made to exhaust or to
// break whatever reads them.
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { root } from '../root.ts';
import { type Answer, type Task, UnfitFile } from './tasks.ts';

/** What the process may take. */
interface WorkerLimits {
  /** How long (ms) a task may take. */
  readonly taskMs: number;
  /** How much memory (MB) the process may have. */
  readonly memory: number;
  /** How long (ms) the process is kept without a task. */
  readonly idleMs: number;
}

const defaultLimits: WorkerLimits = { taskMs: 30_000, memory: 700, idleMs: 60_000 };

/** How often (ms) the memory of the process is looked at. */
const watchMs = 100;

/** The priority of the process: requests come first. */
const lowPriority = 10;

/** Compiled also where the sources run: beside this module, or with the other entry points. */
const program = [join(import.meta.dirname, 'file-worker.js'), join(root, 'dist', 'file-worker.js')];

/**
 * A process that does one task at a time. It starts with the first task and ends a while after the last one, and with
 * this process. Whatever becomes of it is the end of one task at most.
 */
export class FileWorker {
  private readonly limits: WorkerLimits;
  private child: ChildProcess | undefined;
  private idle: NodeJS.Timeout | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(limits: Partial<WorkerLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits };
  }

  /** The id of the process; undefined while none runs. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /**
   * Does a task, once those before it are done.
   *
   * @param signal ends it, with the reason of the signal
   * @throws UnfitFile when the file is to blame, also for the end of the process
   */
  run(task: Task, signal: AbortSignal): Promise<Answer> {
    const turn = this.last.then(() => {
      signal.throwIfAborted();
      return this.attempt(task, signal);
    });
    this.last = turn.catch(() => {});
    return turn;
  }

  /** Ends the process, and the task that it does. */
  end(): void {
    clearTimeout(this.idle);
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }

  private async attempt(task: Task, signal: AbortSignal): Promise<Answer> {
    clearTimeout(this.idle);
    const child = (this.child ??= this.start());
    const { taskMs, memory, idleMs } = this.limits;
    const ended = new AbortController();
    const end = (error: unknown) => {
      this.end();
      ended.abort(error);
    };
    const clock = setTimeout(() => end(new UnfitFile('The file takes too long to read.')), taskMs);
    const watch = setInterval(async () => {
      if ((await memoryOf(child.pid)) > memory) end(new UnfitFile('The file takes too much memory.'));
    }, watchMs);
    const onAbort = () => end(signal.reason);
    signal.addEventListener('abort', onAbort);
    hold(child);
    try {
      const answer = await answerOf(child, task, ended.signal);
      if (answer.unfit !== undefined) throw new UnfitFile(answer.unfit);
      return answer;
    } finally {
      clearTimeout(clock);
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
      release(child);
      this.idle = setTimeout(() => this.end(), idleMs).unref();
    }
  }

  private start(): ChildProcess {
    const { memory } = this.limits;
    const path = program.find(existsSync);
    if (path === undefined) throw new Error('The process for files is not built.');
    const flags = [`--max-old-space-size=${Math.floor(memory / 2)}`];
    // A wall for what is allocated at once; what is mapped besides it is seen by the watch.
    const walled = ['-c', `ulimit -d ${memory * 1024}; exec "$0" "$@"`, process.execPath, ...flags];
    const child = fork(path, {
      ...(process.platform === 'linux' ? { execPath: '/bin/sh', execArgv: walled } : { execArgv: flags }),
      // It knows no secret of the service.
      env: { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '2' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('error', () => {}); // `attempt` listens during a task
    child.once('exit', () => {
      if (this.child === child) this.child = undefined;
    });
    try {
      if (child.pid !== undefined) setPriority(child.pid, lowPriority);
    } catch {
      // It has ended, which the task learns.
    }
    return child;
  }
}

/** Sends a task. @returns the answer @throws the reason of the signal; UnfitFile when the process ends */
const answerOf = (child: ChildProcess, task: Task, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      child.off('message', onMessage).off('exit', onEnd).off('error', onEnd);
      signal.removeEventListener('abort', onAbort);
      then();
    };
    const onMessage = (answer: Answer) => settle(() => resolve(answer));
    const onEnd = () => settle(() => reject(new UnfitFile('The file cannot be read: reading it has failed.')));
    // All who abort it give an error.
    const onAbort = () => settle(() => reject(signal.reason as Error));
    child.on('message', onMessage).on('exit', onEnd).on('error', onEnd);
    signal.addEventListener('abort', onAbort);
    child.send(task, (error) => error && onEnd());
  });

/** Lets this process wait for a child, or end without it. */
function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}
function release(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** The memory (MB) of a process, where the system says it; otherwise 0. */
async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

/** The process of this instance for jobs. */
export const fileWorker = new FileWorker();

/** How long (ms) an image may take that a request waits for, and how much memory (MB): libvips reads most by rows. */
const imageLimits = { taskMs: 10_000, memory: 500 } as const;

/** The process for images that requests wait for, which would wait for a long document otherwise. */
export const imageWorker = new FileWorker(imageLimits);
