// Follows "Adding a resource" of docs/architecture.md to the letter, in a copy of the project.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { testDatabaseUrl } from './support/database.ts';
import { fences } from './support/markdown.ts';
import { killAll, ServiceProcess } from './support/process.ts';

jest.setTimeout(300_000);

const root = join(import.meta.dirname, '..');
const folder = await mkdtemp(join(tmpdir(), 'premises-resource-'));
const copy = join(folder, 'premises');

const page =
  /^## Adding a resource\n([^]*?)^## /m.exec(await readFile(join(root, 'docs/architecture.md'), 'utf8'))?.[1] ?? '';
const blocks = fences(page);
const commands = blocks.find(({ language }) => language === 'sh')?.content ?? '';

const run = (command: string) => promisify(execFile)('bash', ['-ec', command], { cwd: copy, maxBuffer: 2 ** 24 });

/** Inserts a text before another one that occurs once in a file. */
async function insert(file: string, text: string, before: RegExp): Promise<void> {
  const path = join(copy, file);
  const old = await readFile(path, 'utf8');
  const [found = '', ...others] = old.match(new RegExp(before, 'gm')) ?? [];
  expect({ file, found: found !== '', others }).toEqual({ file, found: true, others: [] });
  await writeFile(path, old.replace(found, text + found));
}

let drop: () => Promise<unknown> = async () => {};
beforeAll(async () => {
  const ours = ['node_modules', '.git', 'data'].map((name) => join(root, name));
  await cp(root, copy, { recursive: true, filter: (path) => !ours.includes(path) });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));

  for (const { file, content } of blocks) if (file) await writeFile(join(copy, file), content);
  await insert('prisma/schema/company.prisma', '  parkingSpaces ParkingSpace[]\n', /^ +users +User\[\]$/);
  await insert('prisma/schema/location.prisma', '  parkingSpaces ParkingSpace[]\n', /^ +desks +Desk\[\]$/);
  await insert(
    'src/schema/index.ts',
    `import { ParkingSpace } from './location/parking-space.ts';\n`,
    /^import \{ ExpectedPackage }/,
  );
  await insert('src/schema/index.ts', '  ParkingSpace,\n', /^ {2}Paint,$/);
});
afterAll(async () => {
  await killAll();
  await drop();
  await rm(folder, { recursive: true, force: true });
});

test('edits five files, and ends with tests', () => {
  expect(blocks.flatMap(({ file }) => file ?? []).map((file) => basename(file))).toEqual([
    'parking.prisma',
    'parking-space.ts',
  ]);
  expect(commands.trimEnd()).toMatch(/\nnpm test$/);
  for (const text of [
    '`parkingSpaces ParkingSpace[]`',
    '`Company` and `Building`',
    '`src/schema/index.ts`',
    'five files',
  ]) {
    expect(page).toContain(text);
  }
});

test('generates the client, the migration and the documents, and passes the checks', async () => {
  await run(commands.replace(/^npm test$/m, ''));
  const { stdout } = await run('cat prisma/migrations/*_add_parking_spaces/migration.sql');
  expect(stdout).toContain('CREATE TABLE "parking_spaces"');
  // Five root fields, the list of a building, and six routes: that of the history is one.
  const { stdout: fields } = await run(
    `grep -cE '^  ((create|update|delete)ParkingSpace|parkingSpaces?)\\(' schema.graphql`,
  );
  const { stdout: routes } = await run("grep -c '/parking-spaces' docs/routes.md");
  expect([Number(fields), Number(routes)]).toEqual([5 + 1, 6]);
  await run('npx tsc --noEmit');
});

test('serves the resource in REST and GraphQL', async () => {
  const database = process.env.TEST_DATABASE_URL ? await testDatabaseUrl() : undefined;
  drop = async () => database?.drop();
  const env: Record<string, string> = database ? { DATABASE_URL: database.url } : { DATA_DIR: join(folder, 'data') };
  const service = await ServiceProcess.start(env, [
    process.execPath,
    '--import',
    join(copy, 'scripts/ensure-build.mjs'),
    join(copy, 'dist/server.js'),
  ]);
  await service.ready({ greeting: true });
  // The tests' contract check has the project's own routes, so these requests bypass it.
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    const answer = await fetch(
      service.origin + path,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    );
    return { status: answer.status, body: (await answer.json()) as object };
  };
  const { body } = await ask('/api/v1/locations/buildings?limit=1');
  const { id: building_id } = (body as { data: [{ id: string }] }).data[0];
  for (const name of ['P-1', 'P-2', 'P-3']) {
    expect((await ask('/api/v1/locations/parking-spaces', { name, building_id })).status).toBe(201);
  }
  expect(await ask('/api/v1/locations/parking-spaces?search=p-1')).toMatchObject({
    status: 200,
    body: { data: [{ name: 'P-1', status: 'active', notes: null }], meta: { total: 1 } },
  });
  expect(await ask('/v1/locations/parking-spaces', { name: 'Visitors', status: 'inactive' })).toMatchObject({
    status: 201,
    body: { data: { building_id: null } },
  });
  const query = `{
    parkingSpaces(filter: { name: { eq: "P-1" } }) { nodes { building { parkingSpaces { totalCount } } } }
    all: parkingSpaces { aggregates { key { status } count } }
  }`;
  expect((await ask('/graphql', { query })).body).toMatchObject({
    data: {
      parkingSpaces: { nodes: [{ building: { parkingSpaces: { totalCount: 3 } } }] },
      all: {
        aggregates: [
          { key: { status: 'ACTIVE' }, count: 3 },
          { key: { status: 'INACTIVE' }, count: 1 },
        ],
      },
    },
  });
  expect(await service.stop()).toBe(0);
});
