import type { FastifyInstance } from 'fastify';
import { badRequest, ServiceError } from '../errors.ts';
import { findDuplicateName } from '../input/index.ts';

/** Maximum size (bytes) of a request body where no caller is required: signing in, guests, unknown addresses. */
export const publicBodyLimit = 16 * 1024;

/** Maximum size (bytes) of the body of a caller's request. */
export const bodyLimit = 1024 * 1024;

/**
 * Maximum nesting depth of a body, far more than any of ours needs: code that recurses deeper would overflow the stack.
 */
const maxDepth = 100;

/**
 * Maximum number of values in a body, several times that of the largest batch: each value costs time in every later
 * step.
 */
const maxValues = 50_000;

/** Other parameters of the media type are ignored. */
const jsonInUtf8 = /^application\/([\w.-]+\+)?json\s*(;(\s*charset="?utf-?8"?\s*|(?!\s*charset)[^;]*))*$/i;

/** Accepts only uncompressed JSON bodies in UTF-8. An empty body counts as no body. */
export function readJsonOnly(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(jsonInUtf8, { parseAs: 'buffer' }, ({ headers }, body, done) => {
    if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
      return done(new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.'));
    }
    // Fastify's types do not derive the body's type from `parseAs`.
    const bytes = body as Buffer;
    const problem = findExcess(bytes);
    if (problem) return done(badRequest(problem));
    let read: unknown;
    let duplicate: string | undefined;
    try {
      const text = utf8.decode(bytes);
      read = text === '' ? undefined : JSON.parse(text);
      duplicate = findDuplicateName(text);
    } catch {
      return done(badRequest('The body is not valid JSON in UTF-8.'));
    }
    if (duplicate !== undefined)
      return done(badRequest(`The body has an object with the duplicate name ${duplicate}.`));
    done(null, read);
  });
}

const [quote, backslash, comma] = Buffer.from('"\\,');
const opening = Buffer.from('[{');
const closing = Buffer.from(']}');

/** Whether JSON nests too deeply or has too many values. It is scanned rather than parsed, to avoid that work. */
function findExcess(text: Buffer): string | undefined {
  let depth = 0;
  let values = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte === quote) isString = !isString;
    else if (isString) at += byte === backslash ? 1 : 0;
    else if (byte === comma) values += 1;
    else if (closing.includes(byte)) depth -= 1;
    else if (opening.includes(byte)) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) return `The body is nested more than ${maxDepth} levels deep.`;
    }
    if (values > maxValues) return `The body has more than ${maxValues} values.`;
  }
  return undefined;
}
