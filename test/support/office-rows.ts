// The rows of an office, over a year with both changes of the clocks.
import type { PrismaClient } from '../../src/database/generated/client/client.ts';
import { Random } from './random.ts';

const random = new Random(20_261_025);
/** Times around both changes of the clocks, also within the hour that comes twice or never. */
const times = ['2026-03-29T00:30:00Z', '2026-03-31T22:30:00Z', '2026-10-25T00:30:00Z', '2026-10-31T23:30:00Z'];
const anyTime = () =>
  new Date(random.chance(0.3) ? random.pick(times) : Date.parse('2026-01-01') + random.integer(320 * 24 * 60) * 60_000);
const day = (offset: number) => new Date(Math.floor(Date.now() / 86_400_000 + offset) * 86_400_000);
const anyDay = () => new Date(Date.parse('2026-01-01') + random.integer(365) * 86_400_000);
const maybe = <T>(value: T): T | null => (random.chance(0.2) ? null : value);
const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/**
 * Gives requests and orders the statuses that they had until now, as if all of the year had been recorded, and deletes
 * some of them.
 */
async function addHistory(prisma: PrismaClient, companyId: string, users: readonly string[]): Promise<void> {
  await prisma.company.update({ where: { id: companyId }, data: { statusesSince: new Date('2026-01-01T00:00:00Z') } });
  const requests = await prisma.serviceRequest.createManyAndReturn({
    data: many(40, (n) => ({ companyId, title: `Former ${n}`, createdBy: random.pick(users), createdAt: anyTime() })),
  });
  const vendor = await prisma.vendor.create({ data: { companyId, companyName: 'Supplier' } });
  const orders = await prisma.purchaseOrder.createManyAndReturn({
    data: many(40, (n) => ({ companyId, number: `PO-${n}`, vendorId: vendor.id, createdAt: anyTime() })),
  });
  const move = (at: Date) => new Date(Math.min(Date.now(), at.getTime() + random.integer(40 * 24 * 60) * 60_000));
  for (const { id, createdAt } of requests) {
    const updatedAt = move(createdAt);
    await prisma.serviceRequest.update({
      where: { companyId_id: { companyId, id } },
      data: { status: 'IN_PROGRESS', updatedAt },
    });
    if (random.chance(0.6))
      await prisma.serviceRequest.update({
        where: { companyId_id: { companyId, id } },
        data: { status: 'COMPLETED', updatedAt: move(updatedAt) },
      });
  }
  for (const { id, createdAt } of orders) {
    const where = { companyId_id: { companyId, id } };
    const sentAt = move(createdAt);
    await prisma.purchaseOrder.update({ where, data: { status: 'SENT', updatedAt: sentAt } });
    if (random.chance(0.7))
      await prisma.purchaseOrder.update({ where, data: { status: 'RECEIVED', updatedAt: move(sentAt) } });
  }
  await prisma.serviceRequest.deleteMany({
    where: { companyId, id: { in: requests.slice(0, 15).map(({ id }) => id) } },
  });
}

/**
 * Creates rows of every kind that the questions are about, the same for the same order of calls. The company's days
 * become those of Berlin.
 * @param users the ids of its users
 * @returns the id of a document that one of them has acknowledged
 */
