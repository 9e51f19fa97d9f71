// Who is refused by the routes that receive, send, list or attach files. All of them are walked, whatever they are of:
// a new one is, too, once it says here what its path names.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { needsSession } from '../../src/auth/access.ts';
import { scopes } from '../../src/auth/scopes.ts';
import { previewOf } from '../../src/files/index.ts';
import { fileRoute, isForRows } from '../../src/rest/files.ts';
import type { Route } from '../../src/rest/routes.ts';
import { api } from '../../src/schema/index.ts';
import { fileRoutes, routes } from '../support/api.ts';
import { openSession, publicOrigin } from '../support/browser.ts';
import type { Row } from '../support/client.ts';
import { addFile } from '../support/files.ts';
import { collections } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { filesOf, type Service, startService, type Tenant } from '../support/service.ts';
import { insertFile } from '../support/stored-files.ts';
import { beginUpload } from '../support/uploads.ts';

/** Routes of people without an account, where a secret in the path is what others do not have. */
const ofGuests = ['addPackagePhoto'];
/** Routes of what only those know who may read or import its rows: others, of the company too, get 404. */
const hidden = ['file', 'fileContent', 'filePreview', 'sendImportFile', 'importErrors'];
/** The group of the row that holds the file that is read, and that of the import. */
const groups = ['service_requests', 'vendors'];
/** What of its parameters a route needs. */
const parameters: Readonly<Record<string, string>> = {
  importRows: '?resource=vendors',
  importTemplate: '?resource=vendors',
};

const image = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
  .png()
  .toBuffer();
const bodies = { image, file: Buffer.from('abc'), import: Buffer.from('name\nAcme\n') };

