// What the process for files does.

/** The sizes of previews, with the most pixels that a side has. */
export const previewSizes = { small: 96, medium: 480, large: 1600 } as const;

/** A size of previews. */
export type PreviewSize = keyof typeof previewSizes;

// As they are declared.
export const sizesOfPreviews = Object.keys(previewSizes) as readonly PreviewSize[];

/** The media type of PDFs. */
export const pdfType = 'application/pdf';

/**
 * A task with the file at `path`. `previews` makes its previews, as files in `folder` that have the names of the sizes;
 * `text` finds its text, as lines of JSON in the file `textFile` there, each a `TextPart`.
 */
export interface ReadTask {
  readonly does: 'previews' | 'text';
  readonly path: string;
  readonly mediaType: string;
  readonly folder: string;
}

/** A task that writes the image at `path` anew, as JPEG. */
export interface RewriteTask extends ImageSize {
  readonly does: 'rewrite';
  readonly path: string;
  readonly to: string;
}

/** A task of the process. */
export type Task = ReadTask | RewriteTask;

/** The size of an image that is written anew. */
export interface ImageSize {
  /** The most pixels that a side has. */
  readonly side: number;
  /** Whether it is cut to a square, of that size; others are never larger than they were. */
  readonly isSquare: boolean;
}

/** The file in a task's folder with the text that was found. */
export const textFile = 'text';

/** What became of a task: `unfit` says what is wrong with the file. */
export interface Answer {
  readonly unfit?: string;
}

/** A part of a file's text: a page, a slide or a sheet, or a part of one that is long. */
export interface TextPart {
  /** The number of the page, slide or sheet, from 1; null where the file has none. */
  readonly page: number | null;
  readonly text: string;
}

/** How much of a file's text is found: characters of a part, and parts and characters of a file. */
export const textLimits = { partLength: 20_000, parts: 2000, length: 4_000_000 } as const;

/** The documents of Office. */
const officeTypes = ['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'];

/** Whether files of a type can be documents of Office: some are known as archives alone, by their first bytes. */
export const isOffice = (mediaType: string): boolean =>
  mediaType === 'application/zip' ||
  officeTypes.some((type) => mediaType === `application/vnd.openxmlformats-officedocument.${type}`);

/** What is read as it is. */
const plainTypes = ['application/json', 'text/calendar', 'text/csv', 'text/markdown', 'text/plain', 'text/vcard'];

/** Whether files of a type can have text that is found. */
export const hasText = (mediaType: string): boolean =>
  mediaType === pdfType || isOffice(mediaType) || plainTypes.includes(mediaType);

/** A file with which a task cannot be done, now or later. The message says why, to people. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile';
}
