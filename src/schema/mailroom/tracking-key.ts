/**
 * What tracking numbers are compared by: the number without spaces and hyphens, in capitals. The columns `tracking_key`
 * contain the same, computed by the database.
 */
export const trackingKey = (number: string): string =>
  number.replace(/[ \t\n\r\f\v\u00a0-]+/g, '').replace(/[a-z]+/g, (letters) => letters.toUpperCase());

/** How filters compare tracking numbers. */
export const byTrackingKey = { column: 'trackingKey', normalize: trackingKey } as const;
