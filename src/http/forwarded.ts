import type { FastifyInstance } from 'fastify';

/** An address with a port, as some proxies write it: `203.0.113.7:51234` or `[2001:db8::1]:443`. */
const addressWithPort = /^(?:\[([\da-f:.]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/i;

/**
 * Removes the ports of addresses in X-Forwarded-For before anything reads a client's address: otherwise each connection
 * of a client would count as a client of its own.
 */
export function removeForwardedPorts(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const given = headers['x-forwarded-for'];
    // Node joins several headers of this name, although its type says otherwise.
    if (typeof given === 'string') headers['x-forwarded-for'] = given.split(',').map(withoutPort).join(', ');
    done();
  });
}

function withoutPort(entry: string): string {
  const address = entry.trim();
  const [, v6, v4] = addressWithPort.exec(address) ?? [];
  return v6 ?? v4 ?? address;
}
