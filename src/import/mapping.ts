import { validationError } from '../errors.ts';
import type { Mapping } from './columns.ts';

/** Reads what a client says about columns. @throws ServiceError VALIDATION_ERROR for what is no such object */
export function readMapping(text: string): Mapping {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON at all.
  }
  const isMapping =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((field) => field === null || typeof field === 'string');
  if (!isMapping)
    throw validationError({
      mapping: 'must be an object of JSON: the name of a field, or null, by header or position',
    });
  return value as Mapping;
}
