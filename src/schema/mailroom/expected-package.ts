import { timeOf } from '../../context.ts';
import { defineResource } from '../../resource/index.ts';
import { byTrackingKey } from './tracking-key.ts';

/** Packages registered by guests, for the company's users. Guests use `guests.ts`. */
export const ExpectedPackage = defineResource('ExpectedPackage', {
  words: { title: 'description' },
  scope: 'shipping',
  fields: {
    guestName: { readOnly: true },
    guestEmail: { readOnly: true },
    description: { readOnly: true },
    vendorName: { readOnly: true },
    trackingNumber: { readOnly: true, comparedAs: byTrackingKey },
    expectedDate: { readOnly: true },
    quantity: { readOnly: true },
    notes: { readOnly: true },
    status: {},
    receivedAt: { readOnly: true },
  },
  list: {
    search: ['guestName', 'guestEmail', 'description', 'vendorName', 'trackingNumber', 'notes'],
  },
  access: { actions: ['list', 'read', 'update'] },
  rest: { path: '/mailroom/expected-packages' },
  hooks: {
    resolveInput: {
      update({ context, previous, data }) {
        if (data.status === undefined || data.status === previous.status) return data;
        const received = data.receivedAt ?? previous.receivedAt ?? timeOf(context);
        return { ...data, receivedAt: data.status === 'EXPECTED' ? null : received };
      },
    },
  },
});
