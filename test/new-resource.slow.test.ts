// Follows "Adding a resource" of docs/architecture.md to the letter, in a copy of the project, with the sub-resource of
// docs/resources.md; and once more for a resource with scopes of its own, two relations, and a field of a new type.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testDatabaseUrl } from './support/database.ts';
import { fences } from './support/markdown.ts';
import { killAll, ServiceProcess } from './support/process.ts';

const root = join(import.meta.dirname, '..');
const folder = await mkdtemp(join(tmpdir(), 'premises-resource-'));
const copy = join(folder, 'premises');

const page =
  /^## Adding a resource\n([^]*?)(?:^## |(?![^]))/m.exec(
    await readFile(join(root, 'docs/architecture.md'), 'utf8'),
  )?.[1] ?? '';
const blocks = fences(page);
const subResource = fences(await readFile(join(root, 'docs/resources.md'), 'utf8'));
const commands = blocks.find(({ language }) => language === 'sh')?.content ?? '';

/** How long (ms) the project's commands may take beside other tests: they build, check and test the whole copy. */
const commandsTimeout = 400_000;

const run = (command: string) => promisify(execFile)('bash', ['-ec', command], { cwd: copy, maxBuffer: 2 ** 24 });

/** Inserts a text before another one that occurs once in a file. */
async function insert(file: string, text: string, before: RegExp): Promise<void> {
  const path = join(copy, file);
  const old = await readFile(path, 'utf8');
  const [found = '', ...others] = old.match(new RegExp(before, 'gm')) ?? [];
  expect({ file, found: found !== '', others }).toEqual({ file, found: true, others: [] });
  await writeFile(path, old.replace(found, text + found));
}

const permitModel = `/// A permit to park.
model ParkingPermit {
  companyId  String       @map("company_id") @db.Uuid
  id         String       @default(uuid(7)) @db.Uuid
  /// What is written on the permit.
  name       String       @db.VarChar(200)
  /// The number of its chip.
  chip       BigInt?
  /// The building it is for.
  buildingId String?      @map("building_id") @db.Uuid
  /// The user who has it.
  holderId   String?      @map("holder_id") @db.Uuid
  createdAt  DateTime     @default(now()) @map("created_at") @db.Timestamptz(3)
  updatedAt  DateTime     @default(now()) @updatedAt @map("updated_at") @db.Timestamptz(3)
  company    Company      @relation(fields: [companyId], references: [id], onDelete: Cascade, onUpdate: NoAction)
  building   Building?    @relation(fields: [companyId, buildingId], references: [companyId, id], onDelete: Restrict, onUpdate: NoAction)
  holder     User?        @relation(fields: [companyId, holderId], references: [companyId, id], onDelete: Restrict, onUpdate: NoAction)

  @@id([companyId, id])
  @@index([companyId, createdAt, id])
  @@index([companyId, buildingId, createdAt, id])
  @@index([companyId, holderId])
  @@map("parking_permits")
}
`;

const permit = `import { defineResource } from '../../resource/index.ts';

/** Parking permits. */
export const ParkingPermit = defineResource('ParkingPermit', {
  scope: 'parking',
  fields: { name: {}, chip: {}, buildingId: {}, holderId: {} },
  list: { search: ['name'] },
  graphql: { relations: ['building', 'holder'] },
  rest: { path: '/parking/permits' },
});
`;

const bigInteger = `import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { scalarCells } from './cells.ts';
import { type FieldType, passRule, plain } from './field-type.ts';
import { ordered } from './numbers.ts';

const isText = (value: unknown): value is string => typeof value === 'string' && /^-?\\d{1,18}$/.test(value);

function parse(value: unknown): string {
  if (!isText(value)) throw new GraphQLError('must be a whole number of at most 18 digits, as text');
  return String(BigInt(value));
}

const scalar = new GraphQLScalarType<string, string>({
  name: 'BigInteger',
  description: 'A whole number of at most 18 digits, as text.',
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
  serialize: String,
});

/** Whole numbers of 64 bits: text, as most programs read numbers of JSON as doubles. */
export const bigInteger: FieldType = {
  ...plain,
  name: scalar.name,
  scalar,
  sqlType: 'bigint',
  asJson: { sql: (sql) => \`\${sql}::text\`, decode: String },
  shownSql: (sql) => \`\${sql}::text\`,
  shown: String,
  constant: String,
  check: (given, _limits, rule) => passRule(given, rule),
  comparison: { name: scalar.name, operators: ordered, read: (operand) => ({ value: operand }) },
  isPosition: isText,
  jsonSchema: () => ({ type: 'string', pattern: '^-?\\\\d{1,18}$' }),
  csv: scalarCells(scalar),
  example: '549755813888',
};
`;

