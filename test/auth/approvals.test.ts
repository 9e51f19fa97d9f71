import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { both, callersOf, change, idOf, type RoleCallers, type RoleIds, roleError } from './roles.ts';

let service: Service;
let tenant: Tenant;
let callers: RoleCallers;
let userIds: RoleIds;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  ({ callers, userIds } = await callersOf(service, tenant));
});
afterAll(() => service.close());

/** Each status that approves a row or follows approval, with the statuses before it. */
const approvals = [
  ['/procurement/requisitions', 'Requisition', { title: 'Chairs' }, ['pending'], ['approved', 'rejected']],
  ['/procurement/orders', 'PurchaseOrder', {}, [], ['sent', 'cancelled']],
  ['/procurement/invoices', 'Invoice', {}, [], ['approved', 'void']],
] as const;

const lines = [{ description: 'Chair', quantity: 4 }];
const ordered = { line_items: lines, total_amount: 300 };
const reordered = [{ total_amount: 9000, line_items: [] }, { line_items: [{ ...lines[0], quantity: 5 }] }];
/** For each: what is approved, changes to it that a member may not make, and changes that a member may make. */
const priced = { Requisition: ordered, PurchaseOrder: ordered, Invoice: { amount: 300 } };
const repriced = {
  Requisition: reordered,
  PurchaseOrder: reordered,
  Invoice: [{ amount: 9000 }, { invoice_number: 'INV-2' }],
};
const remarks = {
  Requisition: { description: 'By May' },
  PurchaseOrder: { notes: 'By May' },
  Invoice: { notes: 'May' },
};

describe.each(approvals)('%s', (path, type, body, before, statuses) => {
  test('are approved by executives and admins, not by members', async () => {
    for (const status of statuses) {
      const id = idOf(await callers.member.post(path, body));
      for (const earlier of before)
        expect(await change(callers.member, path, type, id, { status: earlier })).toEqual(both('allowed'));
      expect(await change(callers.member, path, type, id, { status })).toEqual(both('INSUFFICIENT_SCOPE'));
      expect((await callers.member.get(`${path}/${id}`)).row['status']).not.toBe(status);
      expect(await change(callers.executive, path, type, id, { status })).toEqual(both('allowed'));
      // A status that does not change needs no approver.
      expect(await change(callers.member, path, type, id, { status })).toEqual(both('allowed'));
    }
  });

  test('keep what was approved: members can neither change it nor delete it', async () => {
    const { admin, executive, member } = callers;
    const vendor_id = idOf(await admin.post('/vendors', { company_name: 'Chairs & Co' }));
    const id = idOf(await member.post(path, { ...body, ...priced[type] }));
    for (const status of [...before, statuses[0]]) {
      expect(await change(member, path, type, id, { vendor_id: null })).toEqual(both('allowed'));
      expect(await change(admin, path, type, id, { status })).toEqual(both('allowed'));
    }
    for (const input of [...repriced[type], { vendor_id }])
      expect({ input, outcome: await change(member, path, type, id, input) }).toEqual({
        input,
        outcome: both('INSUFFICIENT_SCOPE'),
      });
    expect(await member.patch(`${path}/${id}`, { vendor_id })).toMatchObject({
      status: 403,
      error: roleError('member'),
    });
    expect(await member.delete(`${path}/${id}`)).toMatchObject({ status: 403, error: roleError('member') });
    // What stays as it was is not changed, and what was not approved can be.
    expect(await change(member, path, type, id, { ...priced[type], ...remarks[type] })).toEqual(both('allowed'));
    expect(await change(executive, path, type, id, { vendor_id })).toEqual(both('allowed'));
    expect((await executive.delete(`${path}/${id}`)).status).toBe(204);
    const draft = idOf(await member.post(path, body));
    expect((await member.delete(`${path}/${draft}`)).status).toBe(204);
  });

  test('are approved by somebody else where the company separates approval', async () => {
    const [approved = ''] = statuses;
    const created = idOf(await callers.executive.post(path, body));
    const own = idOf(await callers.admin.post(path, body));
    const { prisma } = service.database;
    const where = { id: tenant.company.id };
    for (const id of [created, own])
      for (const earlier of before) await callers.admin.patch(`${path}/${id}`, { status: earlier });
    await prisma.company.update({ where, data: { separateApproval: true } });
    try {
      for (const [id, by, other] of [
        [created, callers.executive, callers.admin],
        [own, callers.admin, callers.executive],
      ] as const) {
        expect(await change(by, path, type, id, { status: approved })).toEqual(both('INSUFFICIENT_SCOPE'));
        expect(await change(other, path, type, id, { status: approved })).toEqual(both('allowed'));
      }
    } finally {
      await prisma.company.update({ where, data: { separateApproval: false } });
    }
  });
});

