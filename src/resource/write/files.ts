// The files that rows hold: those that the caller may read, before the row gives them to its readers.
import type { Context } from '../../context.ts';
import type { FieldErrors } from '../../errors.ts';
import { itemsOf } from '../../fields/index.ts';
import { fileFields, type Row, type StoredWithRoles } from '../definition/model.ts';
import { noSuch } from './database-errors.ts';

/** Maximum number of files that are attached to a row. */
export const maxAttachments = 50;

/**
 * Finds what is wrong with the files that a write gives a row: there are too many, one is there twice, or one is none
 * that the caller may read. Those that the row has already are not asked for.
 */
export async function fileErrors(
  rows: StoredWithRoles,
  data: Readonly<Row>,
  previous: Readonly<Row> | null,
  context: Context,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  const given = fileFields(rows).flatMap(({ name, list }) => {
    const ids = idsIn(data[name]);
    const known = idsIn(previous?.[name]);
    if (ids.length > maxAttachments) errors[name] = `must have at most ${maxAttachments} files`;
    else if (new Set(ids).size < ids.length) errors[name] = 'must not have a file twice';
    return ids.flatMap((id, place) => (known.includes(id) ? [] : [{ id, place: list ? `${name}.${place}` : name }]));
  });
  if (given.length === 0 || Object.keys(errors).length > 0) return errors;
  const readable = await context.storage.readableFiles(
    given.map(({ id }) => id),
    context,
  );
  for (const { id, place } of given) if (!readable.has(id)) errors[place] = noSuch('file');
  return errors;
}

const idsIn = (value: unknown): readonly string[] => (typeof value === 'string' ? [value] : itemsOf(value).map(String));
