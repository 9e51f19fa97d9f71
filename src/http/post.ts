import http from 'node:http';
import https from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';

/** The response to a request that the service sent. */
export interface Answer {
  readonly status: number;
  /** The beginning of its body. */
  readonly text: string;
}

/** How long (ms) a response may take, and how much of it (bytes) is read. */
const timeoutMs = 10_000;
const maxAnswerBytes = 64 * 1024;

/**
 * These agents refuse addresses that are not public. They check when they connect, as a name can have another address
 * by then.
 */
const publicOnly = { 'http:': new RequestFilteringHttpAgent(), 'https:': new RequestFilteringHttpsAgent() };

/**
 * Sends a text to an address that a client has chosen. Redirects are not followed.
 *
 * @param allowedHosts the hosts that the operator allows to be private, and to be reached without TLS
 * @throws Error whose message says what is wrong, without addresses
 */
export async function post(
  address: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  allowedHosts: readonly string[],
): Promise<Answer> {
  const url = new URL(address);
  const isAllowed = allowedHosts.includes(url.hostname);
  if (url.protocol !== 'https:' && !(isAllowed && url.protocol === 'http:')) throw new Error('The URL must be https.');
  const { request } = url.protocol === 'https:' ? https : http;
  const agent = isAllowed ? undefined : publicOnly[url.protocol];
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(timeoutMs),
    });
    sent.on('error', (error) => reject(new Error(explain(error), { cause: error })));
    // Otherwise a receiver that switches to another protocol would cause neither a response nor an error.
    sent.on('upgrade', ({ statusCode: status = 0 }, socket) => {
      socket.destroy();
      resolve({ status, text: '' });
    });
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      const answer = () => {
        const text = Buffer.concat(parts).subarray(0, maxAnswerBytes).toString('utf8').replaceAll('\0', '');
        resolve({ status: response.statusCode ?? 0, text });
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size < maxAnswerBytes) return;
        answer();
        response.destroy();
      });
      response.on('end', answer);
      response.on('error', (error) => reject(new Error(explain(error), { cause: error })));
    });
    sent.end(body);
  });
}

/** What the owner of the URL may know of a failure: not the addresses of this network. */
function explain({ name, message, code }: Error & { readonly code?: string }): string {
  if (/is not allowed/.test(message)) return 'The address is not public.';
  if (name === 'TimeoutError' || name === 'AbortError') return `No response within ${timeoutMs / 1000} s.`;
  return code ? `The connection failed: ${code}.` : 'The connection failed.';
}
