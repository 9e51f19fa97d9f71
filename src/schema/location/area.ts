import { defineResource } from '../../resource/index.ts';

/** Areas within buildings. REST only lists them; GraphQL also writes them. */
export const Area = defineResource('Area', {
  words: { title: 'name' },
  scope: 'locations',
  fields: { buildingId: {}, name: {}, floor: {}, kind: {} },
  list: { search: ['name', 'floor', 'kind'] },
  graphql: { relations: ['building'] },
  rest: { path: '/locations/areas', actions: ['list'] },
});
