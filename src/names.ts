/** `ServiceRequest` → `serviceRequest`. */
export const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** `Company` → `Companies`, `AssetMaintenance` → `AssetMaintenanceRecords`. */
export function plural(name: string): string {
  // Maintenance has no plural.
  if (name.endsWith('Maintenance')) return `${name}Records`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** `createdAt` → `created_at`, as REST and the database spell names. */
export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `createdAt` → `CREATED_AT`, as GraphQL spells enum values. */
export const constantCase = (name: string) => snakeCase(name).toUpperCase();

/**
 * `serviceRequests` → `service requests`, `HrDocument` → `HR document`, `AssetMaintenance` → `asset maintenance
 * record`, for people to read.
 */
export const words = (name: string) =>
  snakeCase(lowerFirst(name))
    .replaceAll('_', ' ')
    .replace(/\b(ai|api|hr)\b/g, (letters) => letters.toUpperCase())
    .replace(/\bmaintenance$/, '$& record');

/** `comments` → `comments`, `maintenance` → `maintenance records`: the name of a list, for people to read. */
export const listWords = (name: string) => words(name).replace(/\bmaintenance record$/, '$&s');

/** `inventory item` → `an inventory item`. A leading U is assumed to sound as in `user`. */
export const aOrAn = (thing: string) => `${/^([aeio]|hour|hr\b)/i.test(thing) ? 'an' : 'a'} ${thing}`;

/** The argument with the id of a parent row: `Paint` → `paintId`. */
export const idArgument = (type: string) => `${lowerFirst(type)}Id`;
