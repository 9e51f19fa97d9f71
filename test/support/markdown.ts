/** A fenced code block. */
export interface Fence {
  readonly language: string;
  /** The rest of the first line, after the language. */
  readonly note: string;
  readonly content: string;
  /** The file to write the block to: the line before it ends with the file's name in backticks and a colon. */
  readonly file?: string;
}

/** The fenced blocks of a page, in order. */
export function fences(text: string): Fence[] {
  return [...text.matchAll(/^(?:(?<before>\S.*)\n+)?```(?<language>\w*) ?(?<note>.*)\n(?<content>[^]*?)^```$/gm)].map(
    ({ groups = {} }) => ({
      language: groups['language'] ?? '',
      note: groups['note'] ?? '',
      content: groups['content'] ?? '',
      file: /`([\w./-]+\.\w+)`:$/.exec(groups['before'] ?? '')?.[1],
    }),
  );
}

/** The content of a block, with `http://localhost:4000` replaced by another origin. */
export const at = (origin: string, content: string) => content.replaceAll('http://localhost:4000', origin);

/** Replaces ids, times, days, cursors and ETags, which differ from run to run, by placeholders. */
const masked = (text: string) =>
  text
    .replace(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, '<id>')
    .replace(/\b\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
    .replace(/\b\d{4}-\d{2}-\d{2}\b/g, '<day>')
    .replace(/"[\w-]{22}"/g, '"<etag>"')
    .replace(/(?<![\w-])[\w-]{64,}/g, '<cursor>');

/** A pattern for a text in which "…" matches any text, or any lines if it is a line by itself. */
const pattern = (shown: string) => {
  const parts = shown.split(/(^…\n|…)/m);
  const allowed = parts.map((part) =>
    part === '…' ? '.*?' : part === '…\n' ? '(?:.*\n)*?' : part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'),
  );
  return new RegExp(`^${allowed.join('')}$`);
};

/**
 * Whether a command's output matches the text of a page. Ignores trailing spaces, and numbers where the text is an
 * example.
 */
export function isText(printed: string, shown: string, example = false): boolean {
  const comparable = (text: string) => {
    const lines = masked(`${text.replace(/[ \r]+$/gm, '').trimEnd()}\n`);
    return example ? lines.replace(/\d+(\.\d+)?/g, '<number>') : lines;
  };
  return pattern(comparable(shown)).test(comparable(printed));
}

/**
 * Whether a value matches one of a page. `"…"` matches any value; as the last element of a list, any further elements;
 * as a name, any other fields.
 */
export function isValue(value: unknown, shown: unknown): boolean {
  if (shown === '…') return true;
  if (typeof shown === 'string') return typeof value === 'string' && pattern(masked(shown)).test(masked(value));
  if (Array.isArray(shown)) {
    const open = shown.at(-1) === '…';
    const first = open ? shown.slice(0, -1) : shown;
    return (
      Array.isArray(value) &&
      (open || value.length === first.length) &&
      first.every((each, index) => isValue(value[index], each))
    );
  }
  if (typeof shown !== 'object' || shown === null) return value === shown;
  if (typeof value !== 'object' || value === null) return false;
  const { '…': open, ...fields } = shown as Record<string, unknown>;
  const had = value as Record<string, unknown>;
  return (
    (open !== undefined || Object.keys(had).length === Object.keys(fields).length) &&
    Object.entries(fields).every(([name, field]) => name in had && isValue(had[name], field))
  );
}
