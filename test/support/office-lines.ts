// The line items of an office, and its uses of AI, on days around both changes of the clocks.
import type { PrismaClient } from '../../src/database/generated/client/client.ts';
import { Random } from './random.ts';

const random = new Random(20_260_329);
const times = [
  '2026-03-31T21:30:00Z',
  '2026-03-31T22:30:00Z',
  '2026-10-25T00:30:00Z',
  '2026-10-31T22:30:00Z',
  '2026-10-31T23:30:00Z',
];
const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const maybe = <T>(value: T): T | null => (random.chance(0.2) ? null : value);

/** Adds requisitions, line items of all kinds, comments and uses of AI to a company that has an office. */
export async function fillLines(prisma: PrismaClient, companyId: string, userId: string): Promise<void> {
  const items = await prisma.inventoryItem.findMany({ where: { companyId }, orderBy: { name: 'asc' }, take: 8 });
  const orders = await prisma.purchaseOrder.findMany({ where: { companyId }, orderBy: { number: 'asc' } });
  const requisitions = await prisma.requisition.createManyAndReturn({
    data: many(15, (n) => ({
      companyId,
      title: `Requisition ${n}`,
      status: random.pick(['DRAFT', 'PENDING'] as const),
      requestedBy: userId,
      createdBy: userId,
      totalAmount: maybe(random.integer(20_000) / 100),
      createdAt: new Date(random.pick(times)),
    })),
  });
  const receiving = await prisma.receivingRecord.createManyAndReturn({
    data: many(5, () => ({ companyId, receivedBy: userId, receivedAt: new Date(random.pick(times)) })),
  });
  const line = (position: number) => ({
    companyId,
    position,
    description: `Line ${position}`,
    quantity: maybe(random.integer(40_000) / 1000),
    unitPrice: maybe(random.integer(400_000) / 10_000),
    itemId: maybe(random.pick(items).id),
  });
  const positions = [0, 1, 2];
  await prisma.purchaseOrderLine.createMany({
    data: orders.flatMap(({ id }) => positions.map((position) => ({ ...line(position), purchaseOrderId: id }))),
  });
  await prisma.requisitionLine.createMany({
    data: requisitions.flatMap(({ id }) => positions.map((position) => ({ ...line(position), requisitionId: id }))),
  });
  await prisma.receivingLine.createMany({
    data: receiving.flatMap(({ id }) =>
      positions.map((position) => ({
        companyId,
        position,
        receivingRecordId: id,
        itemId: random.pick(items).id,
        quantity: random.integer(20),
      })),
    ),
  });
  const requests = await prisma.serviceRequest.findMany({ where: { companyId }, orderBy: { createdAt: 'asc' } });
  await prisma.comment.createMany({
    data: requests
      .filter(() => random.chance(0.6))
      .flatMap(({ id, createdAt }) =>
        many(2, (n) => ({
          companyId,
          serviceRequestId: id,
          comment: `Answer ${n}`,
          userId,
          createdAt: new Date(createdAt.getTime() + random.integer(10_000_000_000)),
        })),
      ),
  });
  await prisma.aiUsageEvent.createMany({
    data: many(40, () => ({
      companyId,
      userId,
      feature: random.pick(['triage', 'summary']),
      model: maybe('small-2'),
      inputTokens: random.integer(5000),
      outputTokens: random.integer(500),
      costUsd: random.integer(100_000) / 1_000_000,
      occurredAt: new Date(random.pick(times)),
    })),
  });
}
