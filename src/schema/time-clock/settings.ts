import { admins } from '../../auth/roles.ts';
import { defineResource, only, rules } from '../../resource/index.ts';

/** The minutes of a day. */
const ofDay = rules.between(0, 1440);

/** The company's time clock settings: exactly one row, created with the company. */
export const TimeClockSettings = defineResource('TimeClockSettings', {
  scope: 'time_clock',
  fields: {
    requireLocation: {},
    allowOvertime: {},
    roundingMinutes: { rule: ofDay },
    gracePeriodMinutes: { rule: ofDay },
  },
  access: { actions: ['read', 'update'], write: only(admins) },
  rest: { path: '/time-clock/settings' },
});
