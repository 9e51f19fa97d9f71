// What the archive of a company says about itself.
import { z } from 'zod';

/** The file of an archive that says what it is. It is the last one. */
export const manifestName = 'archive.json';

/** What an archive is: the migration that its database had, and the number of rows of each of its tables. */
export const manifestRule = z.object({
  format: z.literal(1),
  migration: z.string(),
  tables: z.record(z.string(), z.number()),
});
export type Manifest = z.infer<typeof manifestRule>;

/** The file of a table. */
export const fileOf = (table: string): string => `${table}.ndjson`;
