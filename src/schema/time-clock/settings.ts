import { defineResource } from '../../resource/index.ts';

/** The company's rules for the time clock: exactly one row, which is there from the start. */
export const TimeClockSettings = defineResource('TimeClockSettings', {
  scope: 'time_clock',
  isSingleton: true,
  fields: { requireLocation: {}, allowOvertime: {}, roundingMinutes: {}, gracePeriodMinutes: {} },
  access: { actions: ['read', 'update'] },
  rest: { path: '/time-clock/settings' },
});
