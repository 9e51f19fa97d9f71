import { getTracking, s10 } from 'ts-tracking-number';

/** Carriers whose usual name is not their full one. */
const usual: Record<string, string> = { 'United States Postal Service': 'USPS' };

/**
 * The carrier whose number this is, by its shape and check digit; null when it is nobody's that we know. Letter case,
 * spaces and hyphens do not matter. A number of the postal union's is that of the post of its country.
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

/** The post of a country, by its code of two letters. */
const postOf = (country: string): string => posts.get(country) ?? s10.name;
