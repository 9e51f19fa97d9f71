// The stream of the service that names the types of rows that have changed, by GraphQL over server-sent events.

/** Who reads a stream, and for which company. */
export interface Reader {
  readonly personId: string;
  readonly companyId: string;
}

/** What a reader of the stream is told. */
export interface Listener {
  /** The stream has begun, or still lasts. */
  readonly onAlive: () => void;
  /** Rows of a type have changed. */
  readonly onChange: (type: string) => void;
}

/** For how long (ms) nothing may come: the service sends a comment every 15 s. */
const silenceMs = 40_000;

const query = 'subscription Live { changes { type } }';

/** What an event tells. */
interface Payload {
  readonly data?: { readonly changes: { readonly type: string } | null } | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** The service lets this session listen no longer, or not yet: asking again at once would change nothing. */
export class Refused extends Error {}

/**
 * Reads the stream until it ends.
 *
 * @param signal ends it
 * @throws Refused
 */
export async function readStream({ personId, companyId }: Reader, signal: AbortSignal, listener: Listener) {
  const controller = new AbortController();
  const end = () => controller.abort();
  signal.addEventListener('abort', end);
  // A connection can be gone without anybody having said so.
  let timer = setTimeout(end, silenceMs);
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      // Browsers' own EventSource cannot name the company and the person. Where others are active, the service refuses.
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        'premises-company': companyId,
        'premises-person': personId,
      },
      body: JSON.stringify({ query }),
      signal: controller.signal,
    });
    if (response.status >= 400 && response.status < 500) throw new Refused(`${response.status}`);
    if (!response.ok || !response.body) return;
    listener.onAlive();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let unread = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(end, silenceMs);
      listener.onAlive();
      const events = (unread + value).split('\n\n');
      unread = events.pop() ?? '';
      for (const event of events) readEvent(event, listener);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function readEvent(event: string, { onChange }: Listener) {
  const [, data] = /^data: (.+)$/m.exec(event) ?? [];
  if (data === undefined) return;
  const { data: found, errors } = JSON.parse(data) as Payload;
  // The service ends the stream after an error.
  if (errors) throw new Refused(errors[0]?.message);
  if (found?.changes) onChange(found.changes.type);
}
