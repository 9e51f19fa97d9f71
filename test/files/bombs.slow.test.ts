// Files that are made to exhaust whatever reads them: they end with a reason, and the service answers meanwhile.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { ZipFile } from 'yazl';
import { Jobs } from '../../src/background/jobs.ts';
import { readConfig } from '../../src/config.ts';
import { openFiles } from '../../src/files/index.ts';
import { fileWorker } from '../../src/files/worker.ts';
import { noMailer } from '../../src/mail/index.ts';
import { previewFile } from '../../src/schema/files/preview-job.ts';
import { readDocument } from '../../src/schema/files/text-job.ts';
import { api } from '../../src/schema/index.ts';
import type { Client } from '../support/client.ts';
import { docxOf, paragraph, pdfOf, pdfOfObjects, zipOf } from '../support/documents.ts';
import { addFile } from '../support/files.ts';
import { filesFolder, type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
let jobs: Jobs;
const logged: unknown[] = [];
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
  const log = { warn: (facts: unknown) => void logged.push(facts) };
  const files = openFiles(readConfig({ FILES_URL: `file://${filesFolder}` }));
  jobs = new Jobs({ database: service.database, api, mailer: noMailer, files, log }, [previewFile, readDocument]);
});
afterEach(() => expect(logged.splice(0)).toEqual([]));
afterAll(async () => {
  await jobs.close();
  fileWorker.end();
  await service.close();
});

type Bytes = Buffer<ArrayBuffer>;

/** A document of Word whose XML is a text many times. */
async function docxBomb(text: string, times: number): Promise<Bytes> {
  const zip = new ZipFile();
  function* xml() {
    yield '<d>';
    const chunk = text.repeat(1000);
    for (let n = 0; n < times; n += 1000) yield chunk;
    yield '</d>';
  }
  zip.addReadStream(Readable.from(xml(), { objectMode: false }), 'word/document.xml');
  zip.end();
  return Buffer.from(await buffer(zip.outputStream));
}

const catalog = '<< /Type /Catalog /Pages 2 0 R >>';

/** A PDF whose page has this content. */
function pdfOfContent(content: Bytes, filter = ''): Bytes {
  const stream = `<< /Length ${content.length} ${filter} >>\nstream\n${content.toString('latin1')}\nendstream`;
  return pdfOfObjects([
    catalog,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>',
    stream,
  ]);
}

const oneOf = (...reasons: string[]) => expect.stringMatching(new RegExp(`^(${reasons.join('|')})$`));
const tooMuch = ['The file takes too long to read.', 'The file takes too much memory.'];
const failed = 'The file cannot be read: reading it has failed.';
const unreadable = 'The PDF cannot be read.';

const bombs: Record<string, [make: () => Bytes | Promise<Bytes>, status: string, error: unknown]> = {
  'a document with 500 MB of text': [() => docxBomb('<w:p><w:t>ha</w:t></w:p>', 20_000_000), 'processed', null],
  'a document that unpacks to 800 MB without text': [
    () => docxBomb('<w:rPr/>', 100_000_000),
    'failed',
    oneOf(String.raw`The file is larger than 200 MB when it is unpacked\.`, ...tooMuch),
  ],
  'a document with a million open elements': [
    () => docxOf('<w:p>'.repeat(1_000_000)),
    'failed',
    'The file is damaged or encrypted.',
  ],
  'a document whose entities expand to a billion': [
    () => {
      const names = [...'abcdefghi'];
      const entities = names.map((name, n) => `<!ENTITY ${name} "${n ? `&${names[n - 1]};`.repeat(10) : 'ha'}">`);
      return zipOf({ 'word/document.xml': `<!DOCTYPE d [${entities.join('')}]><d><t>&i;</t></d>` });
    },
    'failed',
    'The file is damaged or encrypted.',
  ],
  'an archive of twenty thousand files': [
    () => zipOf(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`word/${n}.xml`, '']))),
    'failed',
    'The file has more than 10000 parts.',
  ],
  'an encrypted document of Office': [
    () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(5000)]),
    'failed',
    'The file is protected by a password, or of an older version of Office.',
  ],
  'a line of 50 MB': [() => Buffer.alloc(50_000_000, 'ha '), 'processed', null],
  'a PDF of a million objects': [
    () =>
      pdfOfObjects([
        catalog,
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
        ...Array.from({ length: 1_000_000 }, (_, n) => `<< /N ${n} >>`),
      ]),
    'processed',
    null,
  ],
  'a PDF of a million pages': [
    () =>
      pdfOfObjects([
        catalog,
        `<< /Type /Pages /Kids [${'3 0 R '.repeat(1_000_000)}] /Count 1000000 >>`,
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
      ]),
    'failed',
    oneOf(...tooMuch, failed, unreadable),
  ],
  'a PDF whose pages are those of themselves': [
    () => pdfOfObjects([catalog, '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 4 >>']),
    'failed',
    oneOf(...tooMuch, failed, unreadable),
  ],
  'a PDF with a million arrays in each other': [
    () => pdfOfObjects([`<< /Type /Catalog /Pages ${'['.repeat(1_000_000)}`, '<< >>']),
    'failed',
    oneOf(...tooMuch, failed, unreadable),
  ],
  'a PDF whose page is 1 GB unpacked': [
    () => pdfOfContent(Buffer.from(deflateSync(Buffer.alloc(1_000_000_000, ' '))), '/Filter /FlateDecode'),
    'failed',
    oneOf(...tooMuch, failed, unreadable),
  ],
  'a PDF whose page has a million operators': [
    () => pdfOfContent(Buffer.from(deflateSync(Buffer.from('q Q '.repeat(500_000)))), '/Filter /FlateDecode'),
    'processed',
    null,
  ],
  'a PDF that is cut': [() => pdfOf('Valve').subarray(0, 400), 'failed', unreadable],
};

test.each(Object.entries(bombs))('%s', async (_, [make, status, error]) => {
  const file = await addFile(client, await make(), 'bomb');
  const { id } = (await client.post('/documents', { title: 'Bomb', file_id: file['id'] })).row;
  let isRunning = true;
  let [slowest, memory] = [0, 0];
  const watch = async () => {
    while (isRunning) {
      const from = performance.now();
      expect((await client.get('/documents', { limit: 1 })).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - from);
      if (fileWorker.pid !== undefined)
        try {
          const now = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${fileWorker.pid}/status`, 'utf8'))?.[1];
          memory = Math.max(memory, Number(now ?? 0) / 1024);
        } catch {
          // It has ended.
        }
      await sleep(50);
    }
  };
  const watching = watch();
  await jobs.runAll();
  isRunning = false;
  await watching;
  const { row } = await client.get(`/documents/${String(id)}`);
  expect([row['processing_status'], row['processing_error']]).toEqual([status, error]);
  expect(memory).toBeLessThan(900);
  expect(slowest).toBeLessThan(2000);

  // The next file is read.
  const next = await addFile(client, await docxOf(paragraph('Valve')), 'next.docx');
  const after = (await client.post('/documents', { title: 'Next', file_id: next['id'] })).row;
  await jobs.runAll();
  expect((await client.get(`/documents/${String(after['id'])}`)).row).toMatchObject({ processing_status: 'processed' });
});
