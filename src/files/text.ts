// Finds the text of files.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readOffice } from './office.ts';
import { readPdf } from './pdf.ts';
import {
  type Answer,
  isOffice,
  pdfType,
  type ReadTask,
  type TextPart,
  textFile,
  textLimits,
  UnfitFile,
} from './tasks.ts';

/** How many characters a part of plain text has, about. */
const plainLength = 4000;

/** Writes the text of a file into the folder of its task. */
export async function writeText({ path, folder, mediaType }: ReadTask): Promise<Answer> {
  const output = await open(join(folder, textFile), 'w');
  let [parts, length] = [0, 0];
  const add = async ({ page, text }: TextPart): Promise<boolean> => {
    for (let start = 0; start < text.length && parts < textLimits.parts; start += textLimits.partLength) {
      // A character of two units that is cut would be none.
      const part = storable(text.slice(start, start + textLimits.partLength));
      if (part === '') continue;
      await output.write(`${JSON.stringify({ page, text: part } satisfies TextPart)}\n`);
      [parts, length] = [parts + 1, length + part.length];
    }
    return parts < textLimits.parts && length < textLimits.length;
  };
  try {
    if (mediaType === pdfType) await readPdf(path, add);
    else if (isOffice(mediaType)) await readOffice(path, add);
    else await readPlain(path, add);
    return {};
  } catch (error) {
    return { unfit: error instanceof UnfitFile ? error.message : 'The text of the file cannot be read.' };
  } finally {
    await output.close();
  }
}

/** Text as it is compared and stored, without what PostgreSQL does not store, and without needless space. */
const storable = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zs}]+/gu, (space) => (space.includes('\n') ? '\n' : ' '))
    .trim();

/** The text of a file in UTF-8, in parts that end with a line where they can. */
async function readPlain(path: string, add: (part: TextPart) => Promise<boolean>): Promise<void> {
  let text = '';
  const addBeginning = (): Promise<boolean> => {
    const end = text.length > plainLength ? text.lastIndexOf('\n', plainLength - 1) + 1 || plainLength : text.length;
    const part = { page: null, text: text.slice(0, end) };
    text = text.slice(end);
    return add(part);
  };
  for await (const chunk of createReadStream(path, { encoding: 'utf8' }) as AsyncIterable<string>) {
    text += chunk;
    while (text.length > plainLength) if (!(await addBeginning())) return;
  }
  await addBeginning();
}
