// A child process that counts requests: on a message it sends that many concurrent requests, and reports how many were
// allowed.
import { createLimiter } from '../../src/auth/limits.ts';
import { openDatabase } from '../../src/database/index.ts';

const [databaseUrl, key = '', times, limit, redisUrl] = process.argv.slice(2);
const database = await openDatabase({ databaseUrl, dataDir: '' });
const limiter = createLimiter(database, redisUrl);
await limiter.peek(key, Number(limit));

process.once('message', async () => {
  const windows = await Promise.all(Array.from({ length: Number(times) }, () => limiter.consume(key, Number(limit))));
  process.send?.(windows.filter(({ allowed }) => allowed).length);
  await limiter.close();
  await database.close();
  process.disconnect();
});
process.send?.('ready');
