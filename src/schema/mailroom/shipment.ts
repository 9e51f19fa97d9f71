import { resource } from '../../resource/define.ts';
import { carrierOf } from './carrier.ts';

/** What connectionTypes bring and take (spec §4, Shipping). */
resource('Shipment', {
  path: '/shipping',
  scope: 'shipping',
  fields: [
    'type',
    'description',
    'trackingNumber',
    'carrier',
    'sender',
    'recipient',
    'weightKg',
    'estimatedDelivery',
    'status',
  ],
  input: [
    'type',
    'description',
    'trackingNumber',
    'carrier',
    'sender',
    'recipient',
    'weightKg',
    'estimatedDelivery',
    'status',
  ],
  search: ['description', 'trackingNumber', 'sender', 'recipient'],
  defaults: { carrier: (_, { trackingNumber }) => carrierOf(trackingNumber) },
  updating({ previous, data }) {
    if (data.trackingNumber === undefined || data.carrier !== undefined) return data;
    // A carrier that the old number told makes way for what the new one tells; one that somebody gave stays.
    const detected = previous.carrier === carrierOf(previous.trackingNumber);
    return detected ? { ...data, carrier: carrierOf(data.trackingNumber) } : data;
  },
});
