// Spreadsheets (ECMA-376): the rows of the first sheet that is shown.
import { SheetArchive } from './archive.ts';
import { readSheet } from './sheet.ts';
import type { ByteSource } from './source.ts';
import { checkHeader, type FileRow, type FileTable, refuseFile } from './table.ts';
import { readWholeXml } from './xml.ts';

/** How much text the cells of a workbook may share: it is held in memory. */
const maxSharedLength = 16_000_000;

/** Opens a spreadsheet. @throws ServiceError for what is none */
export async function openXlsx(source: ByteSource): Promise<FileTable> {
  const archive = await SheetArchive.open(source);
  if (!archive.has('xl/workbook.xml'))
    throw refuseFile('is a ZIP archive, but no spreadsheet of the format XLSX: save it as XLSX or CSV');
  const { sheet, path, dayShift } = await findSheet(archive);
  const [shared, dateStyles] = [await readShared(archive), await readDateStyles(archive)];
  const all = () => readSheet(archive.read(path), { shared, dateStyles, dayShift });
  let header: readonly string[] = [];
  for await (const { cells } of all()) {
    const names = cells.map((cell) =>
      cell && 'text' in cell ? cell.text.trim() : cell && 'number' in cell ? cell.number : '',
    );
    header = names.slice(0, names.findLastIndex((name) => name !== '') + 1);
    break;
  }
  checkHeader(header);
  return {
    detected: { format: 'xlsx', sheet },
    header,
    async *rows(): AsyncGenerator<FileRow> {
      let isHeader = true;
      for await (const row of all()) {
        // Rows that were emptied stay in a sheet.
        if (!isHeader && row.cells.some((cell) => cell !== null)) yield row;
        isHeader = false;
      }
    },
  };
}

async function findSheet(archive: SheetArchive) {
  const sheets: { name: string; id: string }[] = [];
  let dayShift = 0;
  await readAll(archive, 'xl/workbook.xml', (name, attributes) => {
    if (name === 'workbookPr' && ['1', 'true'].includes(attributes['date1904'] ?? '')) dayShift = 1462;
    if (name === 'sheet' && (attributes['state'] ?? 'visible') === 'visible')
      sheets.push({ name: attributes['name'] ?? '', id: attributes['r:id'] ?? '' });
  });
  const [first] = sheets;
  if (!first) throw refuseFile('has no sheet that is shown');
  const targets = new Map<string, string>();
  await readAll(archive, 'xl/_rels/workbook.xml.rels', (name, attributes) => {
    if (name === 'Relationship') targets.set(attributes['Id'] ?? '', attributes['Target'] ?? '');
  });
  const target = targets.get(first.id);
  if (target === undefined) throw refuseFile('has a sheet without a file');
  return { sheet: first.name, path: target.startsWith('/') ? target.slice(1) : `xl/${target}`, dayShift };
}

async function readAll(
  archive: SheetArchive,
  path: string,
  open: (name: string, attributes: Readonly<Record<string, string>>) => void,
): Promise<void> {
  await readWholeXml(archive.read(path), { open });
}

async function readShared(archive: SheetArchive): Promise<readonly string[]> {
  if (!archive.has('xl/sharedStrings.xml')) return [];
  const shared: string[] = [];
  let [text, isText, isPhonetic, length] = ['', false, false, 0];
  await readWholeXml(archive.read('xl/sharedStrings.xml'), {
    open(name) {
      if (name === 'si') text = '';
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    text(found) {
      if (isText) text += found;
    },
    close(name) {
      isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name !== 'si') return;
      length += text.length + 16;
      if (length > maxSharedLength)
        throw refuseFile(`has more than ${maxSharedLength} characters of different texts: save it as CSV`);
      shared.push(text);
    },
  });
  return shared;
}

/** The numbers of the formats of dates that need no code. */
const isDateFormat = (id: number) => (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58);

async function readDateStyles(archive: SheetArchive): Promise<boolean[]> {
  if (!archive.has('xl/styles.xml')) return [];
  const codes = new Map<number, string>();
  const styles: boolean[] = [];
  let isCells = false;
  await readWholeXml(archive.read('xl/styles.xml'), {
    open(name, attributes) {
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') codes.set(id, attributes['formatCode'] ?? '');
      if (name === 'cellXfs') isCells = true;
      if (name === 'xf' && isCells) {
        const code = codes.get(id);
        styles.push(code === undefined ? isDateFormat(id) : hasDate(code));
      }
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return styles;
}

/** Whether the code of a format shows a part of a date, outside its texts, colors and conditions. */
const hasDate = (code: string) => /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]|General/gi, ''));
