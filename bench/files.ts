/** `npm run bench:files`: large files, many photos, and ranges beside @fastify/static; see README.md. */
import { createHash, randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { prepare } from './data.ts';
import { memoryOf } from './load.ts';
import { type RunningServer, type Server, servers, start, stop } from './servers.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    megabytes: { type: 'string', default: '1024' },
    photos: { type: 'string', default: '200' },
    senders: { type: 'string', default: '20' },
    reads: { type: 'string', default: '40' },
    requests: { type: 'string', default: '10000' },
  },
});
const isWanted = (part: string) => options.only?.includes(part) ?? true;

const mb = 1 << 20;
const folder = mkdtempSync(join(tmpdir(), 'premises-files-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const data = await prepare(process.env.BENCH_DATABASE_URL ?? 'postgresql://127.0.0.1:5432/', Number(options.requests));
const [caller, other] = [data.callers[0]!, data.callers[1]!];
const agent = new Agent({ keepAlive: true });
process.env.FILES_URL ??= pathToFileURL(join(folder, 'store')).href;
const server = await start(servers[0]!, data.url, caller.token);

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly text: string;
}

/** Sends a request of one caller; of the answer's bytes only their hash is kept where they are `content`. */
function send(
  url: string,
  {
    method = 'GET',
    token = caller.token,
    headers = {},
    body = [],
    isContent = false,
  }: {
    readonly method?: string;
    readonly token?: string;
    readonly headers?: Record<string, string>;
    readonly body?: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
    readonly isContent?: boolean;
  },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, agent, headers: { authorization: `Bearer ${token}`, ...headers } },
      (response) => {
        const hash = isContent ? createHash('sha256') : undefined;
        let [bytes, text] = [0, ''];
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          hash?.update(chunk);
          if (!hash) text += chunk.toString();
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, bytes, sha256: hash?.digest('hex') ?? '', text }),
        );
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    Readable.from(body).pipe(sent);
  });
}

/** Sends a file. @returns its id */
async function upload(name: string, size: number, body: Iterable<Uint8Array>): Promise<string> {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
  const { status, text } = await send(`${server.url}/api/v1/files?name=${name}`, { method: 'POST', headers, body });
  if (status !== 201) throw new Error(`The file was answered with ${status}: ${text}`);
  // The envelope of REST.
  return (JSON.parse(text) as { data: { id: string } }).data.id;
}

/** Sends a file by tus, in two requests. @returns its id */
async function uploadInParts(name: string, chunk: Buffer, count: number): Promise<string> {
  const tus = { 'tus-resumable': '1.0.0' };
  const metadata = `filename ${Buffer.from(name).toString('base64')}`;
  const begun = await fetch(`${server.url}/api/v1/uploads`, {
    method: 'POST',
    headers: {
      ...tus,
      authorization: `Bearer ${caller.token}`,
      'upload-length': String(count * chunk.length),
      'upload-metadata': metadata,
    },
  });
  const path = begun.headers.get('location') ?? '';
  const half = Math.floor(count / 2);
  for (const [offset, chunks] of [
    [0, half],
    [half, count - half],
  ] as const) {
    const { status, text } = await send(server.url + path, {
      method: 'PATCH',
      headers: {
        ...tus,
        'upload-offset': String(offset * chunk.length),
        'content-type': 'application/offset+octet-stream',
        'content-length': String(chunks * chunk.length),
      },
      body: repeat(chunk, chunks),
    });
    if (status !== 204) throw new Error(`A part was answered with ${status}: ${text}`);
  }
  return path.split('/').at(-1) ?? '';
}

const contentOf = (id: string) => `${server.url}/api/v1/files/${id}/content`;

/** The most memory (MB) of the server while some work lasts. */
async function watchMemory<T>(work: () => Promise<T>): Promise<{ result: T; most: number; seconds: number }> {
  const pid = server.process.pid!;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, memoryOf(pid) ?? NaN)), 50);
  const from = performance.now();
  try {
    return { result: await work(), most, seconds: (performance.now() - from) / 1000 };
  } finally {
    clearInterval(timer);
  }
}

/** A gigabyte in, at once and in parts, and out again. */
async function measureLarge(): Promise<void> {
  const chunk = randomFillSync(Buffer.alloc(mb));
  const count = Number(options.megabytes);
  const hash = createHash('sha256');
  for (let n = 0; n < count; n++) hash.update(chunk);
  const expected = hash.digest('hex');
  // What the first file loads is no matter of the size.
  await send(contentOf(await upload('small.bin', chunk.length, [chunk])), { isContent: true });
  await uploadInParts('small.bin', chunk, 2);
  await sleep(2000);
  const before = memoryOf(server.process.pid!) ?? NaN;
  const sent = await watchMemory(() => upload('large.bin', count * mb, repeat(chunk, count)));
  const resumed = await watchMemory(() => uploadInParts('resumed.bin', chunk, count));
  const get = (id: string) => watchMemory(() => send(contentOf(id), { isContent: true }));
  const [got, gotResumed] = [await get(sent.result), await get(resumed.result)];
  for (const { result } of [got, gotResumed])
    if (result.sha256 !== expected) throw new Error('The bytes that came back are others.');
  for (const [name, { most, seconds }] of Object.entries({ in: sent, 'in by tus': resumed, out: got }))
    console.log(
      `${count} MB ${name}: ${seconds.toFixed(1)} s, at most ${most.toFixed(0)} MB of memory, ${(most - before).toFixed(0)} more than before`,
    );
}

