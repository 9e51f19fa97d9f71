import { defineResource } from '../../resource/index.ts';
import { Asset } from './asset.ts';

/** The warranties of an asset. */
export const AssetWarranty = defineResource('AssetWarranty', {
  words: { title: 'provider' },
  parent: { resource: Asset, column: 'assetId', relation: 'warranties' },
  fields: {
    warrantyType: {},
    startDate: {},
    endDate: { notBefore: 'startDate' },
    provider: {},
    coverage: {},
  },
  list: {
    search: ['warrantyType', 'provider', 'coverage'],
    ranges: { warranty: { from: 'startDate', to: 'endDate' } },
  },
  rest: { path: '/warranties' },
});
