// What a file is, by its first bytes.

/** How many bytes tell what a file is. */
export const headBytes = 4100;

/** What a file may be that is text, by the end of its name: programs tell these apart, not their bytes. */
const textTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  ics: 'text/calendar',
  json: 'application/json',
  md: 'text/markdown',
  txt: 'text/plain',
  vcf: 'text/vcard',
};

/** Media types that a browser may show in our pages: they run nothing. */
const shownInline = [
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/plain',
  'audio/mpeg',
  'audio/mp4',
  'audio/ogg',
  'audio/wav',
  'video/mp4',
  'video/webm',
];

/** Whether a browser may show a file rather than store it. */
export const isShownInline = (mediaType: string): boolean => shownInline.includes(mediaType);

/** Whether a browser may show a file on a host that has nothing else: its viewer may run what the file has. */
export const isShownApart = (mediaType: string): boolean => mediaType === 'application/pdf';

/**
 * Finds out what a file is. Its content decides; only what is text may be told apart by its name.
 *
 * @param head its first bytes
 * @returns a media type
 */
export async function mediaTypeOf(head: Uint8Array, name: string): Promise<string> {
  // Loaded with the first file, as it takes as long as a tenth of the start.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  if (found && found.mime !== 'application/xml') return found.mime;
  const text = textOf(head);
  if (text === undefined) return 'application/octet-stream';
  const start = text.slice(0, 1000).toLowerCase();
  if (/<svg[\s>]/.test(start)) return 'image/svg+xml';
  if (/^\s*(<!doctype html|<html|<head|<body|<script)/.test(start)) return 'text/html';
  if (found || /^\s*<\?xml/.test(start)) return 'application/xml';
  return textTypes[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain';
}

/** The text of bytes in UTF-8 without control characters; undefined for others. */
function textOf(head: Uint8Array): string | undefined {
  try {
    // The last character may be cut off.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: head.length >= headBytes });
    return /\p{Cc}/u.test(text.replaceAll(/[\t\n\f\r]/g, '')) ? undefined : text;
  } catch {
    return undefined;
  }
}
