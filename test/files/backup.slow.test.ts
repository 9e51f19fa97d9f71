// A backup of the database and of the store of files, and what a restore of them has, as docs/operations.md says.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import { folderOf } from '../../src/files/index.ts';
import type { Client, Row } from '../support/client.ts';
import { testDatabaseUrl, withoutTables } from '../support/database.ts';
import { contentOf, sendBytes } from '../support/files.ts';
import { programs } from '../support/postgresql.ts';
import { killAll, ServiceProcess } from '../support/process.ts';
import { S3Server } from '../support/s3.ts';
import { type StorePlace, storeInFolder, storeInS3 } from '../support/store-places.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

type Env = Record<string, string>;

/** A kind of database: how it is made, backed up and restored. */
interface Kind {
  /** @param folder an empty one @returns its settings */
  readonly create: (folder: string) => Promise<Env>;
  /** @param service runs on it @returns the service that runs on it then */
  readonly backUp: (env: Env, file: string, service: ServiceProcess) => Promise<ServiceProcess>;
  /** @returns the settings of the restored one */
  readonly restore: (file: string, folder: string) => Promise<Env>;
}

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await killAll();
  for (const each of undo.splice(0)) await each();
});

const start = async (env: Env, given = {}) => (await ServiceProcess.start(env)).ready(given);

const embedded: Kind = {
  async create(folder) {
    return { DATA_DIR: folder };
  },
  async backUp(env, file, service) {
    expect(await service.stop()).toBe(0);
    await run('tar', ['--create', '--gzip', '--file', file, '--directory', env['DATA_DIR'] ?? '', '.']);
    return start(env);
  },
  async restore(file, folder) {
    await run('tar', ['--extract', '--gzip', '--file', file, '--directory', folder]);
    return { DATA_DIR: folder };
  },
};

const onServer: Kind = {
  async create(folder) {
    const { url, drop } = await testDatabaseUrl();
    undo.push(drop);
    return { DATABASE_URL: url, DATA_DIR: folder };
  },
  async backUp(env, file, service) {
    await run(join(programs ?? '', 'pg_dump'), ['--format=custom', '--file', file, env['DATABASE_URL'] ?? '']);
    return service;
  },
  async restore(file, folder) {
    const { url, drop } = await testDatabaseUrl(withoutTables);
    undo.push(drop);
    await run(join(programs ?? '', 'pg_restore'), ['--exit-on-error', '--no-owner', '--dbname', url, file]);
    return { DATABASE_URL: url, DATA_DIR: folder };
  },
};

/** Runs the command that compares files with their store. */
async function checkFiles(env: Env): Promise<{ code: number; lines: string[] }> {
  const { PATH = '', HOME = '' } = process.env;
  const words = ['run', '--silent', 'admin', '--', 'check-files'];
  const { code, stdout } = await run('npm', words, { cwd: root, env: { PATH, HOME, ...env } })
    .then((printed) => ({ ...printed, code: 0 }))
    .catch((failed: { code: number; stdout: string }) => failed);
  return { code, lines: stdout.trimEnd().split('\n') };
}

const size = 100_000;

/** Sends a file and attaches it to a row. */
async function attach(client: Client, row: string) {
  const bytes = randomBytes(size);
  const headers = { 'content-type': 'application/octet-stream' };
  const sent = await sendBytes(client, `/service-requests/${row}/attachments`, bytes, headers);
  expect(sent.status).toBe(201);
  return { id: String(sent.row['id']), sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** The SHA-256 of what is served of a file, or the status of an answer without it. */
async function served(client: Client, { id }: { readonly id: string }): Promise<string | number> {
  const reply = await contentOf(client, id);
  const content = Buffer.from(await reply.arrayBuffer());
  return reply.status === 200 ? createHash('sha256').update(content).digest('hex') : reply.status;
}

const kinds: [string, Kind][] = [
  ['the embedded database', embedded],
  ...(process.env.TEST_DATABASE_URL ? [['PostgreSQL', onServer] satisfies [string, Kind]] : []),
];

const places: [string, () => Promise<StorePlace>][] = [
  ['in a folder', storeInFolder],
  ['in S3', async () => storeInS3(await S3Server.start())],
];

describe.each(kinds)('a backup of %s', (_, { create, backUp, restore }) => {
  test.each(places)(
    'and then of the store %s has the bytes of all rows; in the other order some are missing',
    async (_, openPlace) => {
      const stores = await openPlace();
      undo.push(() => stores.close());
      const folder = await mkdtemp(join(tmpdir(), 'premises-backup-'));
      undo.push(() => rm(folder, { recursive: true }));
      const place = async (name: string) => {
        await mkdir(join(folder, name));
        return join(folder, name);
      };
      const env = { ...(await create(await place('data'))), ...stores.env('store') };

      const first = await start(env, { greeting: true });
      const { token } = first;
      const client = first.client();
      const companyId = String((await client.get('/companies')).rows[0]?.['id']);
      const row = String((await client.post('/service-requests', { title: 'Broken door' })).row['id']);
      const one = await attach(client, row);
      await stores.copy('store', 'too-early');
      const two = await attach(client, row);
      const dump = join(folder, 'database');
      const second = await backUp(env, dump, first);
      const three = await attach(second.client(token), row);
      await stores.copy('store', 'after');
      expect(await second.stop()).toBe(0);

      const database = await restore(dump, await place('restored'));
      const found = await checkFiles({ ...database, ...stores.env('after') });
      expect(found).toEqual({
        code: 0,
        lines: [
          `${folderOf({ companyId, id: three.id })}\tno row`,
          `2 files with ${2 * size} bytes: 0 have no bytes, 0 have another size. The store has 1 without a row.`,
        ],
      });
      const restored = await start({ ...database, ...stores.env('after') });
      const reader = restored.client(token);
      const listed = (await reader.get(`/service-requests/${row}/attachments`)).json['data'] as Row[];
      expect(listed.map(({ id, sha256 }) => ({ id, sha256 }))).toEqual([one, two]);
      expect(await Promise.all([one, two, three].map((file) => served(reader, file)))).toEqual([
        one.sha256,
        two.sha256,
        404,
      ]);
      expect(await restored.stop()).toBe(0);

      const incomplete = { ...database, ...stores.env('too-early') };
      expect(await checkFiles(incomplete)).toEqual({
        code: 1,
        lines: [
          `${companyId}\t${two.id}\tno bytes`,
          `2 files with ${2 * size} bytes: 1 have no bytes, 0 have another size. The store has 0 without a row.`,
        ],
      });
      const lacking = await start(incomplete);
      expect(await Promise.all([one, two].map((file) => served(lacking.client(token), file)))).toEqual([
        one.sha256,
        503,
      ]);
      // Its bytes from another copy, while the service runs.
      await stores.copy('after', 'too-early', folderOf({ companyId, id: two.id }));
      expect(await served(lacking.client(token), two)).toBe(two.sha256);
      expect(await lacking.stop()).toBe(0);
    },
  );
});
