// Runs PGlite in a thread of its own, for `startThread`: receives messages of PostgreSQL's protocol one after another,
// and sends each answer in parts, of which the last says so.
import { parentPort, workerData } from 'node:worker_threads';
import { startPGlite } from './pglite.ts';
import type { Part } from './thread.ts';

const port = parentPort;
if (!port) throw new Error('This runs in a thread.');
// `startThread` passes it.
const { dataDir } = workerData as { dataDir: string };
const pglite = await startPGlite({ dataDir });

/** A message between threads takes longer than PGlite's parts, of some bytes each, which therefore go together. */
const partBytes = 64 * 1024;
let collected: Uint8Array[] = [];
let collectedBytes = 0;

function send(isLast: boolean): void {
  const bytes = Buffer.concat(collected);
  collected = [];
  collectedBytes = 0;
  port?.postMessage({ bytes, isLast } satisfies Part);
}

const onRawData = (data: Uint8Array) => {
  collected.push(data.slice()); // a copy, as the data are in PGlite's own memory
  collectedBytes += data.length;
  if (collectedBytes >= partBytes) send(false);
};

async function execute(messages: Uint8Array | null): Promise<void> {
  if (messages) await pglite.execProtocolRawStream(messages, { onRawData });
  else await pglite.close();
  send(true);
  if (!messages) port?.close();
}

let last = Promise.resolve();
port.on('message', (messages: Uint8Array | null) => {
  last = last.then(() => execute(messages));
});
send(true);
