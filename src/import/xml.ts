import { SaxesParser } from 'saxes';
import { maxRowLength, refuseFile } from './table.ts';

/** The attributes of an element. */
export type Attributes = Readonly<Record<string, string>>;

/** What is done at the elements of a file of XML; names have no prefix. */
export interface ElementHandler {
  readonly open?: (name: string, attributes: Attributes) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/**
 * Reads XML in parts, within bounds: nothing in it may be longer than a row. Entities of a document type are unknown to
 * the parser, so none expands.
 *
 * @returns an iterator that ends with the file, and pauses after each part of it
 * @throws ServiceError for what is no XML
 */
export async function* readXml(parts: AsyncIterable<string>, { open, text, close }: ElementHandler) {
  const parser = new SaxesParser({ xmlns: false });
  let [length, last] = [0, 0];
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  parser.on('opentag', ({ name, attributes }) => {
    last = length;
    open?.(local(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    last = length;
    close?.(local(name));
  });
  parser.on('text', (found) => text?.(found));
  parser.on('doctype', () => {
    throw refuseFile('has a document type, which spreadsheets have not');
  });
  parser.on('error', () => {
    throw refuseFile('is a spreadsheet whose XML is damaged');
  });
  for await (const part of parts) {
    length += part.length;
    parser.write(part);
    if (length - last > maxRowLength + part.length)
      throw refuseFile(`has a cell of more than ${maxRowLength} characters`);
    yield;
  }
  parser.close();
}

/** Reads all of a file of XML, as `readXml` does. */
export async function readWholeXml(parts: AsyncIterable<string>, handler: ElementHandler): Promise<void> {
  const content = readXml(parts, handler);
  while (!(await content.next()).done);
}
