// The text of files, as the process for files finds it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FileWorker } from '../../src/files/worker.ts';
import { docxOf, paragraph, pdfOf, pdfOfObjects, pptxOf, xlsxOf, zipOf } from '../support/documents.ts';

const office = (type: string) => `application/vnd.openxmlformats-officedocument.${type}`;
const [docx, xlsx, pptx] = ['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'].map(
  office,
);

let folder: string;
let worker: FileWorker;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'premises-text-'));
  worker = new FileWorker();
});
afterAll(() => {
  worker.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Finds the text of a file, by its pages. */
async function textOf(bytes: Uint8Array | string, mediaType = 'text/plain'): Promise<unknown[]> {
  const path = join(folder, 'original');
  writeFileSync(path, bytes);
  await worker.run({ does: 'text', path, mediaType, folder }, new AbortController().signal);
  const lines = readFileSync(join(folder, 'text'), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => Object.values(JSON.parse(line) as object));
}

describe('the text of files', () => {
  test('of a PDF has its pages, with the lines that they show', async () => {
    expect(await textOf(pdfOf('Safety manual\nValves', '', 'Close (the) valve'), 'application/pdf')).toEqual([
      [1, 'Safety manual\nValves'],
      [3, 'Close (the) valve'],
    ]);
  });

  test('of documents of Office is in the order that people see', async () => {
    const body = paragraph('Lease of 12 Main Street') + paragraph('Signed &amp; sealed, Gr&#252;n');
    expect(await textOf(await docxOf(body), docx)).toEqual([[null, 'Lease of 12 Main Street\nSigned & sealed, Grün']]);
    const cells =
      '<row><c t="s"><v>1</v></c><c><v>12.5</v></c></row><row><c t="inlineStr"><is><t>Hinge</t></is></c></row>';
    expect(await textOf(await xlsxOf(['Bolt', 'Door'], cells, '<row><c t="s"><v>0</v></c></row>'), xlsx)).toEqual([
      [1, 'Door 12.5\nHinge'],
      [2, 'Bolt'],
    ]);
    expect(await textOf(await pptxOf('Welcome', 'Exits'), pptx)).toEqual([
      [1, 'Welcome'],
      [2, 'Exits'],
    ]);
  });

  test('is found by what is in an archive, where its first bytes do not say what it is', async () => {
    expect(await textOf(await docxOf(paragraph('Lease')), 'application/zip')).toEqual([[null, 'Lease']]);
    expect(await textOf(await zipOf({ 'a.txt': 'Lease' }), 'application/zip')).toEqual([]);
  });

  test('of plain files is cut into parts between lines', async () => {
    expect(await textOf('Cafe\u0301\u00a0 \t on\n\n\nlevel 2\u0007\0')).toEqual([[null, 'Café on\nlevel 2']]);
    expect(await textOf('')).toEqual([]);
    const line = `${'x'.repeat(99)}\n`;
    const parts = (await textOf(line.repeat(100))) as [null, string][];
    expect(parts.map(([, text]) => text.length)).toEqual([3999, 3999, 1999]);
    expect(await textOf('x'.repeat(9000))).toEqual([4000, 4000, 1000].map((length) => [null, 'x'.repeat(length)]));
  });

  test('ends with what is too long', async () => {
    const parts = await textOf(`${'word '.repeat(20)}\n`.repeat(50_000));
    expect(parts.length).toBeGreaterThan(900);
    expect(JSON.stringify(parts).length).toBeLessThan(4_100_000);
    const cells = '<row><c><v>1234</v></c></row>'.repeat(9000);
    const sheets = (await textOf(await xlsxOf([], cells), xlsx)) as [number, string][];
    expect(sheets.every(([page, text]) => page === 1 && text.length <= 20_000)).toBe(true);
    expect(
      sheets
        .map(([, text]) => text)
        .join('\n')
        .split('\n')
        .join(''),
    ).toBe('1234'.repeat(9000));
  });

  test.each([
    ['a PDF that is cut', pdfOf('Valve').subarray(0, 300), 'application/pdf', 'The PDF cannot be read.'],
    ['no PDF', Buffer.from('%PDF-1.7\n'), 'application/pdf', 'The PDF cannot be read.'],
    ['an archive that is cut', Buffer.from('PK\u0003\u0004'), docx, 'The file is damaged or encrypted.'],
  ])('of %s is none', async (_, bytes, type, message) => {
    await expect(textOf(bytes, type)).rejects.toThrow(message);
  });

  test('of a PDF with a password is none', async () => {
    const encrypted = pdfOfObjects(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>'])
      .toString('latin1')
      .replace(
        '/Root 1 0 R',
        `/Root 1 0 R /ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`,
      );
    await expect(textOf(encrypted, 'application/pdf')).rejects.toThrow('The PDF is protected by a password.');
  });

  test('of damaged XML is none, and entities do not expand', async () => {
    const damaged = 'The file is damaged or encrypted.';
    await expect(textOf(await docxOf('<w:p>'), docx)).rejects.toThrow(damaged);
    await expect(textOf(await docxOf(paragraph('&laugh;')), docx)).rejects.toThrow(damaged);
    const bomb = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><d>&b;</d>';
    await expect(textOf(await zipOf({ 'word/document.xml': bomb }), docx)).rejects.toThrow(damaged);
  });
});
