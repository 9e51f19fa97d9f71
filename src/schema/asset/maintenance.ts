import { defineResource, today } from '../../resource/index.ts';
import { lapseSql, statusToday } from '../lapse.ts';
import { Asset } from './asset.ts';

/** Scheduled maintenance becomes overdue on the day after its date. Completed maintenance stays completed. */
const delay = { from: 'SCHEDULED', to: 'OVERDUE' } as const;

/** The maintenance of an asset. */
export const AssetMaintenance = defineResource('AssetMaintenance', {
  parent: { resource: Asset, column: 'assetId', relation: 'maintenance' },
  fields: { assetId: {}, maintenanceType: {}, scheduledDate: {}, description: {}, estimatedCost: {}, status: {} },
  list: { search: ['description'] },
  graphql: {
    plural: 'AssetMaintenanceRecords',
    deprecatedPlural: 'AssetMaintenances',
    relations: ['asset'],
  },
  rest: { path: '/maintenance' },
  hooks: {
    resolveInput: {
      create: ({ context, data }) => ({
        ...data,
        status: statusToday(delay, today(context), { status: data.status, day: data.scheduledDate ?? null }),
      }),
      update({ context, previous, data }) {
        const { status, scheduledDate: day } = { ...previous, ...data };
        const before = data.status === undefined ? { status: previous.status, day: previous.scheduledDate } : undefined;
        return { ...data, status: statusToday(delay, today(context), { status, day }, before) };
      },
    },
  },
  refreshStale: (given) => [lapseSql('AssetMaintenance', 'scheduled_date', delay, given)],
});
