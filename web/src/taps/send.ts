// Sends the taps of a person, in their order. One tab of a browser sends at a time.
import { queryClient } from '../app/query-client.ts';
import { t } from '../texts/taps.ts';
import { databaseOf, type Owner } from './forget.ts';
import { operationOf } from './operations.ts';
import { changeTap, listTaps, removeTap, type Tap } from './store.ts';

/** How long (ms) the answer to a tap is waited for. */
const timeoutMs = 30_000;

/** For how long (s) the service remembers that it has done a tap: 14 days, the longest. */
const keySeconds = 1_209_600;

/** How often the service may fail at a tap before it counts as refused, and how often if it was the whole service. */
const [maxFailures, maxOutages] = [3, 20];

/** How long (ms) after a failure another one counts: taps are sent several times a second while somebody taps. */
const apartMs = 10_000;

/** What became of a tap: it is done, refused with a reason, to be sent later, or something has failed so many times. */
type Outcome = 'done' | 'later' | { readonly problem: string } | { readonly maxFailures: number };

interface Answer {
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly unknown[];
    readonly extensions?: { readonly code?: string; readonly details?: Readonly<Record<string, string>> };
  }[];
}

/** Errors that say nothing about the tap: it is sent again. */
const passing = ['SERVICE_UNAVAILABLE', 'RATE_LIMITED', 'INVALID_TOKEN'];

async function sendTap(tap: Tap, { personId, companyId }: Owner): Promise<Outcome> {
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': tap.key,
        'idempotency-key-max-age': String(keySeconds),
        // Where somebody else has signed in, or another company is active, nothing is done.
        'premises-company': companyId,
        'premises-person': personId,
      },
      body: JSON.stringify({ query: operationOf(tap.name).text, variables: tap.variables }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === 401 || response.status === 429) return 'later';
    // A gateway says 502 to 504, and the service 503, to all taps alike.
    if (response.status >= 500) return { maxFailures: response.status > 500 ? maxOutages : maxFailures };
    const { errors: [error] = [] } = (await response.json()) as Answer;
    if (!error) return 'done';
    const { code = '', details = {} } = error.extensions ?? {};
    if (passing.includes(code)) return 'later';
    if (code === 'INTERNAL_ERROR') return { maxFailures };
    // A conflict of the operation itself names its field. That of a request is about who is signed in, or says that it
    // is still running.
    if (!error.path && code === 'CONFLICT') return 'later';
    const reasons = Object.entries(details).map(([name, text]) => `${name} ${text}`);
    return { problem: reasons.length > 0 ? `${reasons.join(', ')}.` : error.message };
  } catch {
    // Without an answer it may have been done; the key has it done once.
    return 'later';
  }
}

/** The first tap that can be sent: none of its row was refused before it. */
function nextOf(taps: readonly Tap[], sent: ReadonlySet<number>): Tap | undefined {
  const refused = new Set<string>();
  return taps.find(({ order, row, problem }) => {
    if (problem !== undefined) refused.add(row);
    return !sent.has(order) && !refused.has(row);
  });
}

async function sendAll(owner: Owner): Promise<void> {
  const sent = new Set<number>();
  for (;;) {
    const tap = nextOf(await listTaps(owner), sent);
    if (!tap) break;
    const outcome = await sendTap(tap, owner);
    if (outcome === 'later') break;
    if (outcome === 'done') sent.add(tap.order);
    else if ('problem' in outcome) await changeTap(owner, tap.order, (known) => ({ ...known, ...outcome }));
    else {
      const { count, at } = tap.failures ?? { count: 0, at: 0 };
      if (Date.now() - at < apartMs) break;
      const failures = { count: count + 1, at: Date.now() };
      const isGivenUp = failures.count >= outcome.maxFailures;
      const problem = isGivenUp && { problem: t('theServiceFailed') };
      await changeTap(owner, tap.order, (known) => ({ ...known, failures, ...problem }));
      if (!isGivenUp) break;
    }
  }
  // What they have changed is read before they are forgotten, so that nothing is offered again in between.
  if (sent.size > 0) await queryClient.invalidateQueries({ queryKey: ['place'] });
  for (const order of sent) await removeTap(owner, order);
  announceTaps();
  if (sent.size > 0) void queryClient.invalidateQueries({ queryKey: ['rows'] });
}

const channel = new BroadcastChannel('premises-taps');
channel.addEventListener('message', () => void readAgain());

/** Has the list of taps read again, and what they may have changed. */
async function readAgain() {
  await queryClient.invalidateQueries({ queryKey: ['place'] });
  await queryClient.invalidateQueries({ queryKey: ['taps'] });
}

/** Has all tabs of the browser read the list of taps again. */
export function announceTaps(): void {
  void queryClient.invalidateQueries({ queryKey: ['taps'] });
  channel.postMessage('changed');
}

let sending: Promise<void> | undefined;
let isAskedAgain = false;

/** Sends what can be sent. It is done once at a time; what comes meanwhile is sent after it. */
export function sendTaps(owner: Owner): Promise<void> {
  if (sending) {
    isAskedAgain = true;
    return sending;
  }
  const run = () => sendAll(owner);
  // Browsers have locks on https alone. Without them the keys have each tap done once.
  const locks = (navigator as { readonly locks?: LockManager }).locks;
  sending = Promise.resolve(locks ? locks.request(`send ${databaseOf(owner)}`, run) : run()).finally(() => {
    sending = undefined;
    if (!isAskedAgain) return;
    isAskedAgain = false;
    void sendTaps(owner).catch(() => undefined);
  });
  return sending;
}
