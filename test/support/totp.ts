import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * The code that an authenticator app shows (RFC 6238: SHA-1, six digits, half a minute each).
 *
 * @param key in base32
 * @param steps how many codes later, or earlier
 */
export function totp(key: string, steps = 0): string {
  const bits = [...key].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const hash = createHmac('sha1', bytes).update(counter).digest();
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The code of half a minute ago, which the service still accepts; for at least 10 s more, however slow the machine. */
export async function previousTotp(key: string): Promise<string> {
  const left = 30_000 - (Date.now() % 30_000);
  // Timers may end a millisecond early.
  if (left < 10_000) await sleep(left + 100);
  return totp(key, -1);
}
