import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { badRequest } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { defaultMaxLength } from './model.ts';

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

/** Decodes a cursor. @throws ServiceError BAD_REQUEST when it belongs to another list or sort, or was altered */
export function decodeCursor(list: string, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(checksumLength);
  const genuine =
    bytes.toString('base64url') === cursor &&
    bytes.length > checksumLength &&
    timingSafeEqual(bytes.subarray(0, checksumLength), checksum(list, payload));
  const position = genuine ? read(payload) : undefined;
  if (!position) throw badRequest('is not a cursor of this list with this sort and order', 'after');
  return position;
}

/** Clients can compute the checksum, so the payload is still validated. */
function read(payload: Buffer): Position | undefined {
  try {
    // An uncompressed payload begins with a bracket, which a compressed one never does.
    const plain = payload[0] === 0x5b ? payload : inflateRawSync(payload, { maxOutputLength: maxPayloadLength });
    const position: unknown = JSON.parse(plain.toString());
    if (!Array.isArray(position)) return undefined;
    const [value, id] = position as [Position['value'], unknown];
    return isUuid(id) && (value === null || typeof value !== 'object') ? { value, id } : undefined;
  } catch {
    return undefined;
  }
}
