import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '../../src/database/generated/client/client.ts';
import { date } from './days.ts';

/**
 * Inserts rows around 15 March 2026, each of them `times`, so that sums across companies are noticed.
 * @param createdBy a user of the company
 */
export async function insertRows(
  prisma: PrismaClient,
  companyId: string,
  createdBy: string,
  times: number,
): Promise<void> {
  const time = (text: string) => new Date(`2026-${text}Z`);
  const hours = (from: string, count: number) => new Date(time(from).getTime() + count * 3_600_000);
  const repeated = <T>(rows: T[]) => Array.from({ length: times }, () => rows).flat();
  const request = (
    createdAt: string,
    status: 'PENDING' | 'IN_PROGRESS' | 'COMPLETED',
    priority: 'LOW' | 'NORMAL' | 'HIGH' | 'URGENT',
    took?: number,
  ) => ({
    companyId,
    title: 'R',
    createdBy,
    status,
    priority,
    createdAt: time(createdAt),
    completedAt: took === undefined ? null : hours(createdAt, took),
  });

  await prisma.serviceRequest.createMany({
    data: repeated([
      request('02-13T23:59:59.999', 'PENDING', 'URGENT'), // The day before the range.
      request('02-14T00:00:00', 'COMPLETED', 'LOW', 1),
      request('02-14T23:59:59.999', 'COMPLETED', 'HIGH', 2),
      request('03-01T10:00:00', 'COMPLETED', 'NORMAL', 7.25), // (1 + 2 + 7.25) / 3 = 3.41666…
      request('03-01T11:00:00', 'PENDING', 'NORMAL'),
      request('03-15T23:59:59.999', 'IN_PROGRESS', 'HIGH'),
      request('03-16T00:00:00', 'PENDING', 'URGENT'), // The day after.
    ]),
  });
  await prisma.moveRequest.createMany({
    data: repeated([
      request('03-02T00:00:00', 'PENDING', 'URGENT'),
      request('03-02T12:00:00', 'COMPLETED', 'URGENT', 0.01), // 36 s
    ]),
  });

  const item = (
    quantity: number,
    reorderPoint: number | null,
    unitCost: string | null,
    status: 'ACTIVE' | 'INACTIVE' = 'ACTIVE',
  ) => ({ companyId, name: 'I', quantity, reorderPoint, unitCost, status });
  await prisma.inventoryItem.createMany({
    data: repeated([
      item(4, 5, '0.1'), // low; 0.4
      item(5, 5, '0.2'), // 1
      item(0, null, '9.9'), // 0
      item(1000, 2000, '0.0001', 'INACTIVE'), // low; 0.1
      item(7, 1, null),
    ]),
  }); // in all 1.5

  const lease = async (
    endDate: string | null,
    status: 'ACTIVE' | 'EXPIRED' | 'TERMINATED',
    payments: readonly [string, string, ('PENDING' | 'PAID' | 'CANCELLED')?][] = [],
  ) => {
    for (let n = 0; n < times; n++) {
      const { id } = await prisma.lease.create({
        data: { companyId, name: 'L', status, endDate: endDate === null ? null : date(endDate) },
      });
      await prisma.leasePayment.createMany({
        data: payments.map(([due, amount, status]) => ({
          companyId,
          leaseId: id,
          dueDate: date(due),
          amount,
          status,
        })),
      });
    }
  };
  await lease('2026-03-14', 'ACTIVE'); // Expired yesterday, but not updated yet.
  await lease('2026-03-15', 'ACTIVE', [
    ['2026-02-28', '1000'],
    ['2026-03-01', '0.1'],
    ['2026-03-31', '0.2'],
    ['2026-04-01', '1000'],
  ]);
  await lease('2026-06-13', 'ACTIVE', [
    ['2026-03-10', '5', 'PAID'],
    ['2026-03-10', '7', 'CANCELLED'],
  ]); // 90 days from now.
  await lease('2026-06-14', 'ACTIVE');
  await lease(null, 'ACTIVE');
  await lease('2026-04-01', 'TERMINATED', [['2026-03-20', '2.2']]);

  for (const status of ['ACTIVE', 'ACTIVE', 'DISPOSED'] as const) {
    for (let n = 0; n < times; n++) {
      const { id } = await prisma.asset.create({ data: { companyId, assetName: 'A', status } });
      const maintenance = (scheduledDate: string | null, status: 'SCHEDULED' | 'COMPLETED' | 'OVERDUE') => ({
        companyId,
        assetId: id,
        status,
        scheduledDate: scheduledDate === null ? null : date(scheduledDate),
      });
      if (status === 'DISPOSED') {
        await prisma.assetMaintenance.createMany({
          data: [
            maintenance('2026-03-14', 'SCHEDULED'), // overdue since midnight
            maintenance('2026-03-15', 'SCHEDULED'),
            maintenance('2026-01-01', 'COMPLETED'),
            maintenance('2026-01-01', 'OVERDUE'), // overdue
            maintenance(null, 'SCHEDULED'),
          ],
        });
      }
    }
  }

  const requisition = (status: 'DRAFT' | 'PENDING' | 'APPROVED' | 'REJECTED', totalAmount: string | null) => ({
    companyId,
    title: 'R',
    requestedBy: createdBy,
    status,
    totalAmount,
  });
  await prisma.requisition.createMany({
    data: repeated([
      requisition('DRAFT', '0.1'),
      requisition('PENDING', '0.2'),
      requisition('PENDING', null),
      requisition('APPROVED', '100'),
      requisition('REJECTED', '100'),
    ]),
  });

  const statuses = ['EXPECTED', 'EXPECTED', 'RECEIVED', 'COLLECTED', 'COLLECTED', 'COLLECTED'] as const;
  await prisma.expectedPackage.createMany({
    data: repeated([...statuses]).map((status) => ({
      companyId,
      status,
      guestName: 'G',
      guestEmail: 'g@x.test',
      tokenHash: new Uint8Array(randomBytes(32)),
    })),
  });

  const reminder = (dueDate: string | null, status: 'PENDING' | 'COMPLETED' | 'DISMISSED') => ({
    companyId,
    title: 'R',
    status,
    dueDate: dueDate === null ? null : time(dueDate),
  });
  await prisma.reminder.createMany({
    data: repeated([
      reminder('03-15T12:00:00', 'PENDING'), // due
      reminder('01-01T00:00:00', 'PENDING'), // due
      reminder('03-15T12:00:00.001', 'PENDING'),
      reminder('03-01T00:00:00', 'COMPLETED'),
      reminder('03-01T00:00:00', 'DISMISSED'),
      reminder(null, 'PENDING'),
    ]),
  });
}
