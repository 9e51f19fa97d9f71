// ClamAV's daemon, by its command INSTREAM.
import { createConnection, type Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** What a scan has found. */
export type ScanResult =
  | { readonly status: 'CLEAN' }
  /** `found` is the name of the signature. */
  | { readonly status: 'INFECTED'; readonly found: string }
  /** `reason` is for people. */
  | { readonly status: 'FAILED'; readonly reason: string };

/**
 * Whether somebody, or something, may read a file, by its scan: `later` until it is scanned, `never` for one that has
 * malware or cannot be scanned.
 */
export function readableNow(
  scanStatus: ScanResult['status'] | 'PENDING' | null,
  scanner: Clamd | undefined,
): 'now' | 'later' | 'never' {
  if (scanStatus === 'INFECTED') return 'never';
  if (!scanner || scanStatus === 'CLEAN') return 'now';
  return scanStatus === 'FAILED' ? 'never' : 'later';
}

/** Why nothing is made of a file that nobody may read. */
export const notScanned = 'The file has malware, or cannot be scanned for it.';

/** The scanner cannot be used now. */
export class ScannerUnavailable extends Error {
  override readonly name = 'ScannerUnavailable';
}

/** The scanner was reached and has not scanned a file. Another file may be scanned: this one can be the reason. */
export class ScanFailed extends ScannerUnavailable {
  /** @param hasAnswered whether the scanner has said so, rather than nothing */
  constructor(
    message: string,
    readonly hasAnswered: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** How long (ms) the scanner may be silent while something is awaited of it. */
const silenceMs = 120_000;

/** How many bytes an answer has at most. */
const maxAnswer = 4096;

/** A scanner for malware. */
export class Clamd {
  /** @param url `tcp://host:port` or `unix:///path` */
  constructor(private readonly url: string) {}

  /**
   * Scans content. Little of it is in memory.
   *
   * @param signal ends it
   * @throws ScannerUnavailable; what reading the content throws
   */
  async scan(content: Readable, signal?: AbortSignal): Promise<ScanResult> {
    const socket = this.connect();
    const end = () => socket.destroy(new ScannerUnavailable('The scan was ended.'));
    signal?.addEventListener('abort', end);
    try {
      if (signal?.aborted) end();
      const answer = answerOf(socket);
      // It may answer before it has everything, and then closes the connection.
      const sent = send(socket, content);
      sent.catch(() => {});
      return readAnswer(await Promise.race([answer, sent.then(() => answer)]));
    } finally {
      signal?.removeEventListener('abort', end);
      socket.destroy();
      content.destroy();
    }
  }

  private connect(): Socket {
    const { protocol, hostname, port, pathname } = new URL(this.url);
    const socket = protocol === 'unix:' ? createConnection(pathname) : createConnection(Number(port), hostname);
    return socket.setTimeout(silenceMs, () => socket.destroy(new Error('The scanner does not answer.')));
  }
}

/** Sends content in chunks, each after its length, and an empty one at the end; or until the connection ends. */
async function send(socket: Socket, content: Readable): Promise<void> {
  if (!(await write(socket, Buffer.from('zINSTREAM\0')))) return;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    if (chunk.length === 0) continue;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(chunk.length);
    if (!(await write(socket, length)) || !(await write(socket, chunk))) return;
  }
  await write(socket, Buffer.alloc(4));
}

/** @returns whether the connection is there: what awaits the answer learns why it is not */
const write = (socket: Socket, bytes: Uint8Array): Promise<boolean> =>
  new Promise((resolve) => {
    socket.write(bytes, (error) => resolve(!error));
  });

/** The answer, without the NUL at its end. @throws ScannerUnavailable, or ScanFailed when it ends without one */
const answerOf = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    let isReached = false;
    const fail = (cause?: unknown) => {
      if (cause instanceof ScannerUnavailable) reject(cause);
      else if (isReached) reject(new ScanFailed('The scanner ended without an answer.', false, { cause }));
      else reject(new ScannerUnavailable('The scanner cannot be reached.', { cause }));
    };
    socket.once('connect', () => {
      isReached = true;
    });
    socket.setEncoding('utf8').on('data', (data: string) => {
      text = (text + data).slice(0, maxAnswer);
      if (text.includes('\0')) resolve(text.split('\0', 1)[0] ?? '');
    });
    socket.once('error', fail).once('close', () => fail());
  });

function readAnswer(answer: string): ScanResult {
  const [, found] = /^stream: (.+) FOUND$/.exec(answer) ?? [];
  // With `AlertExceedsMax`, what it did not scan whole is said as if it were a signature.
  if (/size limit exceeded/.test(answer) || found?.startsWith('Heuristics.Limits.Exceeded'))
    return { status: 'FAILED', reason: 'The file is larger than what the scanner for malware takes.' };
  if (found !== undefined) return { status: 'INFECTED', found: found.slice(0, 100) };
  if (answer === 'stream: OK') return { status: 'CLEAN' };
  throw new ScanFailed(`The scanner answers: ${answer.slice(0, 200)}`, true);
}
