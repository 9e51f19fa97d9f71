import type { Prisma } from '../../database/generated/client/client.ts';
import type { Stage, Theme } from '../context.ts';
import type { Change } from './ledger.ts';
import { keepLedger } from './ledger.ts';
import type { Line } from './purchases.ts';
import { invoices, orders, requisitions } from './purchases.ts';
import { items } from './stock.ts';

/** The demo company's store, and what was bought for it and for others. */
export const procurement: Theme = (prisma, stage) => {
  const stored = items.map((item) => ({ item, row: stage.row(stage.ago((item.handled[0]?.days ?? 0) + 1), item.sku) }));
  const wishes = requisitionRows(stage);
  const bought = orderRows(stage);
  const ledgers = stored.map(({ item, row }) => {
    const { entries, stock, updatedAt } = keepLedger(stage, row.id, [
      ...handlings(stage, item),
      ...(bought.received.get(item.sku) ?? []),
    ]);
    const { handled: _, kept, ...columns } = item;
    return { entries, item: { ...row, ...columns, locationId: stage.building(kept), quantity: stock, updatedAt } };
  });
  return [
    prisma.inventoryItem.createMany({ data: ledgers.map(({ item }) => item) }),
    prisma.requisition.createMany({ data: wishes.rows }),
    prisma.requisitionLine.createMany({ data: wishes.lines }),
    prisma.purchaseOrder.createMany({ data: bought.rows }),
    prisma.purchaseOrderLine.createMany({ data: bought.lines }),
    prisma.counter.createMany({
      data: [{ companyId: stage.companyId, name: 'purchase_orders', value: orders.length }],
    }),
    prisma.receivingRecord.createMany({ data: bought.receipts }),
    prisma.receivingLine.createMany({ data: bought.receiptLines }),
    prisma.stockAdjustment.createMany({ data: ledgers.flatMap(({ entries }) => entries) }),
    prisma.invoice.createMany({ data: invoiceRows(stage, bought.rows) }),
  ];
};

const handlings = (stage: Stage, { handled }: (typeof items)[number]): Change[] =>
  handled.map(({ days, by, ...change }) => ({ ...change, at: stage.ago(days), userId: stage.user(by) }));

/** Lines as they are stored, and what they cost in all. */
function price(lines: readonly Line[], stage: Stage) {
  const priced = lines.map(([name, quantity, unitPrice], position) => {
    const item = items.find(({ sku }) => sku === name);
    const columns = {
      position,
      quantity,
      description: item?.name ?? name,
      unitPrice: unitPrice ?? item?.unitCost ?? 0,
    };
    return { ...columns, itemId: item && stage.id(item.sku) };
  });
  const total = priced.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0);
  return { priced, totalAmount: Math.round(total * 10_000) / 10_000 };
}

function requisitionRows(stage: Stage) {
  const lines: Prisma.RequisitionLineCreateManyInput[] = [];
  const rows = requisitions.map(({ days, by, vendor, lines: wanted, ...columns }) => {
    const row = stage.row(stage.ago(days), columns.title);
    const { priced, totalAmount } = price(wanted, stage);
    lines.push(...priced.map((line) => ({ ...stage.key(row.createdAt), ...line, requisitionId: row.id })));
    return {
      ...row,
      ...columns,
      totalAmount,
      requestedBy: stage.user(by),
      vendorId: vendor && stage.id(vendor),
      updatedAt: stage.since(row, days * 0.9),
    };
  });
  return { rows, lines };
}

function orderRows(stage: Stage) {
  const lines: Prisma.PurchaseOrderLineCreateManyInput[] = [];
  const receipts: Prisma.ReceivingRecordCreateManyInput[] = [];
  const receiptLines: Prisma.ReceivingLineCreateManyInput[] = [];
  /** What the deliveries add to the stock, by SKU. */
  const received = new Map<string, Change[]>();

  const rows = orders.map(({ days, vendor, wish, expected, deliveries, ...columns }, nth) => {
    const number = `PO-${String(nth + 1).padStart(6, '0')}`;
    const row = stage.row(stage.ago(days), number);
    const wanted = typeof wish === 'string' ? (requisitions.find(({ title }) => title === wish)?.lines ?? []) : wish;
    const { priced, totalAmount } = price(wanted, stage);
    lines.push(...priced.map((line) => ({ ...stage.key(row.createdAt), ...line, purchaseOrderId: row.id })));
    let { updatedAt } = row;
    for (const { days, by, lines: came, status = 'COMPLETE', notes } of deliveries) {
      const at = stage.ago(days);
      const receipt = {
        ...stage.row(at),
        purchaseOrderId: row.id,
        receivedBy: stage.user(by),
        receivedAt: at,
        status,
        notes,
      };
      receipts.push(receipt);
      for (const [position, [sku, quantity]] of came.entries()) {
        receiptLines.push({
          ...stage.key(at),
          receivingRecordId: receipt.id,
          position,
          itemId: stage.id(sku),
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
          userId: stage.user(by),
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
      requisitionId: typeof wish === 'string' ? stage.id(wish) : null,
      vendorId: stage.id(vendor),
      orderDate: columns.status === 'DRAFT' ? null : stage.date(0, row.createdAt),
      expectedDate: stage.date(expected),
    };
  });
  return { rows, lines, receipts, receiptLines, received };
}

function invoiceRows(
  stage: Stage,
  orderRows: readonly { number: string; id: string; vendorId: string; totalAmount: number }[],
) {
  return invoices.map(({ days, from, amount, ...columns }) => {
    const order = orderRows.find(({ number }) => number === from);
    const row = stage.row(stage.ago(days), columns.invoiceNumber);
    return {
      ...row,
      ...columns,
      vendorId: order?.vendorId ?? stage.id(from),
      purchaseOrderId: order?.id ?? null,
      amount: amount ?? order?.totalAmount ?? null,
      issuedDate: stage.date(-1, row.createdAt),
      dueDate: stage.date(29, row.createdAt),
      updatedAt: stage.since(row, columns.status === 'PENDING' ? days : days * 0.8),
    };
  });
}
