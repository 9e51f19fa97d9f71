import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { date, day } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
// Each test has its own company, so that lists contain only its rows.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const make = async (body: Row = {}) => (await client.post('/leases', { name: 'Hall', ...body })).row;
const itemOf = ({ id }: Row) => `/leases/${String(id)}`;

describe('GET /leases/:id/accounting', () => {
  const readAccounting = async (lease: Row) => (await client.get(`${itemOf(lease)}/accounting`)).row;
  const pay = async (lease: Row, due_date: string, amount: number, status?: string) =>
    (await client.post(`${itemOf(lease)}/payments`, { due_date, amount, ...(status && { status }) })).row;
  const setStatus = (payment: Row | undefined, status: string) =>
    client.graphql(
      'mutation ($id: ID!, $input: UpdateLeasePaymentInput!) { updateLeasePayment(id: $id, input: $input) { id } }',
      { id: payment?.['id'], input: { status } },
    );

  test('is zero, without a next payment, for an empty schedule', async () => {
    expect(await readAccounting(await make())).toEqual({
      total_paid: 0,
      total_due: 0,
      remaining_balance: 0,
      next_payment_due: null,
      next_payment_amount: null,
    });
  });

  test('sums paid and pending payments exactly', async () => {
    const lease = await make();
    const other = await make();
    await pay(other, day(-90), 7000);
    await pay(lease, day(-60), 0.1, 'paid');
    await pay(lease, day(-50), 0.2, 'paid');
    await pay(lease, day(-20), 999, 'cancelled');
    const today = await pay(lease, day(), 25.2525);
    const overdue = await pay(lease, day(-10), 100.05);
    const later = await pay(lease, day(40), 50.1, 'pending');
    // Pending: 25.2525 + 100.05 + 50.10. The earliest is overdue.
    expect(await readAccounting(lease)).toEqual({
      total_paid: 0.3,
      total_due: 175.4025,
      remaining_balance: 175.4025,
      next_payment_due: day(-10),
      next_payment_amount: 100.05,
    });
    await setStatus(overdue, 'PAID');
    expect(await readAccounting(lease)).toEqual({
      total_paid: 100.35,
      total_due: 75.3525,
      remaining_balance: 75.3525,
      next_payment_due: day(),
      next_payment_amount: 25.2525,
    });
    await setStatus(today, 'CANCELLED');
    expect(await readAccounting(lease)).toEqual({
      total_paid: 100.35,
      total_due: 50.1,
      remaining_balance: 50.1,
      next_payment_due: day(40),
      next_payment_amount: 50.1,
    });
    await setStatus(later, 'PAID');
    expect(await readAccounting(lease)).toEqual({
      total_paid: 150.45,
      total_due: 0,
      remaining_balance: 0,
      next_payment_due: null,
      next_payment_amount: null,
    });
  });

  test('is exact for a hundred times 0.1', async () => {
    const lease = await make();
    await service.database.prisma.leasePayment.createMany({
      data: Array.from({ length: 100 }, () => ({
        companyId: tenant.company.id,
        leaseId: String(lease['id']),
        dueDate: date(day(1)),
        amount: '0.1',
      })),
    });
    expect(await readAccounting(lease)).toMatchObject({ total_due: 10, next_payment_amount: 0.1 });
  });

  test('uses the first created of several payments due on the same day', async () => {
    const lease = await make();
    await pay(lease, day(3), 1);
    await pay(lease, day(3), 2);
    expect(await readAccounting(lease)).toMatchObject({ next_payment_due: day(3), next_payment_amount: 1 });
  });

  test('is consistent while payments change', async () => {
    const lease = await make();
    const payment = await pay(lease, day(3), 10);
    const [reads] = await Promise.all([
      Promise.all(Array.from({ length: 30 }, () => readAccounting(lease))),
      ...Array.from({ length: 30 }, (_, n) => setStatus(payment, n % 2 === 0 ? 'PAID' : 'PENDING')),
    ]);
    const due = {
      total_paid: 0,
      total_due: 10,
      remaining_balance: 10,
      next_payment_due: day(3),
      next_payment_amount: 10,
    };
    const paid = {
      total_paid: 10,
      total_due: 0,
      remaining_balance: 0,
      next_payment_due: null,
      next_payment_amount: null,
    };
    for (const read of reads) expect([due, paid]).toContainEqual(read);
  });

  test('is available in GraphQL, and as a field of a lease', async () => {
    const [lease, other] = [await make(), await make()];
    await pay(lease, '2030-01-31', 12.5);
    const shown = '{ totalPaid totalDue remainingBalance nextPaymentDue nextPaymentAmount }';
    const query = `query ($id: ID!, $ids: [ID!]) { leaseAccounting(leaseId: $id) ${shown} leases(filter: { id: { in: $ids } }) { nodes { id accounting ${shown} } } }`;
    const variables = { id: lease['id'], ids: [lease['id'], other['id']] };
    const of = {
      totalPaid: 0,
      totalDue: 12.5,
      remainingBalance: 12.5,
      nextPaymentDue: '2030-01-31',
      nextPaymentAmount: 12.5,
    };
    const nothing = { totalPaid: 0, totalDue: 0, remainingBalance: 0, nextPaymentDue: null, nextPaymentAmount: null };
    const { data } = await client.graphql(query, variables);
    expect(data).toEqual({
      leaseAccounting: of,
      leases: {
        nodes: [
          { id: other['id'], accounting: nothing },
          { id: lease['id'], accounting: of },
        ],
      },
    });
  });

  test('takes one statement for a list, and is current after each change', async () => {
    const leases = [await make(), await make(), await make()];
    for (const lease of leases) await pay(lease, day(5), 2);
    service.statements.length = 0;
    await client.graphql('{ leases(first: 3) { nodes { accounting { totalDue } } } }');
    expect(service.statements.filter((statement) => statement.includes('lease_payments'))).toHaveLength(1);
    const make10 =
      'createLeasePayment(leaseId: $id, input: { dueDate: "2030-01-31", amount: 10 }) { lease { accounting { totalDue } payments { totalCount } } }';
    const { data } = await client.graphql(`mutation ($id: ID!) { a: ${make10} b: ${make10} c: ${make10} }`, {
      id: leases[0]?.['id'],
    });
    const after = (totalDue: number, totalCount: number) => ({
      lease: { accounting: { totalDue }, payments: { totalCount } },
    });
    expect(data).toEqual({ a: after(12, 2), b: after(22, 3), c: after(32, 4) });
  });

  test('requires the read scope also after a write', async () => {
    const writer = await tenant.client(['leases:write']);
    const { data, errors } = await writer.graphql(
      'mutation { createLease(input: { name: "A van" }) { name accounting { totalDue } } }',
    );
    expect(data).toEqual({ createLease: { name: 'A van', accounting: null } });
    expect(errors).toMatchObject([{ path: ['createLease', 'accounting'], extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
  });

  test("is read-only, limited to the company's leases, and requires a scope", async () => {
    const lease = await make();
    const path = `${itemOf(lease)}/accounting`;
    const refused = await client.post(path, {});
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await client.get(`/leases/${randomUUID()}/accounting`)).status).toBe(404);
    expect((await client.get('/leases/x/accounting')).status).toBe(400);
    expect((await client.get(path, { status: 'paid' })).status).toBe(400);
    expect((await (await (await service.tenant()).client()).get(path)).status).toBe(404);
    expect((await (await tenant.client(['assets:read', 'leases:write'])).get(path)).status).toBe(403);
  });
});
