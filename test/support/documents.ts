// Small documents, written by the specifications of their formats.
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** A PDF of objects, of which the first is the catalog. */
export function pdfOfObjects(objects: readonly string[]): Buffer<ArrayBuffer> {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, n) => {
    const at = text.length;
    text += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\n`;
  return Buffer.from(`${text}startxref\n${start}\n%%EOF\n`, 'latin1');
}

/** A PDF with a page of A4 for each text, a line of a page for each of its lines. */
export function pdfOf(...pages: readonly string[]): Buffer<ArrayBuffer> {
  const escaped = (line: string) => line.replaceAll(/[\\()]/g, String.raw`\$&`);
  const kids = pages.map((_, n) => `${4 + 2 * n} 0 R`).join(' ');
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((page, n) => {
      const lines = page.split('\n').map((line) => `(${escaped(line)}) Tj T*`);
      const content = `BT /F1 24 Tf 72 720 Td 30 TL ${lines.join(' ')} ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * n} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ]);
}

/** A ZIP archive. */
export async function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return Buffer.from(await buffer(zip.outputStream));
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const formats = 'http://schemas.openxmlformats.org';

const relationsOf = (targets: readonly string[]) =>
  `${xml}<Relationships xmlns="${formats}/package/2006/relationships">${targets
    .map((target, n) => `<Relationship Id="rId${n + 1}" Type="${relations}/part" Target="${target}"/>`)
    .join('')}</Relationships>`;

const contentTypes = (name: string, type: string) =>
  `${xml}<Types xmlns="${formats}/package/2006/content-types"><Override PartName="/${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;

/** A document of Word. @param body the XML of its paragraphs */
export const docxOf = (body: string): Promise<Buffer<ArrayBuffer>> =>
  zipOf({
    '[Content_Types].xml': contentTypes('word/document.xml', 'wordprocessingml.document'),
    'word/document.xml': `${xml}<w:document xmlns:w="${formats}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  });

/** A paragraph of Word. */
export const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** A workbook of Excel with two sheets, the second of which comes first in the archive. @param sheets their rows */
export const xlsxOf = (shared: readonly string[], ...sheets: readonly string[]): Promise<Buffer<ArrayBuffer>> =>
  zipOf({
    '[Content_Types].xml': contentTypes('xl/workbook.xml', 'spreadsheetml.sheet'),
    ...Object.fromEntries(
      sheets
        .map((rows, n) => [
          `xl/worksheets/sheet${9 - n}.xml`,
          `${xml}<worksheet xmlns="${formats}/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
        ])
        .reverse(),
    ),
    'xl/_rels/workbook.xml.rels': relationsOf(sheets.map((_, n) => `worksheets/sheet${9 - n}.xml`)),
    'xl/workbook.xml': `${xml}<workbook xmlns="${formats}/spreadsheetml/2006/main" xmlns:r="${relations}"><sheets>${sheets
      .map((_, n) => `<sheet name="S${n}" sheetId="${n + 1}" r:id="rId${n + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/sharedStrings.xml': `${xml}<sst xmlns="${formats}/spreadsheetml/2006/main">${shared
      .map((text) => `<si><t>${text}</t></si>`)
      .join('')}</sst>`,
  });

/** A presentation of PowerPoint. */
export const pptxOf = (...slides: readonly string[]): Promise<Buffer<ArrayBuffer>> =>
  zipOf({
    '[Content_Types].xml': contentTypes('ppt/presentation.xml', 'presentationml.presentation'),
    'ppt/_rels/presentation.xml.rels': relationsOf(slides.map((_, n) => `slides/slide${9 - n}.xml`)),
    'ppt/presentation.xml': `${xml}<p:presentation xmlns:p="${formats}/presentationml/2006/main" xmlns:r="${relations}"><p:sldIdLst>${slides
      .map((_, n) => `<p:sldId id="${256 + n}" r:id="rId${n + 1}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    ...Object.fromEntries(
      slides.map((text, n) => [
        `ppt/slides/slide${9 - n}.xml`,
        `${xml}<p:sld xmlns:p="${formats}/presentationml/2006/main" xmlns:a="${formats}/drawingml/2006/main"><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`,
      ]),
    ),
  });
