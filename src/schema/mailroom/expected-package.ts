import { resource } from '../../resource/define.ts';

/** The packages that guests have announced, as the company's people see them. Guests have addresses of their own. */
resource('ExpectedPackage', {
  path: '/mailroom/expected-packages',
  scope: 'shipping',
  actions: ['list', 'read', 'update'],
  rest: [],
  fields: [
    'guestName',
    'guestEmail',
    'description',
    'vendorName',
    'trackingNumber',
    'expectedDate',
    'quantity',
    'notes',
    'status',
    'receivedAt',
  ],
  update: ['status'],
  search: ['guestName', 'guestEmail', 'description', 'vendorName', 'trackingNumber', 'notes'],
  updating({ previous, data }) {
    if (data.status === undefined || data.status === previous.status) return data;
    return { ...data, receivedAt: data.status === 'EXPECTED' ? null : (previous.receivedAt ?? new Date()) };
  },
});
