// Types that no field of the API has.
import { parseJson } from '../json.ts';
import { encodeNumber, plain, type StoredType, same } from './field-type.ts';

/** Numbers of 64 bits. */
const bigInteger: StoredType = {
  sqlType: 'bigint',
  encode: encodeNumber,
  asText: { sql: same, decode: BigInt },
  asJson: { sql: (sql) => `${sql}::text`, decode: (value) => BigInt(String(value)) },
};

/** Binary fractions. */
const double: StoredType = {
  sqlType: 'double precision',
  encode: encodeNumber,
  asText: { sql: same, decode: Number },
  asJson: plain.asJson,
};

const decodeBytes = (value: unknown) => new Uint8Array(Buffer.from(String(value).slice(2), 'hex'));

/** Bytes. */
const bytes: StoredType = {
  sqlType: 'bytea',
  encode: same,
  asText: { sql: same, decode: decodeBytes },
  asJson: { sql: same, decode: decodeBytes },
};

/** JSON, which only SQL of its own writes. */
const json: StoredType = {
  sqlType: 'jsonb',
  ...plain,
  asText: { sql: same, decode: (text) => parseJson(text) },
};

/** Types that the service stores and no field of the API has, by Prisma's names. */
export const storedTypes: Readonly<Record<string, StoredType>> = {
  BigInt: bigInteger,
  Float: double,
  Bytes: bytes,
  Json: json,
};
