import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ApiField } from '../../database/stored-field.ts';
import { badRequest } from '../../errors.ts';
import { defaultMaxLength } from '../../fields/index.ts';
import type { Where } from '../definition/model.ts';

/** A value of a position, as JSON. */
export type CursorValue = string | number | boolean | null;

/** How many rows a condition matched, so that the pages after the first need not count them again. */
export interface Counted {
  readonly total: number;
  /** Identifies the condition. */
  readonly of: string;
}

/** Identifies a condition. */
export const conditionId = (where: Where): string =>
  createHash('sha256')
    .update(JSON.stringify(where, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))
    .digest('base64url')
    .slice(0, 16);

/** The value that a position has for a sort key. */
interface KeyFacts {
  readonly field: ApiField;
  readonly nullable: boolean;
}

const checksumLength = 12;
/** A longer payload (bytes) is compressed, as a list may be sorted by long text and a cursor must fit in a URL. */
const maxUncompressedLength = 1000;
/** Maximum size (bytes) of a payload: the longest texts, with every character escaped. */
const maxPayloadLength = 5 * (6 * defaultMaxLength + 100);

/**
 * A checksum that detects cursors of another list or sort. It is not a security measure, as a cursor grants no access.
 */
const checksum = (list: string, payload: Uint8Array) =>
  createHmac('sha256', list).update(payload).digest().subarray(0, checksumLength);

/**
 * Encodes an opaque cursor.
 * @param list identifies the list: company, type and order
 * @param position the row's values of the list's keys, as their types have them in cursors
 */
export function encodeCursor(list: string, position: readonly unknown[], counted?: Counted): string {
  const plain = Buffer.from(JSON.stringify(counted ? [...position, counted] : position));
  const payload = plain.length > maxUncompressedLength ? deflateRawSync(plain) : plain;
  return Buffer.concat([checksum(list, payload), payload]).toString('base64url');
}

/**
 * Decodes a cursor.
 * @param keys the keys of the list's order
 * @param argument the argument that contains it
 * @throws ServiceError BAD_REQUEST when it belongs to another list or sort, or was altered
 */
export function decodeCursor(
  list: string,
  cursor: string,
  keys: readonly KeyFacts[],
  argument: 'after' | 'before' = 'after',
): readonly CursorValue[] {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(checksumLength);
  const genuine =
    bytes.toString('base64url') === cursor &&
    bytes.length > checksumLength &&
    timingSafeEqual(bytes.subarray(0, checksumLength), checksum(list, payload));
  const position = genuine ? read(payload, keys) : undefined;
  if (!position) throw badRequest('is not a cursor of this list with this sort and order', argument);
  return position;
}

/** The count in a cursor that `decodeCursor` accepts. */
export function countedOf(cursor: string): Counted | undefined {
  const last = parse(Buffer.from(cursor, 'base64url').subarray(checksumLength)).at(-1);
  return isCounted(last) ? last : undefined;
}

const isCounted = (value: unknown): value is Counted => {
  const { total, of } = (value ?? {}) as Partial<Counted>;
  return Number.isSafeInteger(total) && (total as number) >= 0 && typeof of === 'string';
};

/** @throws Error if it is not a payload */
function parse(payload: Buffer): unknown[] {
  // An uncompressed payload begins with a bracket, which a compressed one never does.
  const plain = payload[0] === 0x5b ? payload : inflateRawSync(payload, { maxOutputLength: maxPayloadLength });
  return JSON.parse(plain.toString()) as unknown[];
}

/** Clients can compute the checksum, and an older cursor may have other values, so the payload is still validated. */
function read(payload: Buffer, keys: readonly KeyFacts[]): CursorValue[] | undefined {
  try {
    const content = parse(payload);
    if (!Array.isArray(content)) return undefined;
    const position = isCounted(content.at(-1)) ? content.slice(0, -1) : content;
    if (position.length !== keys.length) return undefined;
    return position.every((value, n) => isValueOf(keys[n] as KeyFacts, value)) ? position : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a column can have a value, in the form that a cursor has it. */
const isValueOf = ({ field, nullable }: KeyFacts, value: unknown): value is CursorValue =>
  value === null ? nullable : field.type.isPosition(value, field);