/** A route, and what it is asked with. */
interface Walked {
  readonly route: Route;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

const walked: readonly Walked[] = [
  ...routes()
    .filter(({ operation }) => operation.type === 'File')
    .map((route) => ({ route, headers: {} })),
  ...api.files.map((file): Walked => {
    const route = fileRoute(file);
    if (file.does === 'resume') {
      const version = { 'tus-resumable': '1.0.0' };
      if (file.method !== 'PATCH') return { route, headers: { ...version, 'upload-length': '3' } };
      const part = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
      return { route, headers: { ...version, ...part }, body: Buffer.from('a') };
    }
    const type = { 'content-type': 'application/octet-stream' };
    return 'limit' in file ? { route, headers: type, body: bodies[file.limit] } : { route, headers: {} };
  }),
];
/** Rows that come as a file to the routes of many writes. */
const ofRows: readonly Walked[] = routes()
  .filter(isForRows)
  .map((route) => ({ route, headers: { 'content-type': 'application/x-ndjson' }, body: Buffer.from('{}\n') }));

const isOfSession = ({ route }: Walked) => needsSession(route.operation.access);
const isOfGuests = ({ route }: Walked) => ofGuests.includes(route.operation.field);
/** Those that name something of a company. */
const named = walked.filter((each) => each.route.path.includes(':') && !isOfGuests(each));

let service: Service;
let acme: Tenant;
/** The paths of routes, by their operations. */
const paths: Row = {};
/** The file that each row has, and the one that is read, which a single row has. */
let held: string;
let shown: string;
beforeAll(async () => {
  service = await startService();
  acme = await service.tenant();
  const rows = await Rows.of(service, acme, true, 1);
  const { client } = rows;
  const insert = () => insertFile(service, acme, acme.company.id);
  held = await insert();
  shown = await insert();
  const loose = await insert();
  // The job that makes previews does not run here.
  await service.database.prisma.file.updateMany({
    where: { id: shown },
    data: { previewStatus: 'READY', previewBytes: [3, 3, 3] },
  });
  const key = previewOf({ companyId: acme.company.id, id: shown }, 'medium');
  await filesOf().store.write(
    key,
    (async function* () {
      yield Buffer.from('abc');
    })(),
  );
  const holder = await client.post('/service-requests', { title: 'Broken door', attachment_ids: [shown] });
  expect(holder.status).toBe(201);
  const guest = { company_slug: acme.company.slug, guest_name: 'Gus', guest_email: 'gus@example.com' };
  const ids: Row = {
    files: shown,
    uploads: await beginUpload(client, 3),
    imports: (await client.post('/imports', { resource: 'vendors' })).row['id'],
    mailroom: (await client.post('/mailroom/label-templates', { name: 'Shelf' })).row['id'],
    public: (await service.anonymous.post('/public/expected-packages', guest)).row['tracking_token'],
  };
  const { rows: packages } = await client.get('/mailroom/expected-packages');
  const given: Readonly<Record<string, string>> = {
    ...parameters,
    labelSheet: `?packages=${String(packages[0]?.['id'])}`,
  };
  for (const { route } of [...walked, ...ofRows]) {
    const { method, path, operation } = route;
    const above = path.split('/:id/attachments')[0] ?? '';
    const collection = collections.find((each) => above !== path && each.path === above);
    const first = path.split('/')[1] ?? '';
    if (collection) ids[above] ??= (await rows.make(collection, { values: { attachmentIds: [held] } }))['id'];
    const id =
      operation.field === 'deleteFile' ? (await addFile(client, 'abc'))['id'] : ids[collection ? above : first];
    const fileId = method === 'PUT' ? loose : held;
    const variables: Row = { ...(collection && (await rows.parents(above))), id, token: id, fileId };
    for (const [, variable = ''] of path.matchAll(/:(\w+)/g))
      if (variables[variable] === undefined) throw new Error(`Nobody says what ${variable} of ${path} is.`);
    paths[operation.field] = fill(path, variables) + (given[operation.field] ?? '');
  }
}, 30_000);
afterAll(() => service.close());

/** Headers that say who asks. */
type Caller = Readonly<Record<string, string>>;
const nobody: Caller = {};
const holderOf = async (...given: Parameters<Tenant['client']>): Promise<Caller> => ({
  authorization: `Bearer ${(await acme.client(...given)).token}`,
});

/** Revokes the newest token. */
async function revoke(): Promise<void> {
  const { prisma } = service.database;
  const { id } = await prisma.apiToken.findFirstOrThrow({ orderBy: { id: 'desc' } });
  await prisma.apiToken.updateMany({ where: { id }, data: { revokedAt: new Date() } });
}

const send = async (address: string, { route, headers, body }: Walked, caller: Caller) => {
  const reply = await fetch(address, {
    method: String(route.method),
    headers: { ...headers, ...caller },
    ...(body && { body: new Uint8Array(body) }),
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
};

/** Compares the status of the answers to a caller with what they should be, by the operations. */
async function expectAnswers(
  of: readonly Walked[],
  by: (each: Walked) => Caller | Promise<Caller>,
  expected: (each: Walked) => number,
): Promise<void> {
  expect(of.length).toBeGreaterThan(0);
  const answers: Row = {};
  for (const each of of) {
    const { field } = each.route.operation;
    answers[field] = (await send(`${service.origin}/api/v1${paths[field]}`, each, await by(each))).status;
  }
  expect(answers).toEqual(Object.fromEntries(of.map((each) => [each.route.operation.field, expected(each)])));
}

test('the walk has all routes of files', () => {
  const all = [...routes(), ...fileRoutes()].map(({ method, path }) => `${method} ${path}`);
  const ofFiles = all.filter((route) => /\/(attachments|avatar|content|files?|photos|preview|uploads)\b/.test(route));
  const walkedOnes = walked.map(({ route: { method, path } }) => `${method} ${path}`);
  expect(ofFiles.filter((route) => !walkedOnes.includes(route))).toEqual([]);
  expect(new Set(walkedOnes).size).toBe(walked.length);
  const isPublic = walked.filter(({ route }) => route.operation.access === 'public');
  expect(isPublic.map(({ route }) => route.operation.field)).toEqual(ofGuests);
});

describe('all of them refuse', () => {
  test('nobody in particular, except where guests are served', async () => {
    await expectAnswers(
      [...walked, ...ofRows],
      () => nobody,
      (each) => (isOfGuests(each) ? 201 : 401),
    );
  });

  test('a revoked token', async () => {
    const revoked = await holderOf();
    await revoke();
    await expectAnswers(
      [...walked, ...ofRows].filter((each) => !isOfGuests(each)),
      () => revoked,
      () => 401,
    );
  });

  test('a token without the scope', async () => {
    const reader = await holderOf(['*:read']);
    const callers = new Map<string, Promise<Caller>>();
    const without = (left: readonly string[]) => {
      const rest = scopes.filter((scope) => !scope.includes('*') && !left.includes(scope));
      const caller = callers.get(left.join()) ?? holderOf(rest);
      callers.set(left.join(), caller);
      return caller;
    };
    const caller = ({ route: { operation } }: Walked) => {
      if (takesScope(operation.access)) return without([operation.access]);
      if (hidden.includes(operation.field)) return without(groups.flatMap((each) => [`${each}:read`, `${each}:write`]));
      return reader;
    };
    await expectAnswers(
      [...walked, ...ofRows].filter((each) => !isOfGuests(each)),
      caller,
      (each) => (isOfSession(each) ? 401 : hidden.includes(each.route.operation.field) ? 404 : 403),
    );
  });

  test('another company, and the sandbox of their own', async () => {
    const { token } = await (await service.tenant()).client();
    for (const other of [{ authorization: `Bearer ${token}` }, await holderOf(['*'], { live: false })])
      await expectAnswers(
        named,
        () => other,
        () => 404,
      );
  });

  test('files of another company, for rows of their own', async () => {
    const globex = await service.tenant();
    const foreign = await insertFile(service, globex, globex.company.id);
    const own = await holderOf();
    const answers = await Promise.all(
      walked
        .filter(({ route }) => route.path.endsWith('/:fileId'))
        .map(async (each) => {
          const path = String(paths[each.route.operation.field]).replace(/[^/]+$/, foreign);
          return [each.route.method, (await send(`${service.origin}/api/v1${path}`, each, own)).status].join(' ');
        }),
    );
    expect(new Set(answers)).toEqual(new Set(['PUT 422', 'DELETE 404']));
  });
});

test('links end with the token that made them', async () => {
  const client = await acme.client();
  const toSend = async () =>
    (await client.graphql('mutation { createFileUpload(input: { name: "a" }) { url resumableUrl } }')).data[
      'createFileUpload'
    ] as Row;
  const find = (field: string) => walked.find(({ route }) => route.operation.field === field) as Walked;
  const at = (url: unknown) => {
    const { pathname, search } = new URL(String(url), service.origin);
    return service.origin + pathname + search;
  };
  const begin = async () => {
    const { headers } = await send(at((await toSend())['resumableUrl']), find('createUpload'), nobody);
    return at(headers.get('location'));
  };
  const labels = async () => {
    const { data } = await client.graphql(
      '{ labelTemplates(first: 1) { nodes { labelsUrl } } expectedPackages(first: 1) { nodes { id } } }',
    );
    const first = (list: string) => (data[list] as { nodes: Row[] }).nodes[0] ?? {};
    return `${at(first('labelTemplates')['labelsUrl'])}&packages=${String(first('expectedPackages')['id'])}`;
  };
  const addresses = async (): Promise<Row> => ({
    labelSheet: await labels(),
    fileContent: at(((await client.graphql(`{ file(id: "${shown}") { url } }`)).data['file'] as Row)['url']),
    sendFile: at((await toSend())['url']),
    createUpload: at((await toSend())['resumableUrl']),
    uploadProgress: await begin(),
    appendToUpload: await begin(),
    endUpload: await begin(),
  });
  const withLinks = api.files.filter(({ link }) => link).map(({ operation }) => operation.field);
  const statuses = async (of: Row) =>
    Promise.all(withLinks.map(async (field) => [field, (await send(String(of[field]), find(field), nobody)).status]));
  const [used, unused] = [await addresses(), await addresses()];
  expect(await statuses(used)).toEqual(withLinks.map((field) => [field, find(field).route.status]));
  await revoke();
  expect(await statuses(unused)).toEqual(withLinks.map((field) => [field, 401]));
});

test('who may is served, and nothing has changed before', async () => {
  const own = await holderOf();
  const lists = walked.filter(({ route }) => route.operation.action === 'list');
  for (const each of lists) {
    const reply = await send(`${service.origin}/api/v1${paths[each.route.operation.field]}`, each, own);
    expect(JSON.parse(reply.text)).toMatchObject({ data: [{ id: held }], meta: { total: 1 } });
  }
  const { cookies } = await openSession(service, acme.users[0]?.id ?? '');
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const session = { cookie, origin: publicOrigin, 'sec-fetch-site': 'same-origin' };
  await expectAnswers(
    walked,
    (each) => (isOfSession(each) ? session : isOfGuests(each) ? nobody : own),
    ({ route }) => route.status,
  );
});
