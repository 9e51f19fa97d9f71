// A spreadsheet is a ZIP archive with a file for each sheet. It is written while its rows are read.
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { styles, xmlDeclaration } from './sheet-xml.ts';
import type { TablePart } from './table.ts';

const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const documentTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const contentType = (part: string) => `application/vnd.openxmlformats-officedocument.spreadsheetml.${part}+xml`;

/** How many sheets there are is known at the end, so files are sheets unless this names them. */
const contentTypes = `${xmlDeclaration}<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="${contentType('worksheet')}"/><Override PartName="/xl/workbook.xml" ContentType="${contentType('sheet.main')}"/><Override PartName="/xl/styles.xml" ContentType="${contentType('styles')}"/></Types>`;

const relationship = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${documentTypes}/${type}" Target="${target}"/>`;

const relationships = (...all: readonly string[]) =>
  `${xmlDeclaration}<Relationships xmlns="${packageNamespace}/relationships">${all.join('')}</Relationships>`;

/** The files that name the sheets. */
function workbookFiles(sheets: number): readonly (readonly [name: string, xml: string])[] {
  const numbers = Array.from({ length: sheets }, (_, n) => n + 1);
  const named = numbers.map((n) => `<sheet name="Rows${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`);
  const files = numbers.map((n) => relationship(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`));
  return [
    [
      'xl/workbook.xml',
      `${xmlDeclaration}<workbook xmlns="${mainNamespace}" xmlns:r="${documentTypes}"><sheets>${named.join('')}</sheets></workbook>`,
    ],
    ['xl/_rels/workbook.xml.rels', relationships(...files, relationship(`rId${sheets + 1}`, 'styles', 'styles.xml'))],
  ];
}

/**
 * Writes a spreadsheet at the pace of its reader.
 *
 * @param parts the XML of its sheets, in order
 * @returns its bytes; it is destroyed with the error of a part, and ends the parts when it is destroyed
 */
export function writeWorkbook(parts: AsyncGenerator<TablePart>): Readable {
  const zip = new ZipFile();
  // It is a PassThrough, whose type says less.
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => output.destroy(error));
  writeFiles(zip, parts, output).catch((error: Error) => output.destroy(error));
  return output;
}

async function writeFiles(zip: ZipFile, parts: AsyncGenerator<TablePart>, output: Readable): Promise<void> {
  const add = (name: string, xml: string) => zip.addBuffer(Buffer.from(xml), name);
  add('[Content_Types].xml', contentTypes);
  add('_rels/.rels', relationships(relationship('rId1', 'officeDocument', 'xl/workbook.xml')));
  add('xl/styles.xml', styles);
  let next = await parts.next();
  let sheets = 0;
  async function* textOf(sheet: number): AsyncGenerator<string> {
    while (!next.done && next.value.sheet === sheet) {
      yield next.value.text;
      next = await parts.next();
    }
  }
  try {
    while (!next.done && !output.destroyed) {
      sheets += 1;
      const text = Readable.from(textOf(sheets), { objectMode: false });
      output.once('close', () => text.destroy());
      zip.addReadStream(text, `xl/worksheets/sheet${sheets}.xml`);
      await finished(text);
    }
  } finally {
    await parts.return(undefined);
  }
  for (const [name, xml] of workbookFiles(sheets)) add(name, xml);
  zip.end();
}
