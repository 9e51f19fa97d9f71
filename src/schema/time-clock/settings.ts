import { resource } from '../../resource/define.ts';

/** The company's rules for the time clock: exactly one row, which is there from the start (spec §4, Time clock). */
resource('TimeClockSettings', {
  path: '/time-clock/settings',
  scope: 'time_clock',
  single: true,
  actions: ['read', 'update'],
  fields: ['requireLocation', 'allowOvertime', 'roundingMinutes', 'gracePeriodMinutes'],
  input: ['requireLocation', 'allowOvertime', 'roundingMinutes', 'gracePeriodMinutes'],
});
