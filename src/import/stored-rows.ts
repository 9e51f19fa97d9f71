// Finds the stored rows that rows of a file name by their key: of a page at once.
import { allows } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { isUuid } from '../formats.ts';
import { hasAnyKey, hiddenColumns, type Resource, type Row } from '../resource/index.ts';
import { plainText } from './cells.ts';
import type { ColumnMap, ImportColumn } from './columns.ts';
import { findNamed, type Named } from './lookups.ts';
import { cellAt, type FileRow } from './table.ts';
import type { ImportApi, ImportTarget } from './target.ts';

/** A row of a file, with the values of its cells. */
interface ReadRow {
  readonly row: FileRow;
  readonly values: Readonly<Row>;
}

/** What the key of a row names: a stored row, or what is wrong with the key; undefined for a row without a key. */
export type FindStored = (read: ReadRow) => Named | undefined;

/** The columns of the key by which stored rows are found; none where new rows alone are written. */
export const keyColumns = ({ mode, key = ['id'] }: ImportTarget, { columns }: ColumnMap): readonly ImportColumn[] =>
  mode === 'insert' ? [] : key.flatMap((name) => columns.find(({ field }) => field.name === name) ?? []);

/** Finds the stored rows of a page. */
export async function findStored(
  rows: readonly ReadRow[],
  options: { readonly target: ImportTarget; readonly map: ColumnMap; readonly api: ImportApi },
  context: Context,
): Promise<FindStored> {
  const { target, map, api } = options;
  const [column, ...more] = keyColumns(target, map);
  if (!column) return () => undefined;
  const { resource } = target;
  if (more.length > 0) return findByColumns(rows, [column, ...more], resource, context);
  const textOf = ({ row }: ReadRow) => plainText(cellAt(row, column.at));
  const texts = new Set(rows.map(textOf).filter((text) => text !== ''));
  const by = column.field.name;
  const known =
    by === 'id'
      ? await findIds(texts, resource, context)
      : await findNamed(resource, texts, { by, context, resources: api.resources });
  return (read) => {
    const text = textOf(read);
    return text === '' ? undefined : (known.get(by === 'id' ? text.toLowerCase() : text) ?? missing(resource));
  };
}

const missing = ({ words: { noun } }: Resource): Named => ({ error: `there is no such ${noun}`, isMissing: true });

async function findIds(
  texts: ReadonlySet<string>,
  { model, type }: Resource,
  context: Context,
): Promise<ReadonlyMap<string, Named>> {
  const ids = [...texts].filter(isUuid).map((id) => id.toLowerCase());
  const found = await context.reader.findMany(model, { as: type, where: { id: { in: ids } }, select: { id: true } });
  return new Map(found.map(({ id }) => [String(id), { id: String(id) }]));
}

/** Finds rows by values that are unique together. */
async function findByColumns(
  rows: readonly ReadRow[],
  columns: readonly ImportColumn[],
  resource: Resource,
  context: Context,
): Promise<FindStored> {
  const { model, type, scope, policies, words } = resource;
  const names = columns.map(({ field }) => field.name);
  const { caller } = context;
  if (!allows(caller.scopes, `${scope}:read`))
    return () => ({ error: `to find a ${words.noun} by these requires the scope ${scope}:read` });
  const hidden = hiddenColumns(caller, policies);
  const isWhole = (values: Readonly<Row>) => names.every((name) => plainValue(values[name]) !== '');
  const wanted = new Map(
    rows.filter(({ values }) => isWhole(values)).map(({ values }) => [keyText(names, values), values]),
  );
  const keys = [...wanted.values()].map((values) =>
    Object.fromEntries(names.map((name) => [name, plainOf(values[name])])),
  );
  const found =
    keys.length === 0 || names.some((name) => hidden.includes(name))
      ? []
      : await context.reader.findMany(model, {
          as: type,
          where: hasAnyKey(keys),
          select: Object.fromEntries(['id', ...names].map((name) => [name, true])),
        });
  const known = new Map(found.map((row) => [keyText(names, row), { id: String(row['id']) }]));
  return ({ values }) => {
    if (isWhole(values)) return known.get(keyText(names, values)) ?? missing(resource);
    if (names.every((name) => plainValue(values[name]) === '')) return undefined;
    const empty = columns.find(({ field }) => plainValue(values[field.name]) === '');
    return { error: 'is required', column: empty?.header };
  };
}

/** The texts of files may have spaces around them, which are not stored. */
const plainOf = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

const plainValue = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return value instanceof Date ? value.toISOString() : String(plainOf(value));
};

const keyText = (names: readonly string[], values: Readonly<Row>): string =>
  JSON.stringify(names.map((name) => plainValue(values[name])));
