import type { Context } from '../../context.ts';
import { lockCompany } from '../../resource/index.ts';

const series = 'purchase_orders';

/** Number of candidates that are checked at once. */
const batchSize = 50;

const formatNumber = (number: number) => `PO-${String(number).padStart(6, '0')}`;

/**
 * Locks the company's sequence of order numbers until the transaction ends, so that each number is issued once, and
 * cannot be assigned by hand at the same time.
 */
export const lockNumbers = lockCompany;

/** Issues the company's next unused order number; numbers may also be assigned by hand. Runs in a transaction. */
export async function issueNumber(context: Context): Promise<string> {
  const { db } = context;
  await lockNumbers(context);
  const counter = await db.counter.findFirst({ where: { name: series } });
  for (let next = (counter?.value ?? 0) + 1; ; next += batchSize) {
    const numbers = Array.from({ length: batchSize }, (_, n) => formatNumber(next + n));
    const orders = await db.purchaseOrder.findMany({ where: { number: { in: numbers } }, select: { number: true } });
    const taken = new Set(orders.map(({ number }) => number));
    const free = numbers.findIndex((number) => !taken.has(number));
    if (free < 0) continue;
    const value = next + free;
    if (counter) await db.counter.updateMany({ where: { name: series }, data: { value } });
    else await db.counter.create({ data: { name: series, value } });
    return formatNumber(value);
  }
}
