import type { lists } from '../../../src/pages/addresses.ts';
import { t } from '../texts/lists.ts';

/** The last part of a list's address. */
export type ListName = (typeof lists)[number];

/** What the figures of the dashboard are called, and the lists behind them: they are no resources of the API. */
export const listTitles = (): Readonly<Record<ListName, string>> => ({
  'service-requests': t('serviceRequests'),
  'move-requests': t('moveRequests'),
  'low-stock': t('lowStock'),
  'stock-value': t('stockValue'),
  'expiring-leases': t('expiringLeases'),
  'lease-payments': t('leasePayments'),
  'overdue-maintenance': t('overdueMaintenance'),
  'open-requisitions': t('openRequisitions'),
  'expected-packages': t('expectedPackages'),
  'reminders-due': t('remindersDue'),
});
