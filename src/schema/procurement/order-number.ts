import type { Context } from '../../context.ts';
import type { Transaction } from '../../resource/writes.ts';

const series = 'purchase_orders';

/** How many numbers are looked at once. */
const handful = 50;

const written = (number: number) => `PO-${String(number).padStart(6, '0')}`;

/**
 * Holds the company's series of order numbers until the transaction ends, so that a number is issued once, and nobody
 * gives by hand the one that is being issued.
 * @returns the last that was issued
 */
export async function holdNumbers(tx: Transaction, { caller: { companyId } }: Context): Promise<number> {
  const [counter] = await tx.$queryRaw<{ value: number }[]>`
    INSERT INTO counters (company_id, name, value) VALUES (${companyId}::uuid, ${series}, 0)
    ON CONFLICT (company_id, name) DO UPDATE SET value = counters.value RETURNING value`;
  return counter?.value ?? 0;
}

/** Issues the next order number of the company that no order has, be it by hand. */
export async function issueNumber(tx: Transaction, context: Context): Promise<string> {
  const { companyId } = context.caller;
  for (let next = (await holdNumbers(tx, context)) + 1; ; next += handful) {
    const numbers = Array.from({ length: handful }, (_, n) => written(next + n));
    const orders = await tx.purchaseOrder.findMany({
      where: { companyId, number: { in: numbers } },
      select: { number: true },
    });
    const taken = new Set(orders.map(({ number }) => number));
    const free = numbers.findIndex((number) => !taken.has(number));
    if (free < 0) continue;
    await tx.counter.update({ where: { companyId_name: { companyId, name: series } }, data: { value: next + free } });
    return written(next + free);
  }
}
