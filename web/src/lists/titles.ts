import type { lists } from '../../../src/pages/addresses.ts';

/** The last part of a list's address. */
export type ListName = (typeof lists)[number];

/** What the figures of the dashboard are called, and the lists behind them: they are no resources of the API. */
export const listTitles: Readonly<Record<ListName, string>> = {
  'service-requests': 'Service requests',
  'move-requests': 'Move requests',
  'low-stock': 'Low stock',
  'stock-value': 'Stock value',
  'expiring-leases': 'Expiring leases',
  'lease-payments': 'Lease payments',
  'overdue-maintenance': 'Overdue maintenance',
  'open-requisitions': 'Open requisitions',
  'expected-packages': 'Expected packages',
  'reminders-due': 'Reminders due',
};
