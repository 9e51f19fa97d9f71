// Posts to a name whose address changes with every look-up, as name servers can answer, and prints what came of it.
import dns from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { post } from '../../src/http/post.ts';

// Nothing is at this public address, as no network has it.
const answers = [['4000::1'], ['127.0.0.1'], ['4000::1', '127.0.0.1'], ['127.0.0.1', '4000::1'], ['::1'], ['10.1.2.3']];

let connections = 0;
const target = createServer((socket) => {
  connections += 1;
  socket.destroy();
}).listen(0, '127.0.0.1');
await once(target, 'listening');
const { port } = target.address() as AddressInfo;
let lookups = 0;
Object.assign(dns, {
  lookup(_name: string, options: dns.LookupOptions, done: (...found: unknown[]) => void) {
    const addresses = answers[lookups++] ?? ['127.0.0.1'];
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    process.nextTick(() => (options.all ? done(null, found) : done(null, found[0]?.address, found[0]?.family)));
  },
});
syncBuiltinESMExports();

const results: string[] = [];
while (results.length < answers.length)
  results.push(
    await post(`https://rebinding.example:${port}`, {}, '{}', []).then(
      () => 'answered',
      (error: unknown) => (error as Error).message,
    ),
  );
target.close();
process.stdout.write(JSON.stringify({ lookups, connections, results }));
