import { defineResource } from '../../resource/index.ts';

/** The company's time clock settings: exactly one row, created with the company. */
export const TimeClockSettings = defineResource('TimeClockSettings', {
  scope: 'time_clock',
  fields: { requireLocation: {}, allowOvertime: {}, roundingMinutes: {}, gracePeriodMinutes: {} },
  access: { actions: ['read', 'update'] },
  rest: { path: '/time-clock/settings' },
});
