import type { MaintenanceStatus } from '../../database/generated/client/enums.ts';
import {
  assertExists,
  column,
  defineOperation,
  defineResource,
  findPage,
  selectionOfPage,
  uuidArgument,
} from '../../resource/index.ts';
import { followDate } from '../date-transition.ts';
import { Asset } from './asset.ts';

/** Scheduled maintenance becomes overdue on the day after its date. Completed maintenance stays completed. */
const delay = followDate<MaintenanceStatus, 'scheduledDate'>('scheduledDate', {
  from: 'SCHEDULED',
  to: 'OVERDUE',
});

/** The maintenance of an asset. */
export const AssetMaintenance = defineResource('AssetMaintenance', {
  parent: { resource: Asset, column: 'assetId', relation: 'maintenance' },
  fields: { maintenanceType: {}, scheduledDate: {}, description: {}, estimatedCost: {}, status: {} },
  list: { search: ['description'] },
  rest: { path: '/maintenance' },
  hooks: { resolveInput: delay.resolveInput },
  refreshStale: delay.refreshStale,
});

/** The list under its former name. */
export const assetMaintenances = defineOperation({
  of: AssetMaintenance,
  action: 'list',
  rest: false,
  field: 'assetMaintenances',
  deprecationReason: 'Use assetMaintenanceRecords.',
  description: 'List asset maintenance records, a page at a time.',
  access: 'assets:read',
  returns: (kit) => kit.typesOf(AssetMaintenance).connection,
  args: (arg, kit) => ({
    assetId: arg.id({
      description: 'The asset it belongs to; by default, any.',
      extensions: { stored: column('Asset', 'id') },
    }),
    ...kit.typesOf(AssetMaintenance).listArguments(arg, AssetMaintenance.pageSize),
  }),
  async run(args, context, info, registry) {
    const assetId = args['assetId'] == null ? undefined : uuidArgument(args, 'assetId');
    if (assetId !== undefined) await assertExists(Asset, assetId, context);
    const selection = selectionOfPage(AssetMaintenance, context, info);
    return findPage(registry, AssetMaintenance, args, assetId === undefined ? {} : { assetId }, context, selection);
  },
});
