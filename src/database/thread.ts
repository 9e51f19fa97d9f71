import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { root } from '../root.ts';
import type { Backend } from './pglite.ts';

/** A part of an answer. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** An answer in progress. */
interface Answer {
  readonly onRawData: (data: Uint8Array) => void;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** Compiled also where the sources run, as Node 20 loads no TypeScript in threads. */
const program = join(root, 'dist', 'pglite-thread.js');

/** Starts a PGlite in a thread of its own, so that it does not block the process while it executes a statement. */
export async function startThread(dataDir: string): Promise<Backend> {
  const worker = new Worker(program, { workerData: { dataDir } });
  const answers: Answer[] = [];
  let end: Error | undefined;
  worker.on('error', (cause) => (end = new Error('Connection terminated by the end of the database', { cause })));
  const exited = new Promise((resolve) => worker.once('exit', resolve)).then(() => {
    end ??= new Error('Connection terminated, as the database was closed');
    for (const { reject } of answers.splice(0)) reject(end);
  });
  worker.on('message', ({ bytes, isLast }: Part) => {
    if (bytes.length > 0) answers[0]?.onRawData(bytes);
    if (isLast) answers.shift()?.resolve();
  });
  const send = (messages: Uint8Array | null, onRawData: Answer['onRawData'] = () => {}) =>
    new Promise<void>((resolve, reject) => {
      if (end) return reject(end);
      answers.push({ onRawData, resolve, reject });
      worker.postMessage(messages);
    });
  // The first answer reports the start.
  await new Promise<void>((resolve, reject) => answers.push({ onRawData: () => {}, resolve, reject }));
  return {
    execProtocolRawStream: (messages, { onRawData }) => send(messages, onRawData),
    async close() {
      await send(null);
      await exited;
    },
    async terminate() {
      await worker.terminate();
      await exited;
    },
  };
}
