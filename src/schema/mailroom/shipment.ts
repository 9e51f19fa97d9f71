import { defineResource, rules } from '../../resource/index.ts';
import { detectCarrier } from './carrier.ts';
import { byTrackingKey } from './tracking-key.ts';

/** Shipments: inbound and outbound deliveries. */
export const Shipment = defineResource('Shipment', {
  words: { title: 'description' },
  scope: 'shipping',
  fields: {
    type: {},
    description: {},
    trackingNumber: { comparedAs: byTrackingKey },
    carrier: { default: ({ data: { trackingNumber } }) => detectCarrier(trackingNumber) },
    sender: {},
    recipient: {},
    weightKg: { rule: rules.positive },
    estimatedDelivery: {},
    status: {},
  },
  list: { search: ['description', 'trackingNumber', 'sender', 'recipient'] },
  rest: { path: '/shipping' },
  hooks: {
    resolveInput: {
      update({ previous, data }) {
        if (data.trackingNumber === undefined || data.carrier !== undefined) return data;
        // A detected carrier is detected again for the new number; one given by a client stays.
        const isDetected = previous.carrier === detectCarrier(previous.trackingNumber);
        return isDetected ? { ...data, carrier: detectCarrier(data.trackingNumber) } : data;
      },
    },
  },
});
