// Reads spreadsheets by what ECMA-376 says, with a ZIP reader and an XML parser that do not know our writer.
import { promisify } from 'node:util';
import { SaxesParser } from 'saxes';
import { fromBuffer, type ZipFile } from 'yauzl';

/** A cell as it is stored. */
export interface StoredCell {
  readonly type: 'text' | 'number' | 'boolean';
  /** Its text, or its number in digits. */
  readonly value: string;
  /** The code of its number format, such as `yyyy\-mm\-dd`. */
  readonly format: string;
  readonly isQuoted: boolean;
}

/** The sheets by their names: rows of cells, by the letters of their columns. */
export type Sheets = ReadonlyMap<string, readonly ReadonlyMap<string, StoredCell>[]>;

const open = promisify<Buffer, { lazyEntries: true }, ZipFile>(fromBuffer);

/** The files of an archive, whose sizes and checksums are right. */
export async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await open(bytes, { lazyEntries: true });
  const files = new Map<string, string>();
  const read = promisify(zip.openReadStream.bind(zip));
  for await (const entry of zip.eachEntry()) {
    const parts: Buffer[] = [];
    for await (const part of await read(entry)) parts.push(part as Buffer);
    files.set(entry.fileName, Buffer.concat(parts).toString('utf8'));
  }
  return files;
}

type Attributes = Readonly<Record<string, string>>;

/** Calls back for the elements of well-formed XML. @throws Error for any other text */
function walk(
  xml: string,
  open: (name: string, attributes: Attributes) => void,
  close: (name: string, text: string) => void,
) {
  const parser = new SaxesParser({ xmlns: false });
  let text = '';
  parser.on('opentag', ({ name, attributes }) => {
    text = '';
    open(name, attributes);
  });
  parser.on('text', (part) => (text += part));
  parser.on('closetag', ({ name }) => {
    close(name, text);
    text = '';
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
}

/** The text of a cell, in which `_x0001_` stands for a character. */
const decode = (text: string) =>
  text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const file = (files: ReadonlyMap<string, string>, name: string): string => {
  const found = files.get(name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
};

/** Reads a spreadsheet. */
export async function readXlsx(bytes: Buffer): Promise<Sheets> {
  const files = await unzip(bytes);
  for (const xml of files.values())
    walk(
      xml,
      () => {},
      () => {},
    );
  const types = file(files, '[Content_Types].xml');
  const targets = new Map<string, string>();
  walk(
    file(files, 'xl/_rels/workbook.xml.rels'),
    (name, { Id = '', Target = '' }) => void (name === 'Relationship' && targets.set(Id, Target)),
    () => {},
  );
  const styles = readStyles(file(files, 'xl/styles.xml'));
  const sheets = new Map<string, Map<string, StoredCell>[]>();
  walk(
    file(files, 'xl/workbook.xml'),
    (element, attributes) => {
      if (element !== 'sheet') return;
      const path = `xl/${targets.get(attributes['r:id'] ?? '')}`;
      const isNamed = types.includes(`PartName="/${path}"`);
      if (isNamed || !/Extension="xml" ContentType="[^"]*worksheet\+xml"/.test(types))
        throw new Error(`${path} is no sheet`);
      sheets.set(attributes['name'] ?? '', readSheet(file(files, path), styles));
    },
    () => {},
  );
  return sheets;
}

interface Style {
  readonly format: string;
  readonly isQuoted: boolean;
}

function readStyles(xml: string): readonly Style[] {
  const codes = new Map([['0', 'General']]);
  const styles: Style[] = [];
  let isOfCells = false;
  walk(
    xml,
    (name, { numFmtId = '', formatCode = '', quotePrefix }) => {
      if (name === 'numFmt') codes.set(numFmtId, formatCode);
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'xf' && isOfCells) styles.push({ format: codes.get(numFmtId) ?? '', isQuoted: quotePrefix === '1' });
    },
    (name) => void (name === 'cellXfs' && (isOfCells = false)),
  );
  return styles;
}

function readSheet(xml: string, styles: readonly Style[]): Map<string, StoredCell>[] {
  const rows: Map<string, StoredCell>[] = [];
  let cell: Attributes = {};
  walk(
    xml,
    (name, attributes) => {
      if (name === 'f') throw new Error('there is a formula');
      if (name === 'c') cell = attributes;
      if (name !== 'row') return;
      rows.push(new Map());
      if (Number(attributes['r']) !== rows.length) throw new Error(`row ${attributes['r']} is not ${rows.length}`);
    },
    (name, text) => {
      if (name !== 'v' && name !== 't') return;
      const [, letters = '', row] = /^([A-Z]+)(\d+)$/.exec(cell['r'] ?? '') ?? [];
      if (Number(row) !== rows.length) throw new Error(`${cell['r']} is in row ${rows.length}`);
      const type = cell['t'] === 'inlineStr' ? 'text' : cell['t'] === 'b' ? 'boolean' : 'number';
      const style = styles[Number(cell['s'] ?? 0)];
      if (!style) throw new Error(`${cell['r']} has no style`);
      rows.at(-1)?.set(letters, { type, value: type === 'text' ? decode(text) : text, ...style });
    },
  );
  return rows;
}

/** A number of days since 1899-12-30 as the clock that it shows, in ISO 8601 without an offset. */
export const clockOf = (serial: string): string =>
  new Date(Math.round((Number(serial) - 25_569) * 86_400_000)).toISOString().slice(0, -1);

/** The cells of a sheet by the names in its first row. */
export function recordsOf(rows: readonly ReadonlyMap<string, StoredCell>[] = []): {
  readonly header: readonly string[];
  readonly records: readonly Readonly<Record<string, StoredCell>>[];
} {
  const [first, ...others] = rows;
  const names = [...(first ?? new Map<string, StoredCell>())].map(([letters, { value }]) => [letters, value] as const);
  return {
    header: names.map(([, name]) => name),
    records: others.map((row) =>
      Object.fromEntries(
        names.flatMap(([letters, name]) => {
          const cell = row.get(letters);
          return cell ? [[name, cell]] : [];
        }),
      ),
    ),
  };
}
