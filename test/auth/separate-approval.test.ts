// Where a company separates approval, nobody becomes the requester of what they approved, by whatever way and whose
// ever hand.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Reply, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { both, callersOf, change, idOf, type RoleCallers, type RoleIds } from './roles.ts';

let service: Service;
let tenant: Tenant;
let callers: RoleCallers;
let userIds: RoleIds;
/** An admin who neither requests nor approves anything. */
let third: Client;

beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  ({ callers, userIds } = await callersOf(service, tenant));
  third = callers.admin;
  const where = { id: tenant.company.id };
  await service.database.prisma.company.update({ where, data: { separateApproval: true } });
});
afterAll(() => service.close());

const paths = {
  Requisition: '/procurement/requisitions',
  PurchaseOrder: '/procurement/orders',
  Invoice: '/procurement/invoices',
} as const;
type Type = keyof typeof paths;

const create = async (by: Client, type: Type, body: Row): Promise<string> => idOf(await by.post(paths[type], body));

const patch = async (by: Client, type: Type, id: string, body: Row): Promise<void> => {
  const reply = await by.patch(`${paths[type]}/${id}`, body);
  expect({ body, status: reply.status, text: reply.text }).toMatchObject({ status: 200 });
};

/** A requisition that the executive or, by default, the member requested. */
const requisition = (requested_by = userIds.member) =>
  create(third, 'Requisition', { title: 'Desks', status: 'pending', requested_by });

/** Rows that the executive approved, with changes that would make the executive or others their requester. */
async function approvedByExecutive(): Promise<[Type, string, Row[]][]> {
  const { executive, member } = callers;
  const mine = await requisition(userIds.executive);
  const orderOfMine = await create(member, 'PurchaseOrder', { requisition_id: mine });
  const request = await requisition();
  await patch(executive, 'Requisition', request, { status: 'approved' });
  const order = await create(member, 'PurchaseOrder', { requisition_id: await requisition() });
  const unlinked = await create(member, 'PurchaseOrder', {});
  for (const id of [order, unlinked]) await patch(executive, 'PurchaseOrder', id, { status: 'sent' });
  const invoice = await create(member, 'Invoice', { purchase_order_id: order });
  const paid = await create(member, 'Invoice', {});
  for (const id of [invoice, paid]) await patch(executive, 'Invoice', id, { status: 'approved' });
  await patch(executive, 'Invoice', paid, { status: 'paid' });
  return [
    ['Requisition', request, [{ requested_by: userIds.executive }, { requested_by: userIds.admin }]],
    ['PurchaseOrder', order, [{ requisition_id: mine }, { requisition_id: null }]],
    ['PurchaseOrder', unlinked, [{ requisition_id: mine }, { requisition_id: mine, notes: 'By May' }]],
    ['Invoice', invoice, [{ purchase_order_id: orderOfMine }, { purchase_order_id: null }]],
    ['Invoice', paid, [{ purchase_order_id: orderOfMine }]],
  ];
}

/** Changes a row in each way. @returns the outcome of each: PATCH, GraphQL, and PATCH at the second address */
const inEachWay = async (by: Client, type: Type, id: string, body: Row): Promise<string[]> => {
  const outcomes = await change(by, paths[type], type, id, body);
  const { status, text } = await by.at('/v1').patch(`${paths[type]}/${id}`, body);
  return [...outcomes, status < 300 ? 'allowed' : JSON.parse(text).error.code];
};
const refused = [...both('INSUFFICIENT_SCOPE'), 'INSUFFICIENT_SCOPE'];

test('nobody changes who requested what is approved, sent or paid: neither who approved it nor a third person', async () => {
  const rows = await approvedByExecutive();
  expect(rows).toHaveLength(5);
  for (const [type, id, changes] of rows) {
    const before = (await third.get(`${paths[type]}/${id}`)).row;
    for (const body of changes)
      for (const by of [callers.executive, third])
        expect({ type, body, outcome: await inEachWay(by, type, id, body) }).toEqual({ type, body, outcome: refused });
    expect((await third.get(`${paths[type]}/${id}`)).row).toEqual(before);
  }
});

