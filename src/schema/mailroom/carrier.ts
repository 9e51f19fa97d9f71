import { getTracking, s10 } from 'ts-tracking-number';

/** Carriers commonly known by a short name. */
const usual: Record<string, string> = { 'United States Postal Service': 'USPS' };

/**
 * Detects the carrier of a tracking number by its format and check digit; null if unknown. Ignores letter case, spaces
 * and hyphens. International postal numbers (S10) belong to the postal service of their country.
 */
export function detectCarrier(number: string | null | undefined): string | null {
  const found = number ? getTracking(number.toUpperCase()) : undefined;
  if (!found) return null;
  const name = found.courier.code === s10.courier_code ? postOf(found.trackingNumber.slice(-2)) : found.courier.name;
  return usual[name] ?? name;
}

const lookups = s10.tracking_numbers.flatMap(({ additional }) => additional.flatMap(({ lookup }) => [...lookup]));
const posts = new Map(
  lookups.flatMap((entry) => ('courier' in entry ? [[entry.matches, entry.courier] as const] : [])),
);

/** The postal service of a country, by its two-letter code. */
const postOf = (country: string): string => posts.get(country) ?? s10.name;
