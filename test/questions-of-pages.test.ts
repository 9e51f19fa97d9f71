// Questions that pages ask, each answered by one query.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signInAll } from './support/browser.ts';
import type { Client, Row } from './support/client.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const idOf = async (path: string, body: Row) => String((await client.post(path, body)).row['id']);
const ask = async <Data>(by: Client, query: string, variables: Row = {}) => {
  const { data, errors } = await by.graphql<Data>(query, variables);
  expect(errors).toEqual([]);
  return data;
};

test('similar open requests in a building, by words of their titles', async () => {
  const [here, there] = [
    await idOf('/locations/buildings', { name: 'A' }),
    await idOf('/locations/buildings', { name: 'B' }),
  ];
  for (const [title, building_id, status] of [
    ['Door at the entrance is broken', here, 'pending'],
    ['Broken window', here, 'in-progress'],
    ['Broken door', there, 'pending'],
    ['Broken door', here, 'completed'],
  ] as const) {
    const id = await idOf('/service-requests', { title, building_id });
    if (status !== 'pending') await client.patch(`/service-requests/${id}`, { status });
  }
  const query = `query ($building: ID!, $words: [ServiceRequestFilter!]) {
    serviceRequests(first: 5, filter: { buildingId: { eq: $building }, status: { ne: COMPLETED }, or: $words }) { nodes { title } }
  }`;
  const words = (...all: string[]) => all.map((contains) => ({ title: { contains } }));
  const found = await ask<{ serviceRequests: { nodes: { title: string }[] } }>(client, query, {
    building: here,
    words: words('BROKEN', 'door'),
  });
  expect(found.serviceRequests.nodes.map(({ title }) => title).toSorted()).toEqual([
    'Broken window',
    'Door at the entrance is broken',
  ]);
});

test('who has booked a desk of a floor on a day', async () => {
  const building = await idOf('/locations/buildings', { name: 'C' });
  const [desk, above] = [
    await idOf('/butts-in-seats/desks', { building_id: building, floor: '4' }),
    await idOf('/butts-in-seats/desks', { building_id: building, floor: '5' }),
  ];
  const { prisma } = service.database;
  const companyId = tenant.company.id;
  const [ada, ben, cleo] = tenant.users.map(({ id }) => id) as [string, string, string];
  const day = (text: string | null) => (text === null ? null : new Date(text));
  for (const [userId, deskId, from, until] of [
    [ada, desk, '2026-03-10', '2026-03-10'],
    [ben, desk, '2026-03-01', null],
    [cleo, desk, '2026-03-11', '2026-03-11'],
    [cleo, above, '2026-03-10', '2026-03-10'],
  ] as const)
    await prisma.workspaceRecord.create({
      data: { companyId, userId, deskId, startDate: day(from) ?? new Date(), endDate: day(until) },
    });
  const query = `query ($day: RelativeDate!, $building: ID!, $floor: String!) {
    workspaceRecords(filter: {
      startDate: { lte: $day }, or: [{ endDate: { gte: $day } }, { endDate: { isNull: true } }],
      desk: { buildingId: { eq: $building }, floor: { eq: $floor } }
    }) { nodes { user { id } desk { id } } }
  }`;
  const found = await ask<{ workspaceRecords: { nodes: Row[] } }>(client, query, {
    day: '2026-03-10',
    building,
    floor: '4',
  });
  expect(found.workspaceRecords.nodes.map(({ user }) => (user as { id: string }).id).toSorted()).toEqual(
    [ada, ben].toSorted(),
  );
});

test('what waits for the decision of a person', async () => {
  const { executive, member } = await signInAll(service, tenant);
  await service.database.prisma.company.update({ where: { id: tenant.company.id }, data: { separateApproval: true } });
  const create = (type: string, input: Row) =>
    ask(executive, `mutation ($input: Create${type}Input!) { create${type}(input: $input) { id } }`, { input });
  await create('Requisition', { title: 'My own', status: 'PENDING' });
  await ask(member, 'mutation { createRequisition(input: { title: "Theirs", status: PENDING }) { id } }');
  await ask(member, 'mutation { createInvoice(input: { invoiceNumber: "I1" }) { id } }');
  const query = `{
    requisitions(filter: { status: { eq: PENDING } }) { nodes { title allowedStatuses } }
    purchaseOrders(filter: { status: { eq: DRAFT } }) { nodes { number allowedStatuses } }
    invoices(filter: { status: { eq: PENDING } }) { nodes { invoiceNumber allowedStatuses } }
  }`;
  type Found = Record<string, { nodes: { title?: string; invoiceNumber?: string; allowedStatuses: string[] }[] }>;
  const waiting = async (by: Client) =>
    Object.values(await ask<Found>(by, query)).flatMap(({ nodes }) =>
      nodes.flatMap(({ title, invoiceNumber, allowedStatuses }) =>
        allowedStatuses.some((status) => ['APPROVED', 'SENT'].includes(status)) ? [title ?? invoiceNumber] : [],
      ),
    );
  expect(await waiting(executive)).toEqual(['Theirs', 'I1']);
  expect(await waiting(member)).toEqual([]);
});
