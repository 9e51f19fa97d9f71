import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { Shape } from './hooks.ts';
import type { ModelName, Row, Where } from './model.ts';
import { tenantWhere, uniqueWhere } from './query.ts';

/**
 * Locks rows until the transaction ends, in the order of their ids to avoid deadlocks. Their keys are not locked, so
 * rows that refer to them can still be written.
 */
export async function lockRows(model: ModelName, ids: readonly string[], context: Context): Promise<void> {
  if (ids.length === 0) return;
  const where = { ...tenantWhere(model, context), id: { in: ids } };
  await context.reader.findMany(model, { where, orderBy: { id: 'asc' }, select: { id: true }, lock: true });
}

/**
 * Locks a row until the transaction ends, and reads it.
 *
 * @param within limits the rows that the caller can access
 * @throws ServiceError NOT_FOUND
 */
export async function lockRow<Model extends ModelName>(
  { model, type }: { readonly model: Model; readonly type: string },
  id: string,
  context: Context,
  within: Where = {},
): Promise<Shape<Model> & Row> {
  const where = uniqueWhere(model, id, context, within);
  const row = await context.reader.findUnique(model, { where, lock: true });
  if (!row) throw notFound(type);
  return row as Shape<Model> & Row;
}

/**
 * Locks the caller's company until the transaction ends, to serialize an operation per company. Rows of the company can
 * still be written meanwhile.
 */
export async function lockCompany({ reader, caller }: Context): Promise<void> {
  await reader.findUnique('Company', { where: { id: caller.companyId }, select: { id: true }, lock: true });
}
