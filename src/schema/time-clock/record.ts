import { callerId } from '../../context.ts';
import { validationError } from '../../errors.ts';
import { resource } from '../../resource/define.ts';
import { roundAnew, within, worked } from './hours.ts';
import { forbidden } from './policy.ts';

/** Spans of time that users worked (spec §4, Time clock). They are never deleted. */
resource('TimeClockRecord', {
  path: '/time-clock/records',
  scope: 'time_clock',
  actions: ['list', 'read', 'create', 'update'],
  fields: ['userId', 'clockInTime', 'clockOutTime', 'workedMinutes', 'type', 'locationId', 'notes'],
  relations: ['user', 'location'],
  input: ['userId', 'clockInTime', 'clockOutTime', 'type', 'locationId', 'notes'],
  search: ['notes'],
  filters: {
    date: {
      type: 'Date',
      list: true,
      description: 'Its `clockInTime` is on any of these days, UTC.',
      where: (days: readonly Date[]) => ({ OR: within(days).map((clockInTime) => ({ clockInTime })) }),
    },
  },
  defaults: { userId: callerId },
  ordered: [['clockInTime', 'clockOutTime']],
  taken: { openUserId: { userId: 'is clocked in already' } },
  async read({ context, target, data: { type, locationId = null }, faults }) {
    if (target.id === undefined)
      Object.assign(faults, { ...(await forbidden({ type, locationId }, context, context.db)), ...faults });
  },
  creating: async ({ context, db, data }) => ({
    ...data,
    openUserId: data.clockOutTime ? null : data.userId,
    ...(await worked(data, context, db)),
  }),
  async updating({ context, db, previous, data }) {
    // What a record says already it may go on saying, whatever the settings have become.
    const claim = {
      ...(data.type !== previous.type && { type: data.type }),
      ...(data.locationId !== previous.locationId && { locationId: data.locationId }),
    };
    const faults = await forbidden(claim, context, db);
    if (Object.keys(faults).length > 0) throw validationError(faults);
    const next = { ...previous, ...data };
    return { ...data, openUserId: next.clockOutTime ? null : next.userId, ...(await worked(next, context, db)) };
  },
  settle: roundAnew,
});