export async function fillOffice(prisma: PrismaClient, companyId: string, users: readonly string[]): Promise<string> {
  await prisma.company.update({ where: { id: companyId }, data: { timeZone: 'Europe/Berlin' } });
  const idOf = ({ id }: { id: string }) => id;
  const buildings = (
    await prisma.building.createManyAndReturn({
      data: many(3, (n) => ({ companyId, name: `Building ${n}`, code: `B${n}` })),
    })
  ).map(idOf);
  const leases = await prisma.lease.createManyAndReturn({
    data: many(20, (n) => ({
      companyId,
      name: `Lease ${n}`,
      status: random.pick(['ACTIVE', 'ACTIVE', 'TERMINATED'] as const),
      startDate: maybe(day(-random.integer(400))),
      endDate: maybe(day(random.integer(200))),
      monthlyPayment: maybe(random.integer(10_000) / 100),
    })),
  });
  await prisma.leasePayment.createMany({
    data: many(60, () => ({
      companyId,
      leaseId: random.pick(leases).id,
      dueDate: anyDay(),
      amount: random.integer(100_000) / 100,
      status: random.pick(['PENDING', 'PAID'] as const),
    })),
  });
  const items = await prisma.inventoryItem.createManyAndReturn({
    data: many(25, (n) => ({
      companyId,
      name: `Item ${n}`,
      quantity: random.integer(20),
      reorderPoint: maybe(random.integer(20)),
      unitCost: maybe(random.integer(1000) / 1000),
      locationId: maybe(random.pick(buildings)),
    })),
  });
  await prisma.stockAdjustment.createMany({
    data: many(80, () => ({
      companyId,
      itemId: random.pick(items).id,
      type: random.pick(['REMOVAL', 'ADDITION'] as const),
      quantity: random.integer(10),
      quantityBefore: 10,
      quantityAfter: 10,
      userId: random.pick(users),
      createdAt: anyTime(),
    })),
  });
  const vendors = await prisma.vendor.createManyAndReturn({
    data: many(3, (n) => ({ companyId, companyName: `Vendor ${n}` })),
  });
  await prisma.invoice.createMany({
    data: many(60, (n) => ({
      companyId,
      vendorId: maybe(random.pick(vendors).id),
      invoiceNumber: `I-${n}`,
      status: random.pick(['PENDING', 'PAID', 'VOID'] as const),
      issuedDate: maybe(anyDay()),
      amount: maybe(random.integer(100_000) / 100),
    })),
  });
  const requests = await prisma.serviceRequest.createManyAndReturn({
    data: many(60, (n) => {
      const createdAt = anyTime();
      const isDone = random.chance(0.5);
      return {
        companyId,
        title: `Request ${n}`,
        priority: random.pick(['LOW', 'NORMAL', 'HIGH', 'URGENT'] as const),
        status: isDone ? ('COMPLETED' as const) : ('PENDING' as const),
        category: maybe(random.pick(['Light', 'Water'])),
        completedAt: isDone ? new Date(createdAt.getTime() + random.integer(10_000_000)) : null,
        buildingId: maybe(random.pick(buildings)),
        createdBy: random.pick(users),
        createdAt,
      };
    }),
  });
  await addHistory(prisma, companyId, users);
  await prisma.timeLog.createMany({
    data: many(80, () => ({
      companyId,
      serviceRequestId: random.pick(requests).id,
      hours: (1 + random.integer(200)) / 16,
      userId: random.pick(users),
      createdAt: anyTime(),
    })),
  });
  const desks = await prisma.desk.createManyAndReturn({
    data: many(20, () => ({ companyId, buildingId: maybe(random.pick(buildings)), isAssigned: random.chance(0.6) })),
  });
  await prisma.workspaceRecord.createMany({
    data: many(5, (n) => ({
      companyId,
      userId: random.pick(users),
      deskId: desks[n]?.id ?? null,
      startDate: day(-30),
      endDate: random.chance(0.5) ? day(-3) : null,
    })),
  });
  const clocked = (n: number): Date => new Date(Date.parse('2026-03-28T14:00:00Z') + n * 7 * 3_600_000);
  await prisma.timeClockRecord.createMany({
    data: many(10, (n) => ({
      companyId,
      userId: random.pick(users),
      type: 'REGULAR' as const,
      clockInTime: clocked(n),
      clockOutTime: new Date(clocked(n).getTime() + (1 + random.integer(600)) * 60_000),
      workedMinutes: random.integer(600),
    })),
  });
  const assets = await prisma.asset.createManyAndReturn({
    data: many(12, (n) => ({ companyId, assetName: `Asset ${n}` })),
  });
  await prisma.assetWarranty.createMany({
    data: many(8, () => ({
      companyId,
      assetId: random.pick(assets).id,
      endDate: maybe(day(random.integer(400) - 200)),
    })),
  });
  const [document] = await prisma.hrDocument.createManyAndReturn({
    data: [
      { companyId, title: 'Policy', requiresAcknowledgment: true },
      { companyId, title: 'Other', requiresAcknowledgment: true },
    ],
  });
  const policy = document?.id ?? '';
  await prisma.hrAcknowledgment.create({ data: { companyId, documentId: policy, userId: users[1] ?? '' } });
  return policy;
}
