// Finds the text of Office documents: ZIP archives of XML, which can be made to unpack to any size.
import { promisify } from 'node:util';
import { SaxesParser } from 'saxes';
import { type Entry, open, type ZipFile } from 'yauzl';
import { type TextPart, textLimits, UnfitFile } from './tasks.ts';

/** How many files an archive may have, and how many bytes are unpacked of all that are read. */
const maxFiles = 10_000;
const maxUnpacked = 200_000_000;

/** How many characters a part of a document without pages has, about. */
const partLength = 4000;

const damaged = () => new UnfitFile('The file is damaged or encrypted.');

/** Takes a part. @returns whether more is wanted */
type Add = (part: TextPart) => Promise<boolean>;

/** What is done at the elements of XML; names have no prefix. */
interface Elements {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/**
 * Finds the text of a document, a presentation or a workbook of Office, by what the archive has.
 *
 * @throws UnfitFile for what cannot be read
 */
export async function readOffice(path: string, add: Add): Promise<void> {
  const archive = await Archive.open(path);
  try {
    if (archive.has('word/document.xml')) await readDocument(archive, add);
    else if (archive.has('ppt/presentation.xml')) await readSlides(archive, add);
    else if (archive.has('xl/workbook.xml')) await readSheets(archive, add);
  } finally {
    archive.close();
  }
}

/** The text of a document, in parts that end with a paragraph. */
async function readDocument(archive: Archive, add: Add): Promise<void> {
  for (const name of ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml']) {
    let text = '';
    const parts = paragraphs(archive, name);
    for await (const found of parts) {
      text += found;
      if (text.length < partLength) continue;
      if (!(await add({ page: null, text }))) return;
      text = '';
    }
    if (!(await add({ page: null, text }))) return;
  }
}

/** The text of slides, in their order. */
async function readSlides(archive: Archive, add: Add): Promise<void> {
  for (const [index, name] of (await namesInOrder(archive, 'ppt', 'presentation', 'sldId')).entries()) {
    let text = '';
    for await (const found of paragraphs(archive, name)) text = (text + found).slice(0, textLimits.length);
    if (!(await add({ page: index + 1, text }))) return;
  }
}

/** The values of sheets, in the order of their tabs: cells are apart by tabs, and rows by lines. */
async function readSheets(archive: Archive, add: Add): Promise<void> {
  const shared = await sharedStrings(archive);
  for (const [index, name] of (await namesInOrder(archive, 'xl', 'workbook', 'sheet')).entries()) {
    let [text, type, value, isInside] = ['', '', '', false];
    const elements: Elements = {
      open(element, { t = '' }) {
        if (element === 'c') [type, value] = [t, ''];
        if (element === 'v' || element === 't') isInside = true;
      },
      text(found) {
        if (isInside) value += found;
      },
      close(element) {
        if (element === 'v' || element === 't') isInside = false;
        if (element === 'c') text += `${type === 's' ? (shared[Number(value)] ?? '') : value}\t`;
        if (element === 'row') text += '\n';
      },
    };
    const content = archive.elements(name, elements);
    while (!(await content.next()).done) {
      if (text.length < textLimits.partLength) continue;
      if (!(await add({ page: index + 1, text }))) return;
      text = '';
    }
    if (!(await add({ page: index + 1, text }))) return;
  }
}

/** The texts that cells refer to by number, as many as the text of a file may have. */
async function sharedStrings(archive: Archive): Promise<string[]> {
  const strings: string[] = [];
  let [text, length, isInside] = ['', 0, false];
  const elements: Elements = {
    open(name) {
      if (name === 't') isInside = true;
    },
    text(found) {
      if (isInside) text += found;
    },
    close(name) {
      if (name === 't') isInside = false;
      if (name !== 'si') return;
      length += text.length;
      strings.push(text);
      text = '';
    },
  };
  if (!archive.has('xl/sharedStrings.xml')) return strings;
  const content = archive.elements('xl/sharedStrings.xml', elements);
  while (!(await content.next()).done) if (length + text.length > textLimits.length) break;
  return strings;
}

/** The text of a file of a document or a presentation, in parts, with a line for each paragraph. */
async function* paragraphs(archive: Archive, name: string): AsyncGenerator<string> {
  if (!archive.has(name)) return;
  let [text, isInside] = ['', false];
  const elements: Elements = {
    open(element) {
      if (element === 't') isInside = true;
      if (element === 'tab' || element === 'br') text += element === 'tab' ? '\t' : '\n';
    },
    text(found) {
      if (isInside) text += found;
    },
    close(element) {
      if (element === 't') isInside = false;
      if (element === 'p') text += '\n';
    },
  };
  const content = archive.elements(name, elements);
  while (!(await content.next()).done) {
    const end = text.lastIndexOf('\n') + 1 || (text.length > textLimits.partLength ? text.length : 0);
    if (end > 0) yield text.slice(0, end);
    text = text.slice(end);
  }
  yield text;
}

/** The names of the files that a main file lists, in its order. */
async function namesInOrder(archive: Archive, folder: string, main: string, element: string): Promise<string[]> {
  const targets = new Map<string, string>();
  await archive.whole(`${folder}/_rels/${main}.xml.rels`, {
    open(name, { Id, Target }) {
      if (name === 'Relationship' && Id && Target)
        targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `${folder}/${Target}`);
    },
  });
  const names: string[] = [];
  await archive.whole(`${folder}/${main}.xml`, {
    open(name, attributes) {
      const target = name === element ? targets.get(attributes['r:id'] ?? '') : undefined;
      if (target !== undefined && archive.has(target)) names.push(target);
    },
  });
  return names.slice(0, textLimits.parts);
}

