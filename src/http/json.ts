import type { FastifyInstance } from 'fastify';
import { badRequest, ServiceError } from '../errors.ts';
import { findDuplicateName } from '../input/index.ts';
import { parseJson } from '../json.ts';

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
    const { problem, hasLongNumbers } = inspect(bytes);
    if (problem) return done(badRequest(problem));
    let read: unknown;
    let duplicate: string | undefined;
    try {
      const text = utf8.decode(bytes);
      read = text === '' ? undefined : parseJson(text, hasLongNumbers);
      duplicate = findDuplicateName(text);
    } catch {
      return done(badRequest('The body is not valid JSON in UTF-8.'));
    }
    if (duplicate !== undefined)
      return done(badRequest(`The body has an object with the duplicate name ${duplicate}.`));
    done(null, read);
  });
}

const [quote, backslash, comma, openBracket, openBrace, closeBracket, closeBrace] = Buffer.from('"\\,[{]}');
const [dot, nine, lowerE] = ['.', '9', 'e'].map((character) => character.charCodeAt(0)) as [number, number, number];
const lowerCase = 0x20;

/** The digits that every double has. */
const digitsOfDoubles = 15;

/** What is known of a body before it is parsed. */
interface Inspection {
  /** What is wrong with JSON that nests too deeply or has too many values. */
  readonly problem?: string;
  /** Whether it may have numbers that a double does not hold. */
  readonly hasLongNumbers: boolean;
}

/** Scans JSON rather than parsing it, to avoid that work where there is too much of it. */
function inspect(text: Buffer): Inspection {
  let depth = 0;
  let values = 0;
  let isString = false;
  let hasLongNumbers = false;
  /** The digits and the point of the number so far. */
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0;
    if (byte === quote) isString = !isString;
    else if (isString) at += byte === backslash ? 1 : 0;
    // These are the digits, the point, and a slash, which is not in JSON.
    else if (byte >= dot && byte <= nine) hasLongNumbers ||= ++length > digitsOfDoubles;
    else {
      hasLongNumbers ||= length > 0 && (byte | lowerCase) === lowerE;
      length = 0;
      if (byte === comma) values += 1;
      else if (byte === closeBracket || byte === closeBrace) depth -= 1;
      else if (byte === openBracket || byte === openBrace) {
        values += 1;
        depth += 1;
        if (depth > maxDepth)
          return { problem: `The body is nested more than ${maxDepth} levels deep.`, hasLongNumbers };
      }
      if (values > maxValues) return { problem: `The body has more than ${maxValues} values.`, hasLongNumbers };
    }
  }
  return { hasLongNumbers };
}
