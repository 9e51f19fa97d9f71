import type { PurchaseOrder as Order } from '../../database/generated/client/client.ts';
import { StockAdjustment } from '../../schema/inventory/adjustment.ts';
import { InventoryItem } from '../../schema/inventory/item.ts';
import { Invoice } from '../../schema/procurement/invoice.ts';
import { PurchaseOrder } from '../../schema/procurement/purchase-order.ts';
import { ReceivingRecord } from '../../schema/procurement/receiving-record.ts';
import { Requisition } from '../../schema/procurement/requisition.ts';
import type { Seed, SeedContext } from '../context.ts';
import { victor } from '../people.ts';
import { type Delivery, invoices, type Line, orders, requisitions } from './purchases.ts';
import { items } from './stock.ts';

/** A change of the stock. */
interface StockEvent {
  readonly at: Date;
  readonly happen: (at: Date) => Promise<unknown>;
}

const minute = 60_000;

/** The demo company's inventory, and its procurement. */
export const procurement: Seed = async (seed) => {
  for (const { adjustments, kept, ...columns } of items) {
    const at = seed.ago((adjustments[0]?.days ?? 0) + 1);
    await seed.create(InventoryItem, { at, name: columns.sku }, { ...columns, locationId: seed.building(kept) });
  }
  await seedRequisitions(seed);
  const ordered = await seedOrders(seed);
  await happenInOrder([...adjustmentEvents(seed), ...deliveryEvents(seed, ordered)]);
  await seedInvoices(seed, ordered);
};

/** Runs changes of the stock in order of time. Two changes in the same working hour would have no order. */
async function happenInOrder(events: readonly StockEvent[]): Promise<void> {
  let last = 0;
  for (const { at, happen } of [...events].sort((one, other) => one.at.getTime() - other.at.getTime())) {
    last = Math.max(at.getTime(), last + minute);
    await happen(new Date(last));
  }
}

const adjustmentEvents = (seed: SeedContext): StockEvent[] =>
  items.flatMap(({ sku, adjustments }) =>
    adjustments.map(({ days, by, ...columns }) => ({
      at: seed.ago(days),
      happen: (at: Date) => seed.create(StockAdjustment, { at, by, parentId: seed.id(sku) }, columns),
    })),
  );

const deliveryEvents = (seed: SeedContext, ordered: readonly Order[]): StockEvent[] =>
  orders.flatMap(({ deliveries }, nth) =>
    deliveries.map((delivery) => ({
      at: seed.ago(delivery.days),
      happen: (at: Date) => receive(seed, ordered[nth]?.id, delivery, at),
    })),
  );

/** Receives goods; completing a record adds them to the stock and advances the order. */
const receive = (
  seed: SeedContext,
  purchaseOrderId: string | undefined,
  { by, lines, status, notes }: Delivery,
  at: Date,
) =>
  seed.create(
    ReceivingRecord,
    { at, by },
    {
      purchaseOrderId,
      receivedAt: at,
      status: status ?? 'COMPLETE',
      notes,
      lineItems: lines.map(([sku, quantity]) => ({ itemId: seed.id(sku), quantity })),
    },
  );

/** Line items as a client sends them; those of the store have its names and costs. */
const lineItems = (lines: readonly Line[], seed: SeedContext) =>
  lines.map(([name, quantity, unitPrice]) => {
    const item = items.find(({ sku }) => sku === name);
    const columns = { quantity, description: item?.name ?? name, unitPrice: unitPrice ?? item?.unitCost ?? 0 };
    return item ? { ...columns, itemId: seed.id(item.sku) } : columns;
  });

async function seedRequisitions(seed: SeedContext): Promise<void> {
  for (const { days, by, vendor, lines, status, ...columns } of requisitions) {
    const row = await seed.create(
      Requisition,
      { at: seed.ago(days), by, name: columns.title },
      {
        ...columns,
        status: status === 'DRAFT' ? 'DRAFT' : 'PENDING',
        vendorId: vendor && seed.id(vendor),
        lineItems: lineItems(lines, seed),
      },
    );
    if (status !== row.status) {
      await seed.update(Requisition, row.id, { at: seed.since(row, days * 0.9), by: victor }, { status });
    }
  }
}

/** Creates the orders before any deliveries. */
async function seedOrders(seed: SeedContext): Promise<Order[]> {
  const created: Order[] = [];
  for (const { days, vendor, source, expected, isCancelled, isDraft, notes } of orders) {
    const isRequested = typeof source === 'string';
    const lines = isRequested ? (requisitions.find(({ title }) => title === source)?.lines ?? []) : source;
    const at = seed.ago(days);
    const order = await seed.create(
      PurchaseOrder,
      { at, by: victor },
      {
        requisitionId: isRequested ? seed.id(source) : null,
        vendorId: seed.id(vendor),
        status: isDraft ? 'DRAFT' : 'SENT',
        orderDate: isDraft ? null : seed.date(0, at),
        expectedDate: seed.date(expected),
        notes,
        lineItems: lineItems(lines, seed),
      },
    );
    if (isCancelled)
      await seed.update(PurchaseOrder, order.id, { at: seed.since(order, days * 0.95) }, { status: 'CANCELLED' });
    seed.name(order.number, order.id);
    created.push(order);
  }
  return created;
}

/** The transitions that lead to an invoice's status. */
const invoiceSteps = { PENDING: [], APPROVED: ['APPROVED'], PAID: ['APPROVED', 'PAID'], VOID: ['VOID'] } as const;

async function seedInvoices(seed: SeedContext, ordered: readonly Order[]): Promise<void> {
  for (const { days, from, amount, status, ...columns } of invoices) {
    const order = ordered.find(({ number }) => number === from);
    const at = seed.ago(days);
    const invoice = await seed.create(
      Invoice,
      { at, name: columns.invoiceNumber },
      {
        ...columns,
        vendorId: order?.vendorId ?? seed.id(from),
        purchaseOrderId: order?.id ?? null,
        amount: amount ?? order?.totalAmount?.toNumber(),
        issuedDate: seed.date(-1, at),
        dueDate: seed.date(29, at),
      },
    );
    for (const step of invoiceSteps[status]) {
      await seed.update(Invoice, invoice.id, { at: seed.since(invoice, days * 0.8), by: victor }, { status: step });
    }
  }
}
