import { admins } from '../../auth/roles.ts';
import { currentUser, defineResource, own } from '../../resource/index.ts';
import { assertSeparateTimes, isMoved } from './overlaps.ts';
import { computeWorkedMinutes, inDay, validateAgainstSettings } from './rules.ts';

/** Working times of users. They are never deleted. */
export const TimeClockRecord = defineResource('TimeClockRecord', {
  scope: 'time_clock',
  fields: {
    userId: {
      default: currentUser,
      mayBeDeactivated: true,
      unique: { message: 'is already clocked in', index: 'time_clock_records_open_key' },
    },
    clockInTime: {},
    clockOutTime: { notBefore: 'clockInTime' },
    workedMinutes: { readOnly: true },
    type: {},
    locationId: {},
    notes: {},
  },
  list: {
    search: ['notes'],
    ranges: { presence: { from: 'clockInTime', to: 'clockOutTime' } },
    measures: {
      hours: {
        description: 'Hours from clock-in to clock-out, breaks included.',
        hours: ['clockInTime', 'clockOutTime'],
      },
    },
  },
  access: { actions: ['list', 'read', 'create', 'update'], write: own('userId', { except: admins }) },
  graphql: { relations: ['user', 'location'] },
  rest: {
    path: '/time-clock/records',
    parameters: {
      date: {
        type: 'Date',
        description: "Filter by the day of `clockInTime` in the company's time zone.",
        filter: (days) => ({ or: days.map((day) => ({ clockInTime: inDay(day) })) }),
      },
    },
  },
  hooks: {
    validate: ({ context: { db }, data, previous }) => validateAgainstSettings(data, previous, db),
    resolveInput: {
      async create({ context, data }) {
        await assertSeparateTimes(data, context);
        return { ...data, workedMinutes: await computeWorkedMinutes(data, context.db) };
      },
      async update({ context, data, previous }) {
        const next = { ...previous, ...data };
        if (isMoved(previous, next)) await assertSeparateTimes(next, context);
        const isSame =
          next.clockInTime.getTime() === previous.clockInTime.getTime() &&
          next.clockOutTime?.getTime() === previous.clockOutTime?.getTime();
        // Later changes of the settings do not affect the minutes of closed records.
        return isSame ? data : { ...data, workedMinutes: await computeWorkedMinutes(next, context.db) };
      },
    },
  },
});