/** Adds a type of fields: a file, and what Prisma calls it in the list of types. */
async function addType(): Promise<void> {
  await writeFile(join(copy, 'src/fields/big-integer.ts'), bigInteger);
  await insert('src/fields/index.ts', `import { bigInteger } from './big-integer.ts';\n`, /^import \{ boolean } from/);
  await insert('src/fields/index.ts', '  BigInt: bigInteger,\n', /^ {2}Boolean: boolean,$/);
}

/** Edits four files: two of its own, the list of definitions, and the scope groups. */
async function addPermits(): Promise<void> {
  await writeFile(join(copy, 'prisma/schema/parking-permit.prisma'), permitModel);
  await mkdir(join(copy, 'src/schema/parking'));
  await writeFile(join(copy, 'src/schema/parking/permit.ts'), permit);
  await insert(
    'src/schema/index.ts',
    `import { ParkingPermit } from './parking/permit.ts';\n`,
    /^import \{ Company } from/,
  );
  await insert('src/schema/index.ts', '  ParkingPermit,\n', /^ {2}Paint,$/);
  await insert(
    'src/auth/scopes.ts',
    `  parking: { name: 'Parking', description: 'Parking permits.' },\n`,
    /^ {2}users: \{ name/,
  );
}

let drop: () => Promise<unknown> = async () => {};
beforeAll(async () => {
  const ours = ['node_modules', '.git', 'data'].map((name) => join(root, name));
  await cp(root, copy, { recursive: true, filter: (path) => !ours.includes(path) });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));

  for (const { file, content } of [...blocks, ...subResource]) if (file) await writeFile(join(copy, file), content);
  await insert(
    'prisma/schema/parking.prisma',
    '  reservations ParkingReservation[]\n',
    /^ {2}@@id\(\[companyId, id]\)$/,
  );
  await insert(
    'src/schema/index.ts',
    `import { ParkingReservation } from './location/parking-reservation.ts';\n`,
    /^import \{ ExpectedPackage }/,
  );
  await insert('src/schema/index.ts', '  ParkingReservation,\n', /^ {2}Paint,$/);
  await insert(
    'src/schema/index.ts',
    `import { ParkingSpace } from './location/parking-space.ts';\n`,
    /^import \{ ExpectedPackage }/,
  );
  await insert('src/schema/index.ts', '  ParkingSpace,\n', /^ {2}Paint,$/);
  await addPermits();
  await addType();
});
afterAll(async () => {
  await killAll();
  await drop();
  await rm(folder, { recursive: true, force: true });
});

test('edits three files, and ends with tests', () => {
  expect(blocks.flatMap(({ file }) => file ?? []).map((file) => basename(file))).toEqual([
    'parking.prisma',
    'parking-space.ts',
  ]);
  expect(commands.trimEnd()).toMatch(/\nnpm test$/);
  for (const text of [
    '`parkingSpaces ParkingSpace[]`',
    '`Company` and `Building`',
    '`src/schema/index.ts`',
    'three files',
    '`scopeGroups` of `src/auth/scopes.ts`',
  ]) {
    expect(page).toContain(text);
  }
});

test(
  'generates the client, the migration and the documents, and passes the checks',
  async () => {
    await run(commands.replace(/^npm test$/m, ''));
    const { stdout } = await run('cat prisma/migrations/*_add_parking_spaces/migration.sql');
    expect(stdout).toContain('CREATE TABLE "parking_spaces"');
    // Five root fields, the list of a building, a subscription, and seven routes: those of the history and of restoring
    // are two. Reservations have one more, for those of all spaces. Then three for many rows each, and one for the
    // aggregates of each of the three lists.
    const { stdout: fields } = await run(
      `grep -cE '^  ((create|update|delete)ParkingSpace|parkingSpaces?)\\(' schema.graphql`,
    );
    const { stdout: routes } = await run("grep -c '/parking-spaces' docs/routes.md");
    const { stdout: both } = await run(
      'grep -E "parking(Spaces|Permits) +Parking" prisma/schema/{company,location,user}.prisma',
    );
    expect(both.trim().split('\n')).toHaveLength(2 + 3);
    expect([Number(fields), Number(routes)]).toEqual([5 + 1 + 1, 7 + 8 + 2 * 3 + 3]);
    const { stdout: rights } = await run("grep '^| parking reservations ' docs/roles.md");
    const undo = 'what they deleted in the last 15 minutes';
    expect(rights.trim().split('\n')).toEqual([
      '| parking reservations | create, update, delete | their own (`requested_by`) | yes | yes |',
      `| parking reservations | restore | ${undo}; their own (\`requested_by\`) | ${undo} | yes |`,
    ]);
    await run('npm run lint:generated');
    await run('npx tsc --noEmit');
  },
  commandsTimeout,
);

