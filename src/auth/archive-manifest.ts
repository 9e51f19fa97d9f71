// What the archive of a company says about itself.
import { z } from 'zod';

/** The file of an archive that says what it is. It is the last one. */
export const manifestName = 'archive.json';

/**
 * What an archive is: the migration that its database had, the number of rows of each of its tables, of the files whose
 * bytes it has, and of those whose bytes were left out, as they had malware or were not scanned for it.
 */
export const manifestRule = z.object({
  format: z.literal(1),
  migration: z.string(),
  tables: z.record(z.string(), z.number()),
  files: z.number().default(0),
  withheld: z.number().default(0),
});
export type Manifest = z.infer<typeof manifestRule>;

/** The file of a table. */
export const fileOf = (table: string): string => `${table}.ndjson`;

/** Where an archive has the bytes of files. */
export const bytesFolder = 'files/';

/** The file with the bytes of a file that was sent. */
export const bytesOf = (fileId: string): string => `${bytesFolder}${fileId}`;
