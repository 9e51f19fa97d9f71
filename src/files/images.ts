import { join } from 'node:path';
import type { Sharp } from 'sharp';
import { firstPageOf } from './pdf.ts';
import {
  type Answer,
  type PreviewSize,
  pdfType,
  previewSizes,
  type ReadTask,
  type RewriteTask,
  UnfitFile,
} from './tasks.ts';

/** How many pixels an image may have: more than the cameras of phones take. */
const maxPixels = 210_000_000;

/** What reads the images that have previews; nothing else of the library reads what strangers have sent. */
const loaders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}`);

/**
 * Makes the previews of a task's file: of an image, upright, in the colours of screens, and without what else cameras
 * write into images, such as the place; or of the first page of a PDF.
 */
export async function makePreviews({ path, folder, mediaType }: ReadTask): Promise<Answer> {
  const sharp = await loadSharp();
  const write = (image: Sharp, size: PreviewSize) =>
    image
      .resize({ width: previewSizes[size], height: previewSizes[size], fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toFile(join(folder, size));
  return attempt(async () => {
    const source = mediaType === pdfType ? await firstPageOf(path, previewSizes.large) : path;
    await write(sharp(source, reading).autoOrient(), 'large');
    for (const size of ['medium', 'small'] as const) await write(sharp(join(folder, 'large')), size);
  });
}

/** Writes an image anew, so that nothing is left of it but what people see. */
export async function rewriteImage({ path, to, side, isSquare }: RewriteTask): Promise<Answer> {
  const sharp = await loadSharp();
  return attempt(async () => {
    await sharp(path, reading)
      .autoOrient()
      .resize({ width: side, height: side, fit: isSquare ? 'cover' : 'inside', withoutEnlargement: !isSquare })
      .flatten({ background: 'white' })
      .jpeg({ quality: 85 })
      .toFile(to);
  });
}

/** How images of strangers are read. */
const reading = { limitInputPixels: maxPixels, failOn: 'error' } as const;

async function loadSharp() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: loaders });
  return sharp;
}

/** Works on an image. @returns what is wrong with it, where that fails */
async function attempt(work: () => Promise<void>): Promise<Answer> {
  try {
    await work();
    return {};
  } catch (error) {
    if (error instanceof UnfitFile) return { unfit: error.message };
    const isTooLarge = error instanceof Error && error.message.includes('pixel limit');
    return { unfit: isTooLarge ? 'The image has more than 210 million pixels.' : 'The image cannot be read.' };
  }
}
