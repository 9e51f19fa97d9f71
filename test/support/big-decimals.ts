// Decimals as whole numbers of their last place, which BigInt calculates with exactly.
import type { Random } from './random.ts';

/** The notation of a decimal, without zeros at its end. @param units the decimal times ten to the `scale` */
export function printUnits(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  const text = `${whole}.${fraction}`.replace(/\.?0*$/, '');
  return units < 0n ? `-${text}` : text;
}

/** A quotient, rounded half away from zero. */
export function divide(dividend: bigint, divisor: bigint): bigint {
  const rounded = ((dividend < 0n ? -dividend : dividend) * 2n + divisor) / (2n * divisor);
  return dividend < 0n ? -rounded : rounded;
}

/** A random whole number from 0 to below `limit`, with any number of digits, often the largest. */
export function randomUnits(random: Random, limit: bigint): bigint {
  if (random.chance(0.1)) return limit - 1n;
  let digits = '';
  const length = 1 + random.integer(String(limit - 1n).length);
  while (digits.length < length) digits += random.integer(10);
  return BigInt(digits) % limit;
}

/** Reads a notation. @returns the decimal in units of its own last place, and how many places it has */
export function parseUnits(text: string): { units: bigint; scale: number } {
  const [whole = '', fraction = ''] = text.split('.');
  return { units: BigInt(whole + fraction), scale: fraction.length };
}
