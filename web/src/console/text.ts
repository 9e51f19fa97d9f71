/** A value of the API as text: of an object its JSON, of null nothing. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `leaseDates` and `lease_dates` → `Lease dates`. */
export const inWords = (name: string): string => {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`)
    .replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
