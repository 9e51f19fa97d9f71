import { defineResource } from '../../resource/index.ts';

/** Fixed assets. */
export const Asset = defineResource('Asset', {
  words: { title: 'assetName' },
  scope: 'assets',
  fields: {
    assetName: {},
    description: {},
    serialNumber: {},
    model: {},
    categoryId: {},
    purchaseDate: {},
    purchasePrice: {},
    condition: {},
    buildingId: {},
    assignedTo: {},
    status: {},
  },
  list: { search: ['assetName', 'description', 'serialNumber', 'model'] },
  graphql: { relations: ['building', 'assignee'] },
  rest: { path: '/assets', parameters: { location: 'buildingId' } },
});
