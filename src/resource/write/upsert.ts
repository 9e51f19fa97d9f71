import type { Context } from '../../context.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { getOrCreate } from '../get-or-create.ts';
import { hasAnyKey, keyText } from '../read/keyed.ts';
import type { RowWrite, Upsert } from './options.ts';

/**
 * Replaces each upsert by the update of the row that it names, or by its creation. An update leaves out what is set of
 * new rows only.
 */
export async function resolveUpserts(
  { model, type, fields }: Pick<Resource, 'model' | 'type' | 'fields'>,
  writes: readonly (RowWrite | Upsert)[],
  { reader }: Context,
): Promise<RowWrite[]> {
  const keys = writes.flatMap((write) => (write.action === 'upsert' ? [write.by] : []));
  const columns = new Set(keys.flatMap((key) => Object.keys(key)));
  const select = Object.fromEntries([...columns, 'id'].map((column) => [column, true]));
  const rows = await reader.findMany(model, { as: type, where: hasAnyKey(keys), select });
  const byKey = new Map<string, ReadonlyMap<string, Row>>();
  const find = (key: Readonly<Row>) => {
    const names = Object.keys(key);
    const known = getOrCreate(byKey, names.join(), () => new Map(rows.map((row) => [keyText(names, row), row])));
    return known.get(keyText(names, key));
  };
  return writes.map((write): RowWrite => {
    if (write.action !== 'upsert') return write;
    const { by, input } = write;
    const row = find(by);
    if (!row) return { action: 'create', input: { ...by, ...input } };
    const changes = Object.entries(input).filter(([name]) => name !== 'id' && !fields[name]?.createOnly);
    return { action: 'update', id: String(row['id']), input: Object.fromEntries(changes) };
  });
}
