/** What `import.ts` watches meanwhile: others' requests, their webhook, memory, and the event loop of the service. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Caller } from './data.ts';
import { memoryOf } from './load.ts';

/** What was seen during a span of time; all but memory in ms. */
export interface Seen {
  readonly healthz: readonly number[];
  readonly list: readonly number[];
  readonly create: readonly number[];
  /** From the response to a create until its message arrives. */
  readonly webhook: readonly number[];
  /** Messages that had not arrived 30 s later. */
  readonly lost: number;
  /** The most resident memory (MB). */
  readonly memory: number;
  /** Each how late the event loop of the service was, and for how much of that it was busy itself. */
  readonly late: readonly { readonly lateMs: number; readonly busyMs: number }[];
  /** How late the benchmark's own event loop was, which the others contain. */
  readonly ownLate: number;
}

/** Receives the webhook of a company. */
export class Receiver {
  private readonly arrived = new Map<string, number>();
  private readonly server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      // The message of a webhook.
      const { data } = JSON.parse(body) as { data: { row_id: string } };
      this.arrived.set(data.row_id, performance.now());
      response.end();
    });
  }).listen(0, '127.0.0.1');

  /** Subscribes a company's service requests from now on. @param position in the log */
  async subscribe(client: pg.Client, { companyId, userIds }: Caller, position: string): Promise<void> {
    // It listens on a port.
    const { port } = this.server.address() as AddressInfo;
    await client.query('DELETE FROM webhooks WHERE company_id = $1', [companyId]);
    await client.query(
      `INSERT INTO webhooks (company_id, id, user_id, name, url, resources, actions, secret, position)
       VALUES ($1, gen_random_uuid(), $2, 'Benchmark', $3, '{ServiceRequest}', '{}', $4, $5)`,
      [companyId, userIds[0], `http://127.0.0.1:${port}/`, Buffer.alloc(24).toString('base64'), position],
    );
  }

  /** How long (ms) after `from` the message of a row arrived; undefined if it has not 30 s later. */
  async waitFor(id: string, from: number): Promise<number | undefined> {
    for (; performance.now() - from < 30_000; await sleep(10)) {
      const at = this.arrived.get(id);
      if (at !== undefined) return Math.max(0, at - from);
    }
    return undefined;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Where and as whom to ask. */
interface Watched {
  readonly url: string;
  readonly pid: number;
  readonly other: Caller;
  readonly receiver: Receiver;
  /** What the service writes about its event loop. */
  readonly loopFile: string;
}

/** Watches the service while some work lasts, and until the messages of meanwhile have arrived. */
export async function watch<T>({ url, pid, other, receiver, loopFile }: Watched, work: () => Promise<T>) {
  const times = { healthz: [] as number[], list: [] as number[], create: [] as number[] };
  const messages: Promise<number | undefined>[] = [];
  let [isOver, memory, ownLate] = [false, 0, 0];
  const ask = async (kind: keyof typeof times, path: string, body?: unknown): Promise<string> => {
    const from = performance.now();
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    times[kind].push(performance.now() - from);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return text;
  };
  /** Each is sent at its time, whether or not an earlier one was answered. */
  const every = async (ms: number, act: () => Promise<unknown>) => {
    const acts: Promise<unknown>[] = [];
    for (let next = performance.now(); !isOver; next += ms) {
      acts.push(act());
      const pause = next + ms - performance.now();
      await sleep(Math.max(0, pause));
      ownLate = Math.max(ownLate, performance.now() - next - ms);
    }
    await Promise.all(acts);
  };
  const create = async () => {
    const text = await ask('create', '/api/v1/service-requests', { title: 'Made by the benchmark', priority: 'high' });
    const from = performance.now();
    // The envelope of REST.
    messages.push(receiver.waitFor((JSON.parse(text) as { data: { id: string } }).data.id, from));
  };
  writeFileSync(loopFile, '');
  const watching = Promise.all([
    every(20, () => ask('healthz', '/healthz')),
    every(200, () => ask('list', '/api/v1/service-requests?limit=20')),
    every(2000, create),
    every(50, async () => (memory = Math.max(memory, memoryOf(pid) ?? Number.NaN))),
  ]);
  const result = await work().finally(() => (isOver = true));
  await watching;
  const late = readLate(loopFile);
  const webhook = await Promise.all(messages);
  const seen: Seen = {
    ...times,
    webhook: webhook.filter((ms) => ms !== undefined),
    lost: webhook.filter((ms) => ms === undefined).length,
    memory,
    late,
    ownLate,
  };
  return { result, seen };
}

function readLate(file: string): Seen['late'] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  // What `loop-delay.mjs` writes.
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Seen['late'][number]);
}
