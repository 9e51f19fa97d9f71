import { randomFillSync } from 'node:crypto';
import { isIP } from 'node:net';

/** Whether a value is written as a uuid, in any letter case. */
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);

/** An id that no row has. */
export const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Finds characters that cannot be stored. @returns what is wrong with a text; undefined for a good one */
export function findCharacterError(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain NUL';
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

/**
 * The text as it is stored and compared: Unicode has several spellings of characters such as é, of which this is the
 * shortest (normalization form C).
 */
export const normalizeText = (text: string): string => text.normalize('NFC');

/** The slug of a company as it is stored, which has no capitals, of one that somebody has typed. */
export const normalizeSlug = (typed: string): string => typed.trim().toLowerCase();

const order = new Intl.Collator('und');

/** Compares texts as lists are sorted: accents and case count only where the letters are the same. */
export const compareTexts = (one: string, other: string): number => order.compare(one, other);

/** The maximum length of an email address before its @ (RFC 5321). */
const maxLocalPart = 64;

/** Whether the part of an email address before its @ is short enough. */
export const fitsLocalPart = (email: string): boolean => email.indexOf('@') <= maxLocalPart;

/** What is wrong with an email address otherwise. */
export const localPartError = `must have at most ${maxLocalPart} characters before the @`;

let lastTime = 0;
let count = 0;

/** Random bytes, of which those from `used` on are in no id yet: it takes long to ask for them one by one. */
const random = Buffer.alloc(4096);
let used = random.length;

/** Random bytes for one id. */
function bytesOfId(): Buffer {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += 16;
  return random.subarray(used - 16, used);
}

/**
 * A version 7 UUID (RFC 9562) as it would have been issued at a given time. Those of one millisecond are in the order
 * in which they were issued.
 */
export function uuidAt(at: Date): string {
  const bytes = bytesOfId();
  const time = at.getTime();
  count = time === lastTime ? (count + 1) & 0xfff : bytes.readUInt16BE(6) & 0x7ff;
  lastTime = time;
  bytes.writeUIntBE(time, 0, 6);
  bytes.writeUInt16BE(0x7000 | count, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Splits a URL that lists several hosts, as libpq reads it, into one for each: `postgresql://ann@one:5432,two/premises`.
 * A host without a port has the default one.
 */
export function splitHosts(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^([\w+]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => before + host + after) : [url];
}

/** Whether a text is an IP address, a range in CIDR notation, or a name that proxy-addr knows. */
export function isAddress(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
