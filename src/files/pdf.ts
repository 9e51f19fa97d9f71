// Reads PDFs. The library and its fonts are loaded with the first one.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type TextPart, UnfitFile } from './tasks.ts';

/** How many bytes an image in a PDF may have, decoded: more than a photo of a phone. */
const maxImagePixels = 100_000_000;

/** Does something with a PDF. @throws UnfitFile when it cannot be read */
async function withPdf<Result>(path: string, use: (pdf: PDFDocumentProxy) => Promise<Result>): Promise<Result> {
  const { getDocument, VerbosityLevel } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const loading = getDocument({
    data: new Uint8Array(await readFile(path)),
    cMapUrl: join(folder, 'cmaps/'),
    standardFontDataUrl: join(folder, 'standard_fonts/'),
    wasmUrl: join(folder, 'wasm/'),
    iccUrl: join(folder, 'iccs/'),
    verbosity: VerbosityLevel.ERRORS,
    maxImageSize: maxImagePixels,
    // Glyphs are drawn by their outlines: nothing of the machine shows.
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
  });
  try {
    return await use(await loading.promise);
  } catch (error) {
    if (error instanceof UnfitFile) throw error;
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw new UnfitFile(isLocked ? 'The PDF is protected by a password.' : 'The PDF cannot be read.');
  } finally {
    await loading.destroy().catch(() => {});
  }
}

/**
 * Draws the first page of a PDF, on white.
 *
 * @param side how many pixels its longer side has
 * @returns a PNG
 * @throws UnfitFile when it cannot be read
 */
export const firstPageOf = (path: string, side: number): Promise<Buffer> =>
  withPdf(path, async (pdf) => {
    const { createCanvas } = await import('@napi-rs/canvas');
    const page = await pdf.getPage(1);
    const { width, height } = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: side / Math.max(width, height) });
    const canvas = createCanvas(Math.max(1, Math.round(viewport.width)), Math.max(1, Math.round(viewport.height)));
    // The library draws on what has the methods of a browser's canvas, as this has.
    await page.render({ canvas: canvas as unknown as HTMLCanvasElement, viewport, background: '#ffffff' }).promise;
    return canvas.toBuffer('image/png');
  });

/** Reads the text of a PDF, page by page, until `add` returns false. @throws UnfitFile when it cannot be read */
export const readPdf = (path: string, add: (part: TextPart) => Promise<boolean>): Promise<void> =>
  withPdf(path, async (pdf) => {
    for (let number = 1; number <= pdf.numPages; number++) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      page.cleanup();
      const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
      if (!(await add({ page: number, text }))) return;
    }
  });
