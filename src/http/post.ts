import http from 'node:http';
import https from 'node:https';
import { BlockList } from 'node:net';
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
const options = { denyIPAddressList: ['::/96'] };
const publicOnly = {
  'http:': new RequestFilteringHttpAgent(options),
  'https:': new RequestFilteringHttpsAgent(options),
};

/** IPv6 addresses that contain an IPv4 address (`::7f00:1` is 127.0.0.1), a form that no public host has any more. */
const ipv4Compatible = new BlockList();
// Without :: and ::1, which are refused with the other private addresses.
ipv4Compatible.addRange('::2', '::ffff:ffff', 'ipv6');

/**
 * Checks what an address that a client has chosen says by itself, without looking its host up.
 *
 * @param allowedHosts the hosts that the operator allows to be private, and to be reached without TLS
 * @returns what is wrong with it, for example `must be https`
 */
export function findAddressProblem({ protocol, hostname }: URL, allowedHosts: readonly string[]): string | undefined {
  const isAllowed = allowedHosts.includes(hostname);
  if (protocol !== 'https:' && !(isAllowed && protocol === 'http:')) return 'must be https';
  const isPublic = isAllowed || !ipv4Compatible.check(hostname.replace(/^\[|\]$/g, ''), 'ipv6');
  return isPublic ? undefined : 'must have a public address';
}

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
  const problem = findAddressProblem(url, allowedHosts);
  if (problem !== undefined) throw new Error(`The URL ${problem}.`);
  const isAllowed = allowedHosts.includes(url.hostname);
  const isSecure = url.protocol === 'https:';
  const { request } = isSecure ? https : http;
  const agent = isAllowed ? undefined : publicOnly[isSecure ? 'https:' : 'http:'];
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
