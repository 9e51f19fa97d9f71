import { defineResource } from '../../resource/index.ts';

/** Buildings. */
export const Building = defineResource('Building', {
  scope: 'locations',
  fields: { name: {}, code: {}, address: {}, floors: {}, squareFeet: {} },
  list: { search: ['name', 'address', 'code'] },
  rest: { path: ['/locations/buildings', '/buildings'] },
});