test(
  'passes the tests of all resources',
  async () => {
    const jest = 'env -u NODE_OPTIONS node scripts/test.mjs';
    await run(`${jest} docs examples graphql/schema`);
    // Those of the other resources are not repeated.
    await run(`${jest} auth/scopes rest/crud rest/etag rest/bodies rest/tenancy rest/csv-cells -t parking`);
  },
  commandsTimeout,
);

test('serves the resource in REST and GraphQL', async () => {
  await run('node scripts/build.mjs');
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
  const ask = async (path: string, body?: object, method = body ? 'POST' : 'GET') => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    const answer = await fetch(
      service.origin + path,
      body ? { method, headers, body: JSON.stringify(body) } : { method, headers },
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
  const { body: spaces } = await ask('/api/v1/locations/parking-spaces?limit=1');
  const { id: spaceId } = (spaces as { data: [{ id: string }] }).data[0];
  const reservations = `/api/v1/locations/parking-spaces/${spaceId}/reservations`;
  const days = { start_date: '2027-01-11', end_date: '2027-01-11' };
  const { body: reserved } = await ask(reservations, days);
  expect(reserved).toMatchObject({ data: { ...days, status: 'requested', is_one_day: true } });
  const reservation = `${reservations}/${(reserved as { data: { id: string } }).data.id}`;
  expect(await ask(reservation, { end_date: '2027-01-12', status: 'approved' }, 'PATCH')).toMatchObject({
    status: 200,
    body: { data: { end_date: '2027-01-12', status: 'approved', is_one_day: false } },
  });
  expect(await ask(reservation, { end_date: '2027-01-10' }, 'PATCH')).toMatchObject({
    status: 422,
    body: { error: { details: { end_date: 'must be on or after the start date' } } },
  });
  expect((await ask(reservation, { status: 'ended' }, 'PATCH')).status).toBe(200);
  expect((await ask(reservation, undefined, 'DELETE')).status).toBe(409);

  // No double holds it.
  const chip = '9007199254740993';
  const permits = '/api/v1/parking/permits';
  for (const given of [chip, '12', null])
    expect(await ask(permits, { name: `Chip ${given}`, chip: given })).toMatchObject({
      status: 201,
      body: { data: { chip: given } },
    });
  expect(await ask(permits, { name: 'P', chip: '1.5' })).toMatchObject({
    status: 422,
    body: { error: { details: { chip: 'must be a whole number of at most 18 digits, as text' } } },
  });
  expect(await ask(`${permits}?chip=x`)).toMatchObject({ status: 400, body: { error: { code: 'BAD_REQUEST' } } });
  for (const [parameters, chips] of [
    [`chip=${chip}`, [chip]],
    [`chip[in]=12,${chip}&sort=chip&order=asc`, ['12', chip]],
    ['chip[gt]=12', [chip]],
    ['chip[is_null]=true', [null]],
    ['sort=-chip', [chip, '12', null]],
  ] as const)
    expect(await ask(`${permits}?${parameters}`)).toMatchObject({
      body: { data: chips.map((one) => ({ chip: one })) },
    });
  // In text, the cursor of a page, and the log.
  const { body: page } = await ask(`${permits}?sort=chip&order=asc&limit=1`);
  const { pagination } = (page as { meta: { pagination: { next_cursor: string } } }).meta;
  expect(await ask(`${permits}?sort=chip&order=asc&limit=1&cursor=${pagination.next_cursor}`)).toMatchObject({
    body: { data: [{ chip }] },
  });
  const csv = await fetch(`${service.origin}${permits}?chip=${chip}`, {
    headers: { authorization: `Bearer ${service.token}`, accept: 'text/csv' },
  });
  expect(await csv.text()).toContain(`,${chip},`);
  const permitQuery = '{ parkingPermits(filter: { chip: { gte: "13" } }) { nodes { id chip } } }';
  const { body: nodes } = await ask('/graphql', { query: permitQuery });
  expect(nodes).toMatchObject({ data: { parkingPermits: { nodes: [{ chip }] } } });
  const { id } = (nodes as { data: { parkingPermits: { nodes: [{ id: string }] } } }).data.parkingPermits.nodes[0];
  expect(await ask(`${permits}/${id}/history`)).toMatchObject({ body: { data: [{ after: { chip } }] } });
  expect(await service.stop()).toBe(0);
});
