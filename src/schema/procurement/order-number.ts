import type { Context } from '../../context.ts';
import { lockCompany } from '../../resource/index.ts';

const series = 'purchase_orders';

/** How many numbers are looked at once. */
const batchSize = 50;

const formatNumber = (number: number) => `PO-${String(number).padStart(6, '0')}`;

/**
 * Locks the company's series of order numbers until the transaction ends, so that a number is issued once, and nobody
 * gives by hand the one that is being issued.
 */
export const lockNumbers = lockCompany;

/** Issues the next order number of the company that no order has, be it by hand. Runs in a transaction. */
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
