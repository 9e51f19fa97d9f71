import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Starts a TypeScript file of test/support in a child process, connected by a message channel. */
export function startScript(script: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** Runs such a file to its end. @returns its output */
export async function runScript(script: string, ...args: string[]): Promise<string> {
  const child = startScript(script, ...args);
  const [output] = await Promise.all([child.stdout ? text(child.stdout) : '', once(child, 'exit')]);
  return output;
}
