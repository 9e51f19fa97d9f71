// Runs PGlite in a thread of its own, for `startThread`: receives messages of PostgreSQL's protocol one after another,
// and sends each answer in parts and then null.
import { parentPort, workerData } from 'node:worker_threads';
import { startPGlite } from './pglite.ts';

const port = parentPort;
if (!port) throw new Error('This runs in a thread.');
// `startThread` passes it.
const { dataDir } = workerData as { dataDir: string };
const pglite = await startPGlite({ dataDir });

const onRawData = (data: Uint8Array) => {
  const part = data.slice(); // a copy, as the data are in PGlite's own memory
  port.postMessage(part, [part.buffer]);
};

async function execute(messages: Uint8Array | null): Promise<void> {
  if (messages) await pglite.execProtocolRawStream(messages, { onRawData });
  else await pglite.close();
  port?.postMessage(null);
  if (!messages) port?.close();
}

let last = Promise.resolve();
port.on('message', (messages: Uint8Array | null) => {
  last = last.then(() => execute(messages));
});
port.postMessage(null);