test('goods for a draft order can be received only by somebody who may send it', async () => {
  const { prisma } = service.database;
  const where = { id: tenant.company.id };
  const { admin, executive, member } = callers;
  const receive = (by: Client, purchase_order_id: string) =>
    by.post('/procurement/receiving', { purchase_order_id, status: 'complete' });
  const statusOf = async (id: string) => (await admin.get(`/procurement/orders/${id}`)).row['status'];
  const draft = idOf(await member.post('/procurement/orders', {}));
  expect(await receive(member, draft)).toMatchObject({ status: 403, error: roleError('member') });
  const { row: pending } = await member.post('/procurement/receiving', { purchase_order_id: draft });
  expect((await member.patch(`/procurement/receiving/${String(pending['id'])}`, { status: 'complete' })).status).toBe(
    403,
  );
  expect(await statusOf(draft)).toBe('draft');
  const sent = idOf(await executive.post('/procurement/orders', { status: 'sent' }));
  expect((await receive(member, sent)).status).toBe(201);
  await prisma.company.update({ where, data: { separateApproval: true } });
  const own = idOf(await executive.post('/procurement/orders', {}));
  expect((await receive(executive, own)).status).toBe(403);
  expect((await receive(admin, own)).status).toBe(201);
  expect([await statusOf(sent), await statusOf(own)]).toEqual(['received', 'received']);
  await prisma.company.update({ where, data: { separateApproval: false } });
});

test('a draft order is received for only once it was sent', async () => {
  const { admin, member } = callers;
  const [ordered, other] = [
    idOf(await admin.post('/inventory', { name: 'Lamp' })),
    idOf(await admin.post('/inventory', { name: 'Desk' })),
  ];
  const line = (item_id: string) => [{ item_id, quantity: 1, description: 'Goods' }];
  const draft = idOf(await member.post('/procurement/orders', { line_items: line(ordered) }));
  // The record has other goods than the order.
  const goods = { purchase_order_id: draft, status: 'complete', line_items: [{ item_id: other, quantity: 1 }] };
  expect((await admin.post('/procurement/receiving', goods)).status).toBe(201);
  expect((await admin.get(`/procurement/orders/${draft}`)).row['status']).toBe('sent');
  // What was sent is approved: a member does not change its lines, by which it would become received.
  const change = { line_items: line(other) };
  expect(await member.patch(`/procurement/orders/${draft}`, change)).toMatchObject({ status: 403 });
  expect((await admin.get(`/procurement/orders/${draft}`)).row['status']).toBe('sent');
});

test('separated approval also covers who requested the requisition of an order and the order of an invoice', async () => {
  const { prisma } = service.database;
  const where = { id: tenant.company.id };
  const { admin, executive } = callers;
  const requisition_id = idOf(
    await admin.post('/procurement/requisitions', { title: 'Desks', requested_by: userIds.executive }),
  );
  const purchase_order_id = idOf(await admin.post('/procurement/orders', { requisition_id }));
  const invoice = idOf(await admin.post('/procurement/invoices', { purchase_order_id }));
  await admin.patch(`/procurement/requisitions/${requisition_id}`, { status: 'pending' });
  await prisma.company.update({ where, data: { separateApproval: true } });
  for (const [path, status] of [
    [`/procurement/requisitions/${requisition_id}`, 'approved'],
    [`/procurement/orders/${purchase_order_id}`, 'sent'],
    [`/procurement/invoices/${invoice}`, 'approved'],
  ] as const) {
    expect(await executive.patch(path, { status, requested_by: undefined })).toMatchObject({ status: 403 });
    expect((await admin.patch(path, { status })).status).toBe(403);
  }
  for (const [path, status] of [
    ['/procurement/orders', 'sent'],
    ['/procurement/invoices', 'approved'],
  ] as const)
    expect((await admin.post(path, { status })).status).toBe(403);
  await prisma.company.update({ where, data: { separateApproval: false } });
});

