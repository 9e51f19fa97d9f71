import type { Context } from '../../context.ts';
import type { Row } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';
import { isSameValue } from './changes.ts';
import type { RowWrite, Upsert } from './options.ts';

/** Replaces each upsert by the update of the row that it names, or by its creation. */
export async function resolveUpserts(
  { model, type }: Pick<Resource, 'model' | 'type'>,
  writes: readonly (RowWrite | Upsert)[],
  { reader }: Context,
): Promise<RowWrite[]> {
  const keys = writes.flatMap((write) => (write.action === 'upsert' ? [write.by] : []));
  const columns = new Set(keys.flatMap((key) => Object.keys(key)));
  const select = Object.fromEntries([...columns, 'id'].map((column) => [column, true]));
  const rows = await reader.findMany(model, { as: type, where: { OR: keys }, select });
  const isNamed = (row: Row, key: Readonly<Row>) =>
    Object.entries(key).every(([column, value]) => isSameValue(value, row[column]));
  return writes.map((write): RowWrite => {
    if (write.action !== 'upsert') return write;
    const { by, input } = write;
    const row = rows.find((each) => isNamed(each, by));
    return row ? { action: 'update', id: String(row['id']), input } : { action: 'create', input: { ...by, ...input } };
  });
}
