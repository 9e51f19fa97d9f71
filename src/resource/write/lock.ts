import type { Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import type { Shape } from '../definition/hooks.ts';
import { and, type ModelName, type Row, type Where } from '../definition/model.ts';
import type { Resource } from '../definition/resource.ts';

/**
 * Locks rows until the transaction ends, in the order of their ids to avoid deadlocks. Their keys are not locked, so
 * rows that refer to them can still be written.
 */
export async function lockRows(model: ModelName, ids: readonly string[], context: Context): Promise<void> {
  if (ids.length === 0) return;
  const where = { id: { in: ids } };
  await context.reader.findMany(model, { as: null, where, orderBy: { id: 'asc' }, select: { id: true }, lock: true });
}

/**
 * Locks a row until the transaction ends, and reads it.
 *
 * @param within limits the rows that the caller can access
 * @throws ServiceError NOT_FOUND
 */
export async function lockRow<Model extends ModelName>(
  { model, type, words }: Pick<Resource<Model>, 'model' | 'type' | 'words'>,
  id: string,
  context: Context,
  within: Where = {},
): Promise<Shape<Model> & Row> {
  const row = await context.reader.findUnique(model, { as: type, where: and([{ id }, within]), lock: true });
  if (!row) throw notFound(words.noun);
  return row as Shape<Model> & Row;
}

/**
 * Locks the caller's company until the transaction ends, to serialize an operation per company. Rows of the company can
 * still be written meanwhile.
 */
export async function lockCompany({ reader, caller }: Context): Promise<void> {
  await reader.findUnique('Company', { where: { id: caller.companyId }, select: { id: true }, lock: true });
}
