import { resource } from '../../resource/define.ts';
import { statusToday } from '../lapse.ts';
import { Asset } from './asset.ts';

const written = ['maintenanceType', 'scheduledDate', 'description', 'estimatedCost', 'status'] as const;

/** Scheduled maintenance is overdue the day after it was to be done. What is completed stays so. */
const delay = { lasting: 'SCHEDULED', lapsed: 'OVERDUE' } as const;

/** The work that keeps an asset in order. */
resource('AssetMaintenance', {
  path: '/maintenance',
  parent: { resource: Asset, column: 'assetId', relation: 'maintenance' },
  rest: ['list', 'create'],
  fields: ['assetId', ...written],
  relations: ['asset'],
  input: written,
  search: ['description'],
  compose: ({ data }) => ({ ...data, status: statusToday(delay, { status: data.status, day: data.scheduledDate }) }),
  updating({ previous, data }) {
    const { status, scheduledDate } = { ...previous, ...data };
    const was = data.status === undefined ? { status: previous.status, day: previous.scheduledDate } : undefined;
    return { ...data, status: statusToday(delay, { status, day: scheduledDate }, was) };
  },
  settle: ({ db, caller: { companyId } }, today) =>
    db.assetMaintenance.updateMany({
      where: { companyId, status: delay.lasting, scheduledDate: { lt: today } },
      data: { status: delay.lapsed },
    }),
});
