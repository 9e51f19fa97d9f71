// Finds the rows that cells name, of a page at once: a statement for each column that refers to rows.
import { allows } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { shorten } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { hiddenColumns, type Resource, type Row, type Rows } from '../resource/index.ts';
import { naturalKeys } from './names.ts';

/** What a text names: a row, or what is wrong. */
export type Named =
  | { readonly id: string }
  | {
      readonly error: string;
      readonly isMissing?: true;
      /** The column that is wrong, of several. */
      readonly column?: string | undefined;
    };

/** How many rows of one title are named in an error. */
const shownIds = 3;

/**
 * Finds rows by ids, or by the fields that name them. Rows that the caller cannot access are not found.
 *
 * @param texts what names them, in any number
 * @param by the field that they have; by default any that names rows, the surest first
 */
export async function findNamed(
  rows: Rows,
  texts: ReadonlySet<string>,
  {
    by,
    context,
    resources,
  }: { readonly by?: string | undefined; readonly context: Context; readonly resources: readonly Resource[] },
): Promise<Map<string, Named>> {
  const named = new Map<string, Named>();
  const resource = resources.find(({ model }) => model === rows.model);
  const { noun, many } = rows.words;
  const wanted: string[] = [];
  for (const text of texts) {
    // Whether there is such a row is found out by the write, which locks it.
    if (isUuid(text) && by === undefined) named.set(text, { id: text.toLowerCase() });
    else wanted.push(text);
  }
  if (wanted.length === 0) return named;
  if (resource && !allows(context.caller.scopes, `${resource.scope}:read`)) {
    for (const text of wanted)
      named.set(text, {
        error: `must be an id, as to find a ${noun} otherwise requires the scope ${resource.scope}:read`,
      });
    return named;
  }
  const hidden = resource ? hiddenColumns(context.caller, resource.policies) : [];
  const keys = (by === undefined ? naturalKeys(rows, resource) : [by]).filter((key) => !hidden.includes(key));
  const spelled = (key: string, text: string) => (key === 'email' ? text.toLowerCase() : text);
  const found =
    keys.length === 0
      ? []
      : await context.reader.findMany(rows.model, {
          as: resource?.type ?? null,
          where: { OR: keys.map((key) => ({ [key]: { in: wanted.map((text) => spelled(key, text)) } })) },
          select: Object.fromEntries(['id', ...keys].map((key) => [key, true])),
        });
  const index = new Map(keys.map((key) => [key, groupBy(found, key)]));
  for (const text of wanted) {
    const matches =
      keys.map((key) => index.get(key)?.get(spelled(key, text)) ?? []).find((each) => each.length > 0) ?? [];
    const [first, second] = matches;
    if (!first) named.set(text, { error: `there is no ${noun} "${shorten(text, 80)}"`, isMissing: true });
    else if (second) {
      const ids = matches.slice(0, shownIds).map(({ id }) => String(id));
      const more = matches.length > shownIds ? ', …' : '';
      named.set(text, { error: `names ${matches.length} ${many}, so write the id of one: ${ids.join(', ')}${more}` });
    } else named.set(text, { id: String(first['id']) });
  }
  return named;
}

function groupBy(rows: readonly Row[], key: string): Map<unknown, Row[]> {
  const groups = new Map<unknown, Row[]>();
  for (const row of rows) {
    const group = groups.get(row[key]);
    if (group) group.push(row);
    else groups.set(row[key], [row]);
  }
  return groups;
}
