import { defineResource, rules } from '../../resource/index.ts';

/** Buildings. */
export const Building = defineResource('Building', {
  words: { title: 'name' },
  scope: 'locations',
  fields: {
    name: {},
    code: {},
    address: {},
    floors: { rule: rules.between(1, 300) },
    squareFeet: { rule: rules.positive },
  },
  list: { search: ['name', 'address', 'code'] },
  rest: { path: ['/locations/buildings', '/buildings'] },
});
