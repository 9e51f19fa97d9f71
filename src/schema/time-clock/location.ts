import { admins } from '../../auth/roles.ts';
import { defineResource, only, rules } from '../../resource/index.ts';

/** Places where users may clock in. They are never deleted. */
export const TimeClockLocation = defineResource('TimeClockLocation', {
  words: { title: 'name' },
  scope: 'time_clock',
  fields: {
    name: {},
    address: {},
    latitude: { rule: rules.between(-90, 90) },
    longitude: { rule: rules.between(-180, 180) },
    radiusMeters: { rule: rules.positive },
  },
  list: { search: ['name', 'address'] },
  access: { actions: ['list', 'read', 'create', 'update'], write: only(admins) },
  rest: { path: '/time-clock/locations' },
});
