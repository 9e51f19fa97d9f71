import { callerId } from '../../context.ts';
import { resource } from '../resource/define.ts';
import { validationError } from '../resource/errors.ts';
import { within, workedMinutes } from './hours.ts';
import { forbidden } from './policy.ts';

/** How the company rounds them. */
const shows = { company: { select: { timeClockSettings: { select: { roundingMinutes: true } } } } } as const;

/** Spans of time that users worked (spec §4, Time clock). They are never deleted. */
resource('TimeClockRecord', {
  path: '/time-clock/records',
  scope: 'time_clock',
  actions: ['list', 'read', 'create', 'update'],
  fields: ['userId', 'clockInTime', 'clockOutTime', 'type', 'locationId', 'notes'],
  relations: ['user', 'location'],
  shows,
  extra: (t) => ({
    // A float, as the longest span in minutes is no 32-bit integer. The settings come with the rows, in the same statement.
    workedMinutes: t.float({
      nullable: true,
      description: 'How many minutes it lasted, rounded as the settings say; null while it is open.',
      select: { clockInTime: true, clockOutTime: true, ...shows },
      resolve: ({ company, ...span }) => workedMinutes(span, company.timeClockSettings?.roundingMinutes ?? 1),
    }),
  }),
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
    if (target.id === undefined) Object.assign(faults, { ...(await forbidden({ type, locationId }, context, context.db)), ...faults });
  },
  creating: ({ data }) => ({ ...data, openUserId: data.clockOutTime ? null : data.userId }),
  async updating({ context, db, previous, data }) {
    // What a record says already it may go on saying, whatever the settings have become.
    const claim = {
      ...(data.type !== previous.type && { type: data.type }),
      ...(data.locationId !== previous.locationId && { locationId: data.locationId }),
    };
    const faults = await forbidden(claim, context, db);
    if (Object.keys(faults).length > 0) throw validationError(faults);
    const { userId, clockOutTime } = { ...previous, ...data };
    return { ...data, openUserId: clockOutTime ? null : userId };
  },
});