const openZip = promisify<string, { lazyEntries: true; autoClose: false }, ZipFile>(open);

type Done = (error: Error | null, content: NodeJS.ReadableStream) => void;

/** An archive that is read within bounds. */
class Archive {
  private unpacked = 0;

  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  static async open(path: string): Promise<Archive> {
    const zip = await openZip(path, { lazyEntries: true, autoClose: false }).catch(() => {
      throw damaged();
    });
    if (zip.entryCount > maxFiles) throw new UnfitFile(`The file has more than ${maxFiles} parts.`);
    const entries = new Map<string, Entry>();
    try {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
    } catch {
      throw damaged();
    }
    return new Archive(zip, entries);
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  close(): void {
    this.zip.close();
  }

  /** Reads all of a file of XML. There may be none. */
  async whole(name: string, elements: Elements): Promise<void> {
    const content = this.elements(name, elements);
    while (!(await content.next()).done);
  }

  /**
   * Reads a file of XML; the iterator pauses after each part of it. The parser knows no entities of a document type, so
   * none expands.
   */
  async *elements(name: string, { open: onOpen, text, close }: Elements): AsyncGenerator<void> {
    const entry = this.entries.get(name);
    if (!entry) return;
    const parser = new SaxesParser({ xmlns: false });
    const local = (full: string) => full.slice(full.indexOf(':') + 1);
    parser.on('opentag', (tag) => onOpen?.(local(tag.name), tag.attributes));
    parser.on('closetag', (tag) => close?.(local(tag.name)));
    if (text) parser.on('text', text);
    parser.on('doctype', () => {
      throw damaged();
    });
    parser.on('error', () => {
      throw damaged();
    });
    const decoder = new TextDecoder();
    try {
      const read = promisify(this.zip.openReadStream.bind(this.zip) as (entry: Entry, done: Done) => void);
      for await (const part of (await read(entry)) as AsyncIterable<Buffer>) {
        this.unpacked += part.length;
        if (this.unpacked > maxUnpacked)
          throw new UnfitFile(`The file is larger than ${maxUnpacked / 1_000_000} MB when it is unpacked.`);
        parser.write(decoder.decode(part, { stream: true }));
        yield;
      }
    } catch (error) {
      throw error instanceof UnfitFile ? error : damaged();
    }
    parser.close();
  }
}
