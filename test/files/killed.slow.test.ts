// A process that is killed while files arrive.

import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { addFile, contentOf } from '../support/files.ts';
import { ServiceProcess } from '../support/process.ts';
import { filesOf } from '../support/service.ts';
import { until } from '../support/until.ts';

test('leaves whole files, and beginnings that nobody sees and that are deleted after a day', async () => {
  const data = await mkdtemp(join(tmpdir(), 'premises-killed-'));
  const folder = join(data, 'files');
  const env = { DATA_DIR: data, RATE_LIMIT_TOKEN_PER_HOUR: '10000' };
  const first = await (await ServiceProcess.start(env)).ready({ greeting: true });
  const { token } = first;
  const { id } = await addFile(first.client(token), 'abc');
  const arriving = () => readdir(join(folder, 'arriving')).catch(() => []);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
  const sent = request(`${first.origin}/api/v1/files`, {
    method: 'POST',
    headers: { ...headers, 'content-length': 500_000 },
  });
  sent.on('error', () => {}); // The service is killed.
  sent.write(Buffer.alloc(200_000));
  await until('the beginning of the file', async () => (await arriving()).length === 1);
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  const second = await (await ServiceProcess.start(env)).ready();
  try {
    const client = second.client(token);
    expect(await (await contentOf(client, String(id))).text()).toBe('abc');
    const { store } = filesOf({ FILES_URL: pathToFileURL(folder).href });
    const keys = async () => {
      const found: string[] = [];
      for await (const { key } of store.list()) found.push(key);
      return found;
    };
    expect(await keys()).toEqual([expect.stringContaining(`/${id}/original`)]);
    const [begun = ''] = await arriving();
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await utimes(join(folder, 'arriving', begun), yesterday, yesterday);
    expect(await keys()).toHaveLength(1);
    expect(await arriving()).toEqual([]);
  } finally {
    process.kill(second.pid, 'SIGTERM');
    await second.ended;
    await rm(data, { recursive: true });
  }
});
