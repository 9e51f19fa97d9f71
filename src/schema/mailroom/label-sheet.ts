// Draws labels with QR codes on sheets of paper. The libraries are loaded with the first sheet.
import { setImmediate } from 'node:timers/promises';
import type { PDFFont, PDFPage } from '@cantoo/pdf-lib';

/** A label. */
export interface Label {
  readonly title: string;
  /** Further lines, in small print. */
  readonly lines: readonly string[];
  /** What its code leads to. */
  readonly address: string;
}

/** A size in points. */
interface Size {
  readonly width: number;
  readonly height: number;
}

const points = { mm: 72 / 25.4, cm: 72 / 2.54, in: 72 } as const;
const paper: Size = { width: 210 * points.mm, height: 297 * points.mm };
const margin = 8 * points.mm;

/** The size of labels whose template has none: three columns of eight. */
const defaultSize: Size = { width: 63 * points.mm, height: 34 * points.mm };

/** The smallest and the largest side of a label (points). */
const [minSide, maxSide] = [15 * points.mm, 300 * points.mm];

/** Width × height, such as `4x6`, `63 x 34 mm` or `2.5x1in`. */
const sizeForm = /^\s*(\d+(?:[.,]\d+)?)\s*(?:[x×*]|by)\s*(\d+(?:[.,]\d+)?)\s*(mm|cm|in|inch|inches|")?\s*$/i;

/**
 * The size that a template says; without a unit, small numbers are inches.
 *
 * @returns undefined for a text that is no size, or one that cannot be printed
 */
export function labelSizeOf(text: string | null): Size | undefined {
  if (text === null) return defaultSize;
  const [, first, second, given] = sizeForm.exec(text) ?? [];
  if (first === undefined || second === undefined) return undefined;
  const [width, height] = [first, second].map((side) => Number(side.replace(',', '.'))) as [number, number];
  const unit = given === undefined ? (Math.max(width, height) <= 12 ? 'in' : 'mm') : given.toLowerCase();
  const factor = unit === 'mm' || unit === 'cm' ? points[unit] : points.in;
  const size = { width: width * factor, height: height * factor };
  const fits = Object.values(size).every((side) => side >= minSide && side <= maxSide);
  return fits ? size : undefined;
}

/** Draws labels on sheets of A4, or each on a page of its own where they do not fit. @returns a PDF */
export async function drawLabels(labels: readonly Label[], size: Size): Promise<Uint8Array> {
  const { PDFDocument, StandardFonts } = await import('@cantoo/pdf-lib');
  const pdf = await PDFDocument.create();
  const fonts = {
    title: await pdf.embedFont(StandardFonts.HelveticaBold),
    line: await pdf.embedFont(StandardFonts.Helvetica),
  };
  const columns = Math.floor((paper.width - 2 * margin) / size.width);
  const rows = Math.floor((paper.height - 2 * margin) / size.height);
  const isSheet = columns > 0 && rows > 0;
  const perPage = isSheet ? columns * rows : 1;
  let page: PDFPage | undefined;
  for (const [n, label] of labels.entries()) {
    // A code takes some milliseconds: other requests have their turn.
    await setImmediate();
    const place = n % perPage;
    if (!page || place === 0) page = pdf.addPage(isSheet ? [paper.width, paper.height] : [size.width, size.height]);
    const left = isSheet ? margin + (place % columns) * size.width : 0;
    const top = isSheet ? paper.height - margin - Math.floor(place / columns) * size.height : size.height;
    await drawLabel(page, label, { left, top, ...size }, fonts);
  }
  return pdf.save();
}

interface Box extends Size {
  readonly left: number;
  readonly top: number;
}

async function drawLabel(
  page: PDFPage,
  { title, lines, address }: Label,
  { left, top, width, height }: Box,
  fonts: Readonly<Record<'title' | 'line', PDFFont>>,
): Promise<void> {
  const padding = Math.min(width, height) * 0.07;
  const isWide = width >= height;
  // Beside the text on a wide label, above it on a high one.
  const side = isWide ? Math.min(height - 2 * padding, width * 0.5) : Math.min(width - 2 * padding, height * 0.6);
  await drawCode(page, address, { x: left + padding, y: top - padding, side });
  const text = isWide
    ? { x: left + padding * 2 + side, y: top - padding, width: width - side - 3 * padding }
    : { x: left + padding, y: top - side - 2 * padding, width: width - 2 * padding };
  const bottom = top - height + padding;
  const largest = Math.max(6, Math.min(14, height / 8));
  let { y } = text;
  for (const [font, size, given] of [
    [fonts.title, largest, title] as const,
    ...lines.map((line) => [fonts.line, largest * 0.75, line] as const),
  ]) {
    for (const line of wrap(printable(font, given), text.width, size, font)) {
      y -= size * 1.2;
      if (y < bottom) return;
      page.drawText(line, { x: text.x, y, size, font });
    }
  }
}

/** Draws a QR code as one path, with the margin that readers need. */
async function drawCode(page: PDFPage, address: string, { x, y, side }: { x: number; y: number; side: number }) {
  const [{ default: barcodes }, { rgb }] = await Promise.all([import('bwip-js/node'), import('@cantoo/pdf-lib')]);
  const [code] = barcodes.raw('qrcode', address, 'eclevel=M');
  if (!code || !('pixs' in code)) throw new Error('A QR code has no modules.');
  const { pixs, pixx, pixy } = code;
  const quiet = 2;
  const runs: string[] = [];
  for (let row = 0; row < pixy; row++)
    for (let from = 0; from < pixx; from++) {
      let to = from;
      while (to < pixx && pixs[row * pixx + to] === 1) to++;
      if (to > from) runs.push(`M${from + quiet} ${row + quiet}h${to - from}v1h${from - to}z`);
      from = to;
    }
  page.drawSvgPath(runs.join(''), { x, y, scale: side / (pixx + 2 * quiet), color: rgb(0, 0, 0) });
}

/** A text as a font of every reader can print it: other letters are question marks. */
function printable(font: PDFFont, text: string): string {
  const known = new Set(font.getCharacterSet());
  return [...text.replaceAll(/\s+/g, ' ')]
    .map((letter) => (known.has(letter.codePointAt(0) ?? 0) ? letter : '?'))
    .join('');
}

/** Breaks a text into lines, between words where it can. */
function wrap(text: string, width: number, size: number, font: PDFFont): string[] {
  const fits = (line: string) => font.widthOfTextAtSize(line, size) <= width;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    // At most a few hundred letters.
    for (const letter of word) {
      if (line !== '' && !fits(line + letter)) {
        lines.push(line);
        line = '';
      }
      line += letter;
    }
  }
  return line === '' ? lines : [...lines, line];
}