test('where approval is separated, requesters neither delete what was approved nor take the place of others', async () => {
  const { prisma } = service.database;
  const where = { id: tenant.company.id };
  const { admin, executive } = callers;
  const requestOf = (requested_by: string) => ({ title: 'Desks', status: 'pending', requested_by });
  const create = async (path: string, body: Row) => idOf(await admin.post(path, body));
  const own = await create('/procurement/requisitions', requestOf(userIds.executive));
  const ownOrder = await create('/procurement/orders', { requisition_id: own });
  const rows = [
    [
      '/procurement/requisitions',
      'Requisition',
      'approved',
      requestOf(userIds.executive),
      requestOf(userIds.member),
      { requested_by: userIds.executive },
    ],
    ['/procurement/orders', 'PurchaseOrder', 'sent', { requisition_id: own }, {}, { requisition_id: own }],
    [
      '/procurement/invoices',
      'Invoice',
      'approved',
      { purchase_order_id: ownOrder },
      {},
      { purchase_order_id: ownOrder },
    ],
  ] as const;
  for (const [path, type, status, requested, others, joins] of rows) {
    const [mine, theirs] = [await create(path, requested), await create(path, others)];
    for (const id of [mine, theirs]) expect((await admin.patch(`${path}/${id}`, { status })).status).toBe(200);
    await prisma.company.update({ where, data: { separateApproval: true } });
    try {
      expect(await executive.delete(`${path}/${mine}`)).toMatchObject({
        status: 403,
        error: { code: 'INSUFFICIENT_SCOPE' },
      });
      const { errors } = await executive.graphql(`mutation ($id: ID!) { delete${type}(id: $id) { id } }`, { id: mine });
      expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
      expect((await admin.get(`${path}/${mine}`)).status).toBe(200);
      expect(await change(executive, path, type, theirs, joins)).toEqual(both('INSUFFICIENT_SCOPE'));
      // Somebody else may delete it.
      expect((await executive.delete(`${path}/${theirs}`)).status).toBe(204);
    } finally {
      await prisma.company.update({ where, data: { separateApproval: false } });
    }
    expect((await executive.delete(`${path}/${mine}`)).status).toBe(204);
  }
});

test('the requester of a row can neither remove themselves from it nor change what others approved', async () => {
  const { prisma } = service.database;
  const where = { id: tenant.company.id };
  const { admin, executive } = callers;
  const request = { title: 'Desks', status: 'pending', requested_by: userIds.executive };
  const requisition_id = idOf(await admin.post('/procurement/requisitions', request));
  const purchase_order_id = idOf(await admin.post('/procurement/orders', { requisition_id }));
  const invoice = idOf(await admin.post('/procurement/invoices', { purchase_order_id }));
  const rows = [
    ['/procurement/requisitions', 'Requisition', requisition_id, 'approved', { requested_by: userIds.member }],
    ['/procurement/orders', 'PurchaseOrder', purchase_order_id, 'sent', { requisition_id: null }],
    ['/procurement/invoices', 'Invoice', invoice, 'approved', { purchase_order_id: null }],
  ] as const;
  await prisma.company.update({ where, data: { separateApproval: true } });
  try {
    for (const [path, type, id, status, without] of rows) {
      expect(await change(executive, path, type, id, without)).toEqual(both('INSUFFICIENT_SCOPE'));
      expect(await change(executive, path, type, id, { status, ...without })).toEqual(both('INSUFFICIENT_SCOPE'));
    }
    const others = idOf(await admin.post('/procurement/requisitions', { title: 'Lamps' }));
    const joins = { requested_by: userIds.executive };
    expect(await change(executive, '/procurement/requisitions', 'Requisition', others, joins)).toEqual(both('allowed'));
    for (const [path, type, , status] of rows) {
      const own = idOf(await executive.post(path, type === 'Requisition' ? { title: 'Own', status: 'pending' } : {}));
      expect(await change(admin, path, type, own, { status })).toEqual(both('allowed'));
      const more = type === 'Invoice' ? { amount: 9000 } : { total_amount: 9000 };
      expect(await change(executive, path, type, own, more)).toEqual(both('INSUFFICIENT_SCOPE'));
      expect(await change(admin, path, type, own, more)).toEqual(both('allowed'));
      // What stays as it was is not changed, and what was not approved can be.
      expect(await change(executive, path, type, own, { ...more, ...remarks[type] })).toEqual(both('allowed'));
    }
  } finally {
    await prisma.company.update({ where, data: { separateApproval: false } });
  }
});
