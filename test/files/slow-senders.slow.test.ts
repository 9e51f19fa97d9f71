// Files that take long to arrive.
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { contentOf } from '../support/files.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

/** Sends a file of `count` pieces, one a second. */
async function sendSlowly(count: number, piece: Buffer) {
  const sent = request(`${service.origin}/api/v1/files?name=slow.bin`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.token}`,
      'content-type': 'application/octet-stream',
      'content-length': count * piece.length,
    },
  });
  sent.on('error', () => {}); // It may be answered, and ended, before it is whole.
  const answered = once(sent, 'response');
  for (let n = 0; n < count && !sent.destroyed; n++) {
    sent.write(piece);
    await Promise.race([sleep(1000), answered]);
  }
  sent.end();
  const [reply] = await answered;
  return { status: reply.statusCode as number, json: JSON.parse(await text(reply)) };
}

test('a file that takes longer than a request may, and does not stall, arrives', async () => {
  const piece = Buffer.alloc(2000, 'x');
  const { status, json } = await sendSlowly(40, piece);
  expect([status, json.data?.size]).toEqual([201, 80_000]);
  expect(await (await contentOf(client, json.data.id)).text()).toBe('x'.repeat(80_000));
});

test('one that comes with less than 1 KB/s for 30 s is ended, and leaves nothing', async () => {
  const before = await service.database.prisma.file.count();
  const { status, json } = await sendSlowly(60, Buffer.alloc(500, 'x'));
  expect([status, json.error?.code]).toEqual([408, 'REQUEST_TIMEOUT']);
  expect(await service.database.prisma.file.count()).toBe(before);
});
