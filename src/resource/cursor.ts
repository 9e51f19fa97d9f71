import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { badRequest } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { defaultMaxLength } from './model.ts';

/** Where in which list a cursor points: after the row with this value in the sorted column, and this id. */
export interface Position {
  readonly value: string | number | boolean | null;
  readonly id: string;
}

const sealLength = 12;
/** A longer payload (bytes) is packed: a list may be sorted by long text, and a cursor has to fit in an address. */
const maxUnpackedLength = 1000;
/** The most (bytes) that a payload can be: the longest text, every character escaped. */
const maxPayloadLength = 6 * defaultMaxLength + 100;

/** The seal only tells a cursor of this list and sort from any other text: a cursor grants nothing. */
const seal = (list: string, payload: Uint8Array) =>
  createHmac('sha256', list).update(payload).digest().subarray(0, sealLength);

/**
 * Encodes an opaque cursor.
 * @param list what it was made for: company, type, sort and order
 */
export function encodeCursor(list: string, { value, id }: Position): string {
  const plain = Buffer.from(JSON.stringify([value, id]));
  const payload = plain.length > maxUnpackedLength ? deflateRawSync(plain) : plain;
  return Buffer.concat([seal(list, payload), payload]).toString('base64url');
}

/**
 * Reads a cursor back.
 * @throws ServiceError BAD_REQUEST when it was not made for this list and sort, or was altered
 */
export function decodeCursor(list: string, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(sealLength);
  const genuine =
    bytes.toString('base64url') === cursor &&
    bytes.length > sealLength &&
    timingSafeEqual(bytes.subarray(0, sealLength), seal(list, payload));
  const position = genuine ? read(payload) : undefined;
  if (!position) throw badRequest('is not a cursor that this list gave out for this sort and order', 'after');
  return position;
}

/** Anybody can make a seal, so even a sealed payload is read with care. */
function read(payload: Buffer): Position | undefined {
  try {
    // A payload as it is begins with a bracket, which nothing that is packed does.
    const plain = payload[0] === 0x5b ? payload : inflateRawSync(payload, { maxOutputLength: maxPayloadLength });
    const position: unknown = JSON.parse(plain.toString());
    if (!Array.isArray(position)) return undefined;
    const [value, id] = position as [Position['value'], unknown];
    return isUuid(id) && (value === null || typeof value !== 'object') ? { value, id } : undefined;
  } catch {
    return undefined;
  }
}
