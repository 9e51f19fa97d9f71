// Links to files while Redis, which counts their bytes, is out of reach.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { addFile } from '../support/files.ts';
import { freePort } from '../support/process.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { until } from '../support/until.ts';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const bytesAllowed = 1_000_000;
const size = 250_000;

(hasRedis ? describe : describe.skip)('while Redis', () => {
  let redis: ChildProcess;
  let askRedis: (...command: string[]) => string;
  let service: Service;
  let acme: Tenant;
  beforeAll(async () => {
    const port = await freePort();
    redis = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
    askRedis = (...command) =>
      spawnSync('redis-cli', ['-p', String(port), ...command], { encoding: 'utf8' }).stdout.trim();
    await until('Redis', async () => askRedis('ping') === 'PONG');
    const env = { REDIS_URL: `redis://127.0.0.1:${port}`, BYTE_LIMIT_LINKS_PER_HOUR: String(bytesAllowed) };
    service = await startService(env);
    acme = await service.tenant();
    const client = await acme.client();
    const { id } = await addFile(client, 'abc');
    expect([await statusOf(await linkTo(client, id)), askRedis('keys', '*')]).toEqual([
      200,
      expect.stringContaining('bytes:'),
    ]);
  });
  afterAll(async () => {
    await service.close();
    redis.kill('SIGKILL');
  });

  const ask = async (by: Client, query: string, path: (data: Record<string, Record<string, string>>) => unknown) => {
    const { data } = await by.graphql(query);
    const { pathname, search } = new URL(String(path(data as Record<string, Record<string, string>>)));
    return `${service.origin}${pathname}${search}`;
  };
  const linkTo = (by: Client, id: unknown) => ask(by, `{ file(id: "${id}") { url } }`, ({ file }) => file?.['url']);
  const linkToSend = (by: Client) =>
    ask(
      by,
      'mutation { createFileUpload(input: { name: "a.txt" }) { url } }',
      (data) => data['createFileUpload']?.['url'],
    );
  const statusOf = async (link: string) => (await fetch(link)).status;
  const send = async (link: string) =>
    (await fetch(link, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: 'abc' }))
      .status;
  const revokeLast = async () => {
    const { prisma } = service.database;
    const { companyId, id } = await prisma.apiToken.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const where = { companyId_id: { companyId, id } };
    await prisma.apiToken.update({ where, data: { revokedAt: new Date() } });
  };

  // The second test needs the first: a server that was ended does not hang.
  test.each([
    ['hangs', async () => void redis.kill('SIGSTOP')],
    [
      'is gone',
      async () => {
        const gone = once(redis, 'exit');
        redis.kill('SIGKILL');
        await gone;
      },
    ],
  ])('%s, links are served, counted, used once and revoked', async (_, end) => {
    const client = await acme.client();
    const { id } = await addFile(client, 'x'.repeat(size));
    const link = await linkTo(client, id);
    const [used, unused] = [await linkToSend(client), await linkToSend(client)];
    expect([await statusOf(link), await send(used)]).toEqual([200, 201]);
    await end();
    expect([await send(used), await send(unused), await send(unused)]).toEqual([409, 201, 409]);
    // The database counts now, and does not know what was counted before.
    const statuses: number[] = [];
    for (let n = 0; n <= bytesAllowed / size; n++) statuses.push(await statusOf(link));
    expect([statuses[0], statuses.at(-1), [...new Set(statuses)]]).toEqual([200, 429, [200, 429]]);
    const other = await acme.client();
    const [toRead, toSend] = [await linkTo(other, id), await linkToSend(other)];
    expect(await statusOf(toRead)).toBe(200);
    await revokeLast();
    expect([await statusOf(toRead), await send(toSend)]).toEqual([401, 401]);
  });
});
