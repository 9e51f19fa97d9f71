import { currentUser, defineResource } from '../../resource/index.ts';
import { computeWorkedMinutes, inDay, validateAgainstSettings } from './rules.ts';

/** Working times of users. They are never deleted. */
export const TimeClockRecord = defineResource('TimeClockRecord', {
  scope: 'time_clock',
  fields: {
    userId: {
      default: currentUser,
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
    measures: {
      hours: {
        description: 'Hours from clock-in to clock-out, breaks included.',
        hours: ['clockInTime', 'clockOutTime'],
      },
    },
  },
  access: { actions: ['list', 'read', 'create', 'update'] },
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
      create: async ({ context: { db }, data }) => ({ ...data, workedMinutes: await computeWorkedMinutes(data, db) }),
      async update({ context: { db }, data, previous }) {
        const next = { ...previous, ...data };
        const isSame =
          next.clockInTime.getTime() === previous.clockInTime.getTime() &&
          next.clockOutTime?.getTime() === previous.clockOutTime?.getTime();
        // Later changes of the settings do not affect the minutes of closed records.
        return isSame ? data : { ...data, workedMinutes: await computeWorkedMinutes(next, db) };
      },
    },
  },
});
