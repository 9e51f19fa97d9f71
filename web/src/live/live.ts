// Tells the tabs of a browser what has changed. One of them holds the stream of the service and passes on what it says,
// as browsers have few connections to a service, and the service few streams for a session.
import { queryClient } from '../app/query-client.ts';
import { Changes } from './changed.ts';
import { setLiveSince } from './polling.ts';
import { type Reader, Refused, readStream } from './stream.ts';

/** What tabs tell each other. */
type Message =
  /** A tab is new, and asks whether there is a stream. */
  | { readonly kind: 'hello' }
  /** There is a stream. Its id is another one after each interruption. */
  | { readonly kind: 'alive'; readonly stream: string }
  /** There is none. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'changed'; readonly type: string };

/** For how long (ms) a stream counts as alive without another word of it. */
const leaseMs = 45_000;

/** How long (ms) to wait before a stream is asked for again: longer after each failure, and when it was refused. */
const [firstPauseMs, longestPauseMs] = [1000, 60_000];

/** Whether a stream is alive, as far as this tab knows, and what follows from it. */
class Tab {
  private readonly changes = new Changes();
  /** The stream that was alive last. */
  private stream: string | undefined;
  private isLive = false;
  private lease: ReturnType<typeof setTimeout> | undefined;

  receive(message: Message): void {
    if (message.kind === 'alive') this.renew(message.stream);
    if (message.kind === 'lost') this.lose();
    if (message.kind === 'changed') this.changes.add(message.type);
  }

  stop(): void {
    this.lose();
    this.changes.stop();
  }

  private renew(stream: string): void {
    clearTimeout(this.lease);
    this.lease = setTimeout(() => this.lose(), leaseMs);
    if (this.isLive && stream === this.stream) return;
    this.setLive(true);
    // What changed in between was told to nobody.
    if (this.stream !== undefined) this.changes.addAll();
    this.stream = stream;
  }

  private lose(): void {
    clearTimeout(this.lease);
    if (!this.isLive) return;
    // What else has changed is read by the clock, or with the next stream. The session may have ended with this one.
    this.changes.clear();
    this.setLive(false);
  }

  private setLive(isLive: boolean): void {
    this.isLive = isLive;
    setLiveSince(isLive ? Date.now() : undefined);
    // Has each query ask again how often it is to be read.
    for (const { observers } of queryClient.getQueryCache().getAll())
      for (const observer of observers) observer.setOptions(observer.options);
  }
}

/** Waits, until the network is back or the signal ends it. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
  });

/**
 * Has what this tab shows read again when it changes. Without locks, which browsers have on https alone, nothing
 * happens, and pages are read again by the clock.
 *
 * @returns a function that ends it
 */
export function startLive(reader: Reader): () => void {
  const locks = (navigator as { readonly locks?: LockManager }).locks;
  if (!locks) return () => undefined;
  const name = `premises live ${reader.personId} ${reader.companyId}`;
  const channel = new BroadcastChannel(name);
  const stopped = new AbortController();
  const { signal } = stopped;
  const tab = new Tab();
  /** The stream that this tab holds. */
  let held: string | undefined;
  const tell = (message: Message) => {
    if (signal.aborted) return;
    tab.receive(message);
    channel.postMessage(message);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'hello') tab.receive(data);
    else if (held !== undefined) channel.postMessage({ kind: 'alive', stream: held } satisfies Message);
  });

  /** Holds the stream as long as the tab lasts. */
  async function lead() {
    for (let failures = 0; !signal.aborted; failures++) {
      const stream = `${Date.now()} ${Math.random()}`;
      const onAlive = () => {
        held = stream;
        failures = 0;
        tell({ kind: 'alive', stream });
      };
      const error = await readStream(reader, signal, {
        onAlive,
        onChange: (type) => tell({ kind: 'changed', type }),
      }).catch((reason: unknown) => reason);
      held = undefined;
      tell({ kind: 'lost' });
      const pauseMs =
        error instanceof Refused ? longestPauseMs : Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
      await pause(pauseMs * (0.5 + Math.random() / 2), signal);
    }
  }

  channel.postMessage({ kind: 'hello' } satisfies Message);
  // It is rejected when this tab stops waiting for the lock.
  void locks.request(name, { signal }, lead).catch(() => undefined);
  return () => {
    stopped.abort();
    channel.close();
    tab.stop();
  };
}
