// Documents whose files the service reads: their status, and finding them by the text of their files.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Jobs } from '../../src/background/jobs.ts';
import { readConfig } from '../../src/config.ts';
import { openFiles } from '../../src/files/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { indexTexts, readDocument } from '../../src/schema/files/text-job.ts';
import { api } from '../../src/schema/index.ts';
import { openSession } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { pdfOf } from '../support/documents.ts';
import { addFile } from '../support/files.ts';
import { filesFolder, type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let acme: Tenant;
let client: Client;
let jobs: Jobs;
const logged: unknown[] = [];
beforeAll(async () => {
  service = await startService();
  const log = { warn: (facts: unknown) => void logged.push(facts) };
  const files = openFiles(readConfig({ FILES_URL: `file://${filesFolder}` }));
  jobs = new Jobs({ database: service.database, api, mailer: noMailer, files, log }, [readDocument, indexTexts]);
});
beforeEach(async () => {
  acme = await service.tenant();
  client = await acme.client();
});
afterEach(() => expect(logged.splice(0)).toEqual([]));
afterAll(async () => {
  await jobs.close();
  await service.close();
});

/** Adds a document of a file. */
async function addDocument(bytes: Uint8Array<ArrayBuffer> | string, values: Row = {}): Promise<Row> {
  const { id } = await addFile(client, bytes, 'manual');
  return (await client.post('/documents', { title: 'Manual', file_id: id, ...values })).row;
}

const documentAt = async (id: unknown) => (await client.get(`/documents/${String(id)}`)).row;

describe('the file of a document', () => {
  test('is read after the document has got it, which its history says', async () => {
    const { id, ...row } = await addDocument(pdfOf('Valves'));
    expect(row).toMatchObject({ processing_status: 'pending', processing_error: null });
    await jobs.runAll();
    expect(await documentAt(id)).toMatchObject({ processing_status: 'processed', processing_error: null });
    const history = (await client.get(`/documents/${String(id)}/history`)).rows.toReversed();
    expect(history.map(({ action, fields, actor }) => [action, fields, (actor as Row)['kind']])).toEqual([
      ['create', expect.anything(), 'token'],
      ['update', ['processing_status'], 'clock'],
      ['update', ['processing_status'], 'clock'],
    ]);
  });

  test('that cannot be read says why, until there is another one', async () => {
    const { id } = await addDocument(pdfOf('Valves').subarray(0, 300));
    await jobs.runAll();
    const failed = { processing_status: 'failed', processing_error: 'The PDF cannot be read.' };
    expect(await documentAt(id)).toMatchObject(failed);
    const path = `/documents/${String(id)}`;
    expect((await client.patch(path, { title: 'Plan', processing_status: 'failed' })).status).toBe(200);
    expect(await documentAt(id)).toMatchObject(failed);

    const waiting = { processing_status: 'pending', processing_error: null };
    await client.patch(path, { processing_status: 'pending' });
    expect(await documentAt(id)).toMatchObject(waiting);
    await jobs.runAll();
    expect(await documentAt(id)).toMatchObject(failed);

    const other = await addFile(client, pdfOf('Valves'), 'manual.pdf');
    await client.patch(path, { file_id: other['id'] });
    expect(await documentAt(id)).toMatchObject(waiting);
    await jobs.runAll();
    expect(await documentAt(id)).toMatchObject({ processing_status: 'processed', processing_error: null });
    await client.patch(path, { file_url: 'https://example.com/a.pdf' });
    expect(await documentAt(id)).toMatchObject({ ...waiting, file_id: null });
  });

  test('has a status that the service sets, and a file elsewhere one that clients set', async () => {
    const { id, file_id } = await addDocument('Valves');
    const message = 'must be pending or left out, as the service sets it where the file was sent to it';
    for (const refused of [
      await client.patch(`/documents/${String(id)}`, { processing_status: 'processed' }),
      await client.post('/documents', { title: 'Plan', file_id, processing_status: 'failed' }),
    ])
      expect(refused).toMatchObject({ status: 422, details: { processing_status: message } });
    expect((await client.post('/documents', { title: 'Plan', processing_error: 'x' })).details).toHaveProperty(
      'processing_error',
    );
    const elsewhere = { title: 'Plan', file_url: 'https://example.com/a.pdf', processing_status: 'processed' };
    expect((await client.post('/documents', elsewhere)).row).toMatchObject(elsewhere);
  });

  test('of a kind without text is processed; one of a document that is gone is not', async () => {
    const image = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const [{ id }, gone] = [await addDocument(Uint8Array.from(image)), await addDocument('Valves')];
    await client.delete(`/documents/${String(gone['id'])}`);
    await jobs.runAll();
    expect(await documentAt(id)).toMatchObject({ processing_status: 'processed' });
    expect(await service.database.prisma.filePage.count({ where: { companyId: acme.company.id } })).toBe(0);
  });

  test('of a deleted file has no text any more', async () => {
    const { id, file_id } = await addDocument('Valves');
    await jobs.runAll();
    const { prisma } = service.database;
    expect(await prisma.filePage.count({ where: { fileId: String(file_id) } })).toBe(1);
    await client.delete(`/documents/${String(id)}`);
    await prisma.file.delete({ where: { companyId_id: { companyId: acme.company.id, id: String(file_id) } } });
    expect(await prisma.filePage.count({ where: { fileId: String(file_id) } })).toBe(0);
  });
});

interface Meta {
  readonly matches?: unknown;
}

describe('a search of documents', () => {
  const found = async (search: string, by = client) => {
    const { rows, meta } = await by.get('/documents', { search, sort: 'title', order: 'asc' });
    return { titles: rows.map(({ title }) => title), matches: (meta as Meta).matches };
  };

  test('finds those with the words in their file, and says on which page', async () => {
    const { id } = await addDocument(
      pdfOf('Safety manual', 'In case of fire close the main valve and leave the house'),
    );
    const { id: plain } = await addDocument('The VALVE of the boiler leaks', { title: 'Report' });
    await addDocument(pdfOf('Doors'), { title: 'Valve list' });
    await jobs.runAll();
    const { titles, matches } = await found('valve');
    expect(titles).toEqual(['Manual', 'Report', 'Valve list']);
    expect(matches).toHaveLength(2);
    expect(matches).toEqual(
      expect.arrayContaining([
        { id, page: 2, text: expect.stringContaining('close the main valve and leave') },
        { id: plain, page: null, text: 'The VALVE of the boiler leaks' },
      ]),
    );
    expect((await found('main valve')).titles).toEqual(['Manual']);
    // All words are on one page.
    expect((await found('safety valve')).titles).toEqual([]);
    expect(await found('hinge')).toEqual({ titles: [], matches: [] });
    expect((await found(' ')).matches).toBeUndefined();
    expect((await client.get('/documents')).meta).not.toHaveProperty('matches');
    expect(await found('?!')).toEqual({ titles: [], matches: [] });
  });

  test('combines with filters, pages, CSV and fields', async () => {
    for (const title of ['A', 'B', 'C']) await addDocument('Valve', { title, category: title === 'B' ? 'x' : null });
    await jobs.runAll();
    expect((await client.get('/documents', { search: 'valve', category: 'x' })).rows).toMatchObject([{ title: 'B' }]);
    const { meta, rows } = await client.get('/documents', { search: 'valve', limit: 2, fields: 'title', offset: 1 });
    expect(meta).toMatchObject({ total: 3, matches: [expect.anything(), expect.anything()] });
    expect(rows).toEqual([{ title: 'B' }, { title: 'A' }]);
    const csv = await client.get('/documents', { search: 'valve', fields: 'title' }, { accept: 'text/csv' });
    expect(csv.text.trim().split(/\r?\n/)).toEqual(['title', 'C', 'B', 'A']);
  });

  test('is the same in GraphQL', async () => {
    const { id } = await addDocument(pdfOf('', 'Main valve'));
    await jobs.runAll();
    const query = '{ documents(search: "valve") { totalCount nodes { title } matches { __typename id page text } } }';
    expect((await client.graphql(query)).data).toEqual({
      documents: {
        totalCount: 1,
        nodes: [{ title: 'Manual' }],
        matches: [{ __typename: 'SearchMatch', id, page: 2, text: 'Main valve' }],
      },
    });
    const other =
      '{ documents { matches { page } } edges: documents(search: "valve") { edges { node { history { totalCount } } } matches { page } } }';
    expect((await client.graphql(other)).data).toMatchObject({
      documents: { matches: null },
      edges: { matches: [{ page: 2 }] },
    });
    expect((await client.graphql('{ documents(search: "valve") { matches { id } } }')).data).toEqual({
      documents: { matches: [{ id }] },
    });
  });

  test('finds other forms of words in the language of the company, and always the exact words', async () => {
    await addDocument('Die Häuser sind der Feuerwehr bekannt', { title: 'German' });
    await addDocument('The houses of the fire brigade', { title: 'English' });
    await jobs.runAll();
    expect((await found('house')).titles).toEqual(['English']);
    expect((await found('haus')).titles).toEqual([]);
    // Common words, which a language leaves out.
    for (const exact of ['the', 'HÄUSER', 'der']) expect((await found(exact)).titles).toHaveLength(1);

    const session = (await openSession(service, acme.users[0]?.id ?? '')).at('/api/v1');
    const set = (language: string) =>
      session.graphql(
        `mutation { updateCompanySettings(input: { searchLanguage: "${language}" }) { searchLanguage } }`,
      );
    expect((await set('german')).data).toEqual({ updateCompanySettings: { searchLanguage: 'german' } });
    await jobs.runAll();
    expect((await found('haus')).titles).toEqual(['German']);
    for (const exact of ['the', 'häuser', 'houses']) expect((await found(exact)).titles).toHaveLength(1);
    const message = expect.stringContaining('must be one of');
    for (const wrong of ['klingon', 'public.simple'])
      expect((await set(wrong)).errors).toMatchObject([{ extensions: { details: { searchLanguage: message } } }]);
  });

  test('finds nothing that the caller may not read', async () => {
    await addDocument('Valve');
    await jobs.runAll();
    const stranger = await (await service.tenant()).client();
    expect(await found('valve', stranger)).toEqual({ titles: [], matches: [] });
    expect((await (await acme.client(['leases:read'])).get('/documents', { search: 'valve' })).status).toBe(403);
    // The text of a file is that of documents alone, and only of those that have it now.
    const { id } = await addDocument('Hinge');
    await jobs.runAll();
    await client.patch(`/documents/${String(id)}`, { file_id: null });
    expect(await found('hinge')).toEqual({ titles: [], matches: [] });
  });
});
