import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Prisma } from '../database/generated/client/client.ts';
import { badRequest } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { type ColumnFacts, defaultMaxLength, enumFacts } from './model.ts';

/** A cursor's position in a list: after the row with this value in the sorted column, and this id. */
export interface Position {
  readonly value: string | number | boolean | null;
  readonly id: string;
}

const checksumLength = 12;
/** A longer payload (bytes) is compressed, as a list may be sorted by long text and a cursor must fit in a URL. */
const maxUncompressedLength = 1000;
/** Maximum size (bytes) of a payload: the longest text, with every character escaped. */
const maxPayloadLength = 6 * defaultMaxLength + 100;

/** A checksum that detects cursors of another list or sort. It is no security measure: a cursor grants nothing. */
const checksum = (list: string, payload: Uint8Array) =>
  createHmac('sha256', list).update(payload).digest().subarray(0, checksumLength);

/**
 * Encodes an opaque cursor.
 * @param list identifies the list: company, type, sort and order
 */
export function encodeCursor(list: string, { value, id }: Position): string {
  const plain = Buffer.from(JSON.stringify([value, id]));
  const payload = plain.length > maxUncompressedLength ? deflateRawSync(plain) : plain;
  return Buffer.concat([checksum(list, payload), payload]).toString('base64url');
}

/**
 * Decodes a cursor.
 * @param column the sorted column
 * @throws ServiceError BAD_REQUEST when it belongs to another list or sort, or was altered
 */
export function decodeCursor(list: string, cursor: string, column: ColumnFacts): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(checksumLength);
  const genuine =
    bytes.toString('base64url') === cursor &&
    bytes.length > checksumLength &&
    timingSafeEqual(bytes.subarray(0, checksumLength), checksum(list, payload));
  const position = genuine ? read(payload, column) : undefined;
  if (!position) throw badRequest('is not a cursor of this list with this sort and order', 'after');
  return position;
}

/** Clients can compute the checksum, and an older cursor may have other values, so the payload is still validated. */
function read(payload: Buffer, column: ColumnFacts): Position | undefined {
  try {
    // An uncompressed payload begins with a bracket, which a compressed one never does.
    const plain = payload[0] === 0x5b ? payload : inflateRawSync(payload, { maxOutputLength: maxPayloadLength });
    const position: unknown = JSON.parse(plain.toString());
    if (!Array.isArray(position)) return undefined;
    const [value, id] = position as unknown[];
    return isUuid(id) && isValueOf(column, value) ? { value, id } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a column can have a value, in the form that `encodeCursor` gives it. */
function isValueOf(column: ColumnFacts, value: unknown): value is Position['value'] {
  const { type, required } = column;
  if (value === null) return !required;
  if (column.enum) return typeof value === 'string' && Object.hasOwn(enumFacts(type).words, value);
  if (type === 'Boolean') return typeof value === 'boolean';
  if (type === 'Int') return typeof value === 'number' && (value | 0) === value;
  if (typeof value !== 'string') return false;
  if (type === 'Uuid') return isUuid(value);
  if (type === 'Decimal') return isDecimal(value, column);
  if (type === 'Date' || type === 'DateTime') return isTime(value);
  return !value.includes('\0') && value.isWellFormed();
}

function isDecimal(text: string, { precision = 0, scale = 0 }: ColumnFacts): boolean {
  if (!/^-?\d/.test(text) || text.length > 100) return false;
  const number = new Prisma.Decimal(text);
  return number.toString() === text && number.decimalPlaces() <= scale && number.abs().lt(10 ** (precision - scale));
}

function isTime(text: string): boolean {
  const time = Date.parse(text);
  return /^\d{4}-/.test(text) && Number.isFinite(time) && new Date(time).toISOString() === text;
}
