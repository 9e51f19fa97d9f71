// The store in S3 on a server that checks signatures, aborts uploads and lists them.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { addFile } from '../support/files.ts';
import { filesOf, startService } from '../support/service.ts';
import { broken, content, failure, keysOf, testStore } from '../support/store-contract.ts';
import { hasSwift, Swift } from '../support/swift.ts';

const describeIf = hasSwift ? describe : describe.skip;

describeIf('on Swift', () => {
  let swift: Swift;
  let client: S3Client;
  beforeAll(async () => {
    swift = await Swift.start();
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = swift.env('');
    const credentials = { accessKeyId, secretAccessKey };
    client = new S3Client({ endpoint: swift.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    await client.send(new CreateBucketCommand({ Bucket: 'files' }));
  });
  afterAll(async () => {
    client.destroy();
    await swift.stop();
  });
  const storeAt = (prefix: string, change = {}) => filesOf({ ...swift.env(prefix), ...change }).store;
  const uploads = async (prefix: string) =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket: 'files', Prefix: prefix }))).Uploads ?? [];

  let count = 0;
  testStore(() => storeAt(`contract-${++count}`));

  test('a list has more objects than a page', async () => {
    const store = storeAt('many');
    const keys = Array.from({ length: 25 }, (_, at) => `a/1/${String(at).padStart(2, '0')}`);
    await Promise.all(keys.map((key) => store.write(key, content('x'))));
    const found: string[] = [];
    for await (const { key } of store.list()) found.push(key);
    expect(found).toEqual(keys);
    await store.remove('a');
    expect(await keysOf(store)).toEqual([]);
  });

  test('an upload that fails is aborted', async () => {
    const store = storeAt('failing');
    await expect(store.write('a/1/original', broken(randomBytes(20_000_000)))).rejects.toBe(failure);
    expect([await uploads('failing/'), await keysOf(store)]).toEqual([[], []]);
  });

  test('an upload that was abandoned is aborted after a day', async () => {
    const store = storeAt('abandoned');
    await client.send(new CreateMultipartUploadCommand({ Bucket: 'files', Key: 'abandoned/a/1/original' }));
    const other = { Bucket: 'files', Key: 'of-others/a/1/original' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(other));
    expect(await keysOf(store)).toEqual([]);
    expect(await uploads('abandoned/')).toHaveLength(1);
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 25 * 3_600_000);
    try {
      for await (const each of store.list()) throw new Error(`There should be no ${each.key}.`);
    } finally {
      clock.mockRestore();
    }
    expect([await uploads('abandoned/'), await uploads('of-others/')]).toEqual([[], [expect.anything()]]);
    await client.send(new AbortMultipartUploadCommand({ ...other, UploadId }));
  });

  test('wrong keys and a missing bucket are said', async () => {
    const wrong = storeAt('', { AWS_SECRET_ACCESS_KEY: 'other' });
    await expect(wrong.check()).rejects.toThrow(/bucket files cannot be used: SignatureDoesNotMatch/);
    await expect(wrong.read('a/1/original')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const missing = filesOf(swift.env('', 'missing')).store;
    await expect(missing.check()).rejects.toThrow(/bucket missing cannot be used: NoSuchBucket/);
    await expect(missing.sizeOf('a/1/original')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(missing.write('a/1/original', content('abc'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('signed addresses are for one object, with its type, name and parts, until they expire', async () => {
    const service = await startService({ ...swift.env('redirected'), FILES_REDIRECT: 'true' });
    try {
      const client = await (await service.tenant()).client();
      const text = 'abcdefghijklmnopqrstuvwxyz';
      const { id } = await addFile(client, text, 'létters.txt');
      const get = (headers = {}) =>
        fetch(`${client.origin}/api/v1/files/${id}/content`, {
          headers: { authorization: `Bearer ${client.token}`, ...headers },
          redirect: 'manual',
        });
      const reply = await get();
      const address = reply.headers.get('location') ?? '';
      expect([reply.status, new URL(address).origin]).toEqual([302, swift.endpoint]);
      const whole = await fetch(address);
      expect([whole.status, await whole.text()]).toEqual([200, text]);
      expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(whole.headers.get('content-disposition')).toBe(
        `inline; filename="l_tters.txt"; filename*=UTF-8''l%C3%A9tters.txt`,
      );
      for (const [range, part] of [
        ['bytes=2-4', 'cde'],
        ['bytes=-3', 'xyz'],
        ['bytes=20-', 'uvwxyz'],
      ] as const) {
        const sent = await fetch(address, { headers: { range } });
        expect([sent.status, await sent.text()]).toEqual([206, part]);
      }
      // It is for its object and its name alone, and for reading.
      const { id: other } = await addFile(client, 'secret', 'other.txt');
      for (const changed of [address.replace(String(id), String(other)), address.replace('.txt', '.html')])
        expect((await fetch(changed)).status).toBe(403);
      for (const method of ['PUT', 'DELETE']) expect((await fetch(address, { method })).status).toBe(403);
      const [key] = (await keysOf(storeAt('redirected'))).filter((each) => each.includes(String(id)));
      const short = storeAt('redirected').sign?.(key ?? '', { type: 'text/plain', disposition: 'inline', seconds: 1 });
      await sleep(2500);
      expect((await fetch((await short) ?? '')).status).toBe(403);
    } finally {
      await service.close();
    }
  });
});
