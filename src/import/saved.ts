// What people have saved of how files of one kind are imported.

import type { Context } from '../context.ts';
import type { ImportMapping } from '../database/generated/client/client.ts';
import { validationError } from '../errors.ts';
import { isUuid } from '../formats.ts';
import type { ImportOptions } from './stored.ts';

/** A saved mapping, whose JSON is typed: it is written as the options of imports are. */
export interface SavedMapping extends Omit<ImportMapping, 'options'> {
  readonly options: ImportOptions;
}

/** A saved mapping with its JSON as it was written. */
export const savedMapping = (row: ImportMapping): SavedMapping => row as unknown as SavedMapping;

/** The condition of those that a caller sees: their own, and those of the company. */
export const visibleMappings = ({ caller: { userId } }: Pick<Context, 'caller'>) => ({
  OR: [{ userId }, { isShared: true }],
});

/**
 * Finds a saved mapping by its id or its name: that of the caller comes before one of the company.
 *
 * @throws ServiceError VALIDATION_ERROR where there is none, or for rows of another type
 */
export async function findSavedMapping(named: string, type: string, context: Context): Promise<ImportOptions> {
  const name = named.trim();
  const found = await context.db.importMapping.findMany({
    where: { AND: [visibleMappings(context), isUuid(name) ? { OR: [{ id: name }, { name }] } : { name }] },
  });
  const { userId } = context.caller;
  const chosen = found.find((row) => row.userId === userId) ?? found[0];
  if (!chosen) throw validationError({ savedMapping: 'there is no such saved mapping' });
  if (chosen.type !== type) throw validationError({ savedMapping: 'is for rows of another type' });
  return savedMapping(chosen).options;
}
