import type { Prisma } from '../../database/generated/client/client.ts';
import type { Seed, SeedContext } from '../context.ts';
import type { Change } from './ledger.ts';
import { keepLedger } from './ledger.ts';
import type { Line } from './purchases.ts';
import { invoices, orders, requisitions } from './purchases.ts';
import { items } from './stock.ts';

/** The demo company's store, and what was bought for it and for others. */
export const procurement: Seed = (prisma, seed) => {
  const stored = items.map((item) => ({
    item,
    row: seed.row(seed.ago((item.adjustments[0]?.days ?? 0) + 1), item.sku),
  }));
  const wanted = requisitionRows(seed);
  const bought = orderRows(seed);
  const ledgers = stored.map(({ item, row }) => {
    const { entries, stock, updatedAt } = keepLedger(seed, row.id, [
      ...adjustmentsOf(seed, item),
      ...(bought.received.get(item.sku) ?? []),
    ]);
    const { adjustments: _, kept, ...columns } = item;
    return { entries, item: { ...row, ...columns, locationId: seed.building(kept), quantity: stock, updatedAt } };
  });
  return [
    prisma.inventoryItem.createMany({ data: ledgers.map(({ item }) => item) }),
    prisma.requisition.createMany({ data: wanted.rows }),
    prisma.requisitionLine.createMany({ data: wanted.lines }),
    prisma.purchaseOrder.createMany({ data: bought.rows }),
    prisma.purchaseOrderLine.createMany({ data: bought.lines }),
    prisma.counter.createMany({
      data: [{ companyId: seed.companyId, name: 'purchase_orders', value: orders.length }],
    }),
    prisma.receivingRecord.createMany({ data: bought.receipts }),
    prisma.receivingLine.createMany({ data: bought.receiptLines }),
    prisma.stockAdjustment.createMany({ data: ledgers.flatMap(({ entries }) => entries) }),
    prisma.invoice.createMany({ data: invoiceRows(seed, bought.rows) }),
  ];
};

const adjustmentsOf = (seed: SeedContext, { adjustments }: (typeof items)[number]): Change[] =>
  adjustments.map(({ days, by, ...change }) => ({ ...change, at: seed.ago(days), userId: seed.user(by) }));

/** Lines as they are stored, and what they cost in all. */
function price(lines: readonly Line[], seed: SeedContext) {
  const priced = lines.map(([name, quantity, unitPrice], position) => {
    const item = items.find(({ sku }) => sku === name);
    const columns = {
      position,
      quantity,
      description: item?.name ?? name,
      unitPrice: unitPrice ?? item?.unitCost ?? 0,
    };
    return { ...columns, itemId: item && seed.id(item.sku) };
  });
  const total = priced.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0);
  return { priced, totalAmount: Math.round(total * 10_000) / 10_000 };
}

function requisitionRows(seed: SeedContext) {
  const lines: Prisma.RequisitionLineCreateManyInput[] = [];
  const rows = requisitions.map(({ days, by, vendor, lines: wanted, ...columns }) => {
    const row = seed.row(seed.ago(days), columns.title);
    const { priced, totalAmount } = price(wanted, seed);
    lines.push(...priced.map((line) => ({ ...seed.key(row.createdAt), ...line, requisitionId: row.id })));
    return {
      ...row,
      ...columns,
      totalAmount,
      requestedBy: seed.user(by),
      vendorId: vendor && seed.id(vendor),
      updatedAt: seed.since(row, days * 0.9),
    };
  });
  return { rows, lines };
}

function orderRows(seed: SeedContext) {
  const lines: Prisma.PurchaseOrderLineCreateManyInput[] = [];
  const receipts: Prisma.ReceivingRecordCreateManyInput[] = [];
  const receiptLines: Prisma.ReceivingLineCreateManyInput[] = [];
  /** What the deliveries add to the stock, by SKU. */
  const received = new Map<string, Change[]>();

  const rows = orders.map(({ days, vendor, source, expected, deliveries, ...columns }, nth) => {
    const number = `PO-${String(nth + 1).padStart(6, '0')}`;
    const row = seed.row(seed.ago(days), number);
    const wanted =
      typeof source === 'string' ? (requisitions.find(({ title }) => title === source)?.lines ?? []) : source;
    const { priced, totalAmount } = price(wanted, seed);
    lines.push(...priced.map((line) => ({ ...seed.key(row.createdAt), ...line, purchaseOrderId: row.id })));
    let { updatedAt } = row;
    for (const { days, by, lines: came, status = 'COMPLETE', notes } of deliveries) {
      const at = seed.ago(days);
      const receipt = {
        ...seed.row(at),
        purchaseOrderId: row.id,
        receivedBy: seed.user(by),
        receivedAt: at,
        status,
        notes,
      };
      receipts.push(receipt);
      for (const [position, [sku, quantity]] of came.entries()) {
        receiptLines.push({
          ...seed.key(at),
          receivingRecordId: receipt.id,
          position,
          itemId: seed.id(sku),
          quantity,
        });
        if (status !== 'COMPLETE') continue;
        updatedAt = at;
        const change = {
          at,
          type: 'ADDITION',
          quantity,
          reason: 'Received',
          reference: number,
          receivingRecordId: receipt.id,
          userId: seed.user(by),
        } as const;
        received.set(sku, [...(received.get(sku) ?? []), change]);
      }
    }
    return {
      ...row,
      ...columns,
      number,
      totalAmount,
      updatedAt,
      requisitionId: typeof source === 'string' ? seed.id(source) : null,
      vendorId: seed.id(vendor),
      orderDate: columns.status === 'DRAFT' ? null : seed.date(0, row.createdAt),
      expectedDate: seed.date(expected),
    };
  });
  return { rows, lines, receipts, receiptLines, received };
}

function invoiceRows(
  seed: SeedContext,
  orderRows: readonly { number: string; id: string; vendorId: string; totalAmount: number }[],
) {
  return invoices.map(({ days, from, amount, ...columns }) => {
    const order = orderRows.find(({ number }) => number === from);
    const row = seed.row(seed.ago(days), columns.invoiceNumber);
    return {
      ...row,
      ...columns,
      vendorId: order?.vendorId ?? seed.id(from),
      purchaseOrderId: order?.id ?? null,
      amount: amount ?? order?.totalAmount ?? null,
      issuedDate: seed.date(-1, row.createdAt),
      dueDate: seed.date(29, row.createdAt),
      updatedAt: seed.since(row, columns.status === 'PENDING' ? days : days * 0.8),
    };
  });
}
