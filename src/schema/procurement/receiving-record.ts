import { approvers } from '../../auth/roles.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { conflict, type FieldErrors } from '../../errors.ts';
import { currentUser, defineResource, own } from '../../resource/index.ts';
import { itemParameter, linkFromItem } from './line-items.ts';
import { lacksGoods, receiveGoods } from './receive.ts';

/** Receiving records. Completing one adds its goods to the stock, and advances its order. */
export const ReceivingRecord = defineResource('ReceivingRecord', {
  scope: 'procurement',
  fields: {
    purchaseOrderId: {},
    receivedBy: { default: currentUser, mayBeDeactivated: true },
    receivedAt: {},
    status: { transitions: { PENDING: ['COMPLETE'], COMPLETE: [] } },
    notes: {},
  },
  nestedItems: { lineItems: ['itemId', 'quantity'] },
  list: {
    search: ['notes'],
    measures: {
      leadDays: { description: 'Days from the order to its receipt.', days: ['purchaseOrder.orderDate', 'receivedAt'] },
    },
  },
  access: { write: own('receivedBy', { except: approvers }) },
  graphql: { relations: ['purchaseOrder', 'receiver'] },
  rest: { path: '/procurement/receiving', parameters: itemParameter },
  hooks: {
    async validate({ context: { db }, data, previous, row, errors }): Promise<FieldErrors> {
      const isCompleted = row.status === 'COMPLETE' && previous?.status !== 'COMPLETE';
      if (!isCompleted || Object.keys(errors).some((name) => name.startsWith('lineItems'))) return {};
      const lines = data.lineItems ?? (await storedLines(db, previous));
      if (!(await lacksGoods(row.purchaseOrderId ?? null, lines, db))) return {};
      return { lineItems: 'must have a received quantity, as the order has items' };
    },
    resolveInput: {
      update({ previous, data }) {
        const { lineItems, purchaseOrderId = previous.purchaseOrderId } = data;
        if (previous.status !== 'COMPLETE') return data;
        // The stock and the order already include these goods.
        if (lineItems) {
          const errors = { lineItems: 'are already added to the stock' };
          throw conflict('The lines of a complete receiving record cannot change.', errors);
        }
        if (purchaseOrderId !== previous.purchaseOrderId) {
          const errors = { purchaseOrderId: 'cannot be changed' };
          throw conflict('The order of a complete receiving record cannot change.', errors);
        }
        return data;
      },
    },
    afterOperation: {
      async create({ context, row }) {
        if (row.status === 'COMPLETE') await receiveGoods(row, context);
      },
      async update({ context, previous, row }) {
        if (row.status === 'COMPLETE' && previous.status !== 'COMPLETE') await receiveGoods(row, context);
      },
    },
  },
});

const storedLines = async (db: TenantClient, record: { readonly id: string } | null) =>
  record ? db.receivingLine.findMany({ where: { receivingRecordId: record.id } }) : [];

export const receivingRecordsOfItem = linkFromItem(ReceivingRecord, 'receivingLines');
