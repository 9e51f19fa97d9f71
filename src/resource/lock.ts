import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { notFound } from '../errors.ts';
import type { Shape } from './hooks.ts';
import { type ModelName, modelFacts, type Row, type Where } from './model.ts';
import { tableOf, tenantSql, uniqueWhere } from './query.ts';

/**
 * Locks rows until the transaction ends, in the order of their ids to avoid deadlocks. Their keys are not locked, so
 * rows that refer to them can still be written.
 */
export async function lockRows(model: ModelName, ids: readonly string[], context: Context): Promise<void> {
  if (ids.length === 0) return;
  const table = Prisma.raw(`"${modelFacts(model).table}"`);
  await context.unscopedDb
    .$queryRaw`SELECT 1 FROM ${table} WHERE ${tenantSql(context)} AND id = ANY(${[...ids].sort()}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;
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
  await lockRows(model, [id], context);
  const where = uniqueWhere(model, id, context, within);
  const row = await tableOf(context.unscopedDb, model).findUnique({ where });
  if (!row) throw notFound(type);
  return row as Shape<Model> & Row;
}

/**
 * Locks the caller's company until the transaction ends, to serialize an operation per company. Rows of the company can
 * still be written meanwhile.
 */
export async function lockCompany({ unscopedDb, caller }: Context): Promise<void> {
  await unscopedDb.$queryRaw`SELECT 1 FROM companies WHERE id = ${caller.companyId}::uuid FOR NO KEY UPDATE`;
}