test('nor who requested what its approval rests on: a requisition that is ordered, an order that is invoiced', async () => {
  const { executive, member } = callers;
  const mine = await requisition(userIds.executive);
  const [ordered, invoiced] = [await requisition(), await requisition()];
  const order = await create(member, 'PurchaseOrder', { requisition_id: ordered });
  await patch(executive, 'PurchaseOrder', order, { status: 'sent' });
  const draft = await create(member, 'PurchaseOrder', { requisition_id: invoiced });
  const invoice = await create(member, 'Invoice', { purchase_order_id: draft });
  await patch(executive, 'Invoice', invoice, { status: 'approved' });
  for (const [type, id, body] of [
    ['Requisition', ordered, { requested_by: userIds.executive }],
    ['Requisition', ordered, { requested_by: userIds.executive, status: 'rejected' }],
    ['Requisition', invoiced, { requested_by: userIds.executive }],
    ['PurchaseOrder', draft, { requisition_id: mine }],
    ['PurchaseOrder', draft, { requisition_id: null }],
  ] as const)
    for (const by of [executive, third])
      expect({ type, body, outcome: await inEachWay(by, type, id, body) }).toEqual({ type, body, outcome: refused });
  // The rest of them can change, and so can who requested what nothing rests on yet.
  await patch(third, 'Requisition', ordered, { description: 'By May' });
  const open = await requisition();
  await create(member, 'PurchaseOrder', { requisition_id: open });
  await patch(third, 'Requisition', open, { requested_by: userIds.executive });
  await patch(third, 'PurchaseOrder', draft, { notes: 'By May' });
});

test('what is cancelled or void after it was approved stays as it was, too', async () => {
  const { executive } = callers;
  for (const [type, approved, ended, more] of [
    ['PurchaseOrder', 'sent', 'cancelled', { total_amount: 9000 }],
    ['Invoice', 'approved', 'void', { amount: 9000 }],
  ] as const) {
    const id = await create(executive, type, {});
    await patch(third, type, id, { status: approved });
    await patch(executive, type, id, { status: ended });
    expect(await inEachWay(executive, type, id, more)).toEqual(refused);
    expect(await deletions(executive, type, id)).toEqual(both('INSUFFICIENT_SCOPE'));
    // A third person may.
    await patch(third, type, id, more);
    expect(await deletions(third, type, id)).toEqual(['allowed', 'NOT_FOUND']);
  }
});

/** Deletes a row by REST and then by GraphQL. */
async function deletions(by: Client, type: Type, id: string): Promise<string[]> {
  const reply = await by.delete(`${paths[type]}/${id}`);
  const { errors } = await by.graphql(`mutation ($id: ID!) { delete${type}(id: $id) { id } }`, { id });
  return [reply.status === 204 ? 'allowed' : reply.error.code, errors[0]?.extensions.code ?? 'allowed'];
}

test('what an approval rests on cannot be deleted, by anybody', async () => {
  const { executive, member } = callers;
  const request = await requisition();
  const order = await create(member, 'PurchaseOrder', { requisition_id: request });
  const invoice = await create(member, 'Invoice', { purchase_order_id: order });
  await patch(executive, 'Invoice', invoice, { status: 'approved' });
  for (const by of [executive, third])
    for (const [type, id] of [
      ['Requisition', request],
      ['PurchaseOrder', order],
    ] as const)
      expect(await deletions(by, type, id)).toEqual(both('CONFLICT'));
  expect((await third.get(`${paths.Invoice}/${invoice}`)).row['purchase_order_id']).toBe(order);
  expect((await third.get(`${paths.PurchaseOrder}/${order}`)).row['requisition_id']).toBe(request);
});

test('nothing is created approved, in any way', async () => {
  const { executive } = callers;
  const vendor = idOf(await third.post('/vendors', { company_name: 'Chairs & Co' }));
  const codeOf = (reply: Reply) => (reply.status < 300 ? 'allowed' : reply.error.code);
  const outcomes = async (type: Type, body: Row, status: string, path: string = paths[type]) => {
    const { errors } = await executive.graphql(
      `mutation ($input: Create${type}Input!) { create${type}(input: $input) { id } }`,
      { input: { ...body, status: status.toUpperCase() } },
    );
    return [codeOf(await executive.post(path, { ...body, status })), errors[0]?.extensions.code ?? 'allowed'];
  };
  // A requisition cannot be approved before it is pending, whoever creates it.
  expect(await outcomes('Requisition', { title: 'Desks' }, 'approved')).toEqual(both('CONFLICT'));
  expect(await outcomes('PurchaseOrder', {}, 'sent')).toEqual(both('INSUFFICIENT_SCOPE'));
  expect(await outcomes('Invoice', {}, 'approved')).toEqual(both('INSUFFICIENT_SCOPE'));
  expect(await outcomes('Invoice', {}, 'approved', `/vendors/${vendor}/invoices`)).toEqual(both('INSUFFICIENT_SCOPE'));
});

test('an approval and a change of the requester at once do not pass each other', async () => {
  const { executive, member } = callers;
  for (let round = 0; round < 5; round++) {
    const request = await requisition();
    const order = await create(member, 'PurchaseOrder', { requisition_id: request });
    const invoice = await create(member, 'Invoice', { purchase_order_id: order });
    const replies = await Promise.all([
      executive.patch(`${paths.Invoice}/${invoice}`, { status: 'approved' }),
      third.patch(`${paths.Requisition}/${request}`, { requested_by: userIds.executive }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
  }
});
