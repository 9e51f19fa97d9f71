import { resource } from '../../resource/define.ts';
import { rules } from '../../resource/validate.ts';

/** Places where users may clock in. REST lists and makes them, GraphQL also changes them; nothing of the time clock is deleted (spec §5). */
resource('TimeClockLocation', {
  path: '/time-clock/locations',
  scope: 'time_clock',
  actions: ['list', 'read', 'create', 'update'],
  rest: ['list', 'create'],
  fields: ['name', 'address', 'latitude', 'longitude', 'radiusMeters'],
  relations: ['records'],
  input: ['name', 'address', 'latitude', 'longitude', 'radiusMeters'],
  search: ['name', 'address'],
  rules: { latitude: rules.between(-90, 90), longitude: rules.between(-180, 180) },
});