function* repeat(chunk: Buffer, count: number) {
  for (let n = 0; n < count; n++) yield chunk;
}

/** Photos of many senders, while others read rows. */
async function measurePhotos(): Promise<void> {
  const [width, height] = [3200, 2400];
  const noise = randomFillSync(Buffer.alloc(width * height * 3));
  const photo = await sharp(noise, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 82 })
    .toBuffer();
  const waits: Record<string, number[]> = { 'read a row': [], list: [] };
  let isOver = false;
  const ask = async (kind: string, path: string) => {
    while (!isOver) {
      const from = performance.now();
      const { status } = await send(server.url + path, { token: other.token });
      waits[kind]?.push(performance.now() - from);
      if (status !== 200) throw new Error(`${path} was answered with ${status}.`);
      await sleep(25);
    }
  };
  const asking = [
    ask('read a row', `/api/v1/service-requests/${other.serviceRequestIds[0]}`),
    ask('list', '/api/v1/service-requests?limit=50'),
  ];
  const from = performance.now();
  let left = Number(options.photos);
  const sender = async () => {
    while (left-- > 0) await upload('photo.jpg', photo.length, pieces(photo));
  };
  await Promise.all(Array.from({ length: Number(options.senders) }, sender));
  isOver = true;
  await Promise.all(asking);
  const seconds = (performance.now() - from) / 1000;
  console.log(
    `${options.photos} photos of ${(photo.length / 1e6).toFixed(1)} MB by ${options.senders} senders: ${seconds.toFixed(1)} s`,
  );
  for (const [kind, times] of Object.entries(waits))
    console.log(
      `  meanwhile ${times.length} times ${kind}: median ${at(times, 0.5)} ms, 99% ${at(times, 0.99)} ms, most ${at(times, 1)} ms`,
    );
}

function* pieces(content: Buffer) {
  for (let from = 0; from < content.length; from += 65_536) yield content.subarray(from, from + 65_536);
}

/** Ranges of one file, from this service and from @fastify/static. */
async function measureRanges(): Promise<void> {
  const size = 64 * mb;
  const content = randomFillSync(Buffer.alloc(size));
  const id = await upload('ranges.bin', size, pieces(content));
  const file = await open(join(folder, 'ranges.bin'), 'w');
  await file.write(content);
  await file.close();
  process.env.BENCH_STATIC_FOLDER = folder;
  const plain: Server = {
    name: '@fastify/static',
    script: 'bench/static.ts',
    nested: () => ({ method: 'GET', path: '/' }),
  };
  const beside: RunningServer = await start(plain, data.url, caller.token);
  const kinds = {
    premises: contentOf(id),
    static: `${beside.url}/ranges.bin`,
    row: `${server.url}/api/v1/service-requests/${caller.serviceRequestIds[0]}`,
  };
  try {
    for (const [name, length] of [
      ['8 MB', 8 * mb],
      ['1 KB', 1024],
    ] as const) {
      const times: Record<keyof typeof kinds, number[]> = { premises: [], static: [], row: [] };
      const reads = Number(options.reads) * (length > mb ? 1 : 10);
      for (let n = -10; n < reads; n++)
        for (const [kind, url] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
          const start = ((n + 10) * 4_194_301) % (size - length);
          const headers: Record<string, string> =
            kind === 'row' ? {} : { range: `bytes=${start}-${start + length - 1}` };
          const from = performance.now();
          const { status, bytes } = await send(url, { headers, isContent: true });
          const isRight = kind === 'row' ? status === 200 : status === 206 && bytes === length;
          if (!isRight) throw new Error(`${url} was answered with ${status} and ${bytes} bytes.`);
          if (n >= 0) times[kind].push(performance.now() - from);
        }
      const [ours, theirs, row] = [times.premises, times.static, times.row].map((all) => at(all, 0.5));
      console.log(
        `ranges of ${name}: median ${ours} ms, @fastify/static ${theirs} ms (${(Number(ours) / Number(theirs)).toFixed(2)} times), a row ${row} ms`,
      );
    }
  } finally {
    await stop(beside);
  }
}

/** A value below which a share of the times lie. */
const at = (times: readonly number[], share: number): string => {
  const sorted = [...times].sort((time, later) => time - later);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(2);
};

try {
  if (isWanted('large')) await measureLarge();
  if (isWanted('ranges')) await measureRanges();
  if (isWanted('photos')) await measurePhotos();
} finally {
  agent.destroy();
  await stop(server);
  await data.client.query('DELETE FROM files');
  await data.client.end();
}
