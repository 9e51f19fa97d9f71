import { defineResource, rules } from '../../resource/index.ts';
import { Asset } from './asset.ts';

/** The files about an asset. */
export const AssetDocument = defineResource('AssetDocument', {
  words: { title: 'title' },
  parent: { resource: Asset, column: 'assetId', relation: 'documents' },
  fields: { title: {}, fileName: {}, fileType: {}, fileUrl: { rule: rules.url }, notes: {} },
  list: { search: ['title', 'fileName', 'fileType', 'notes'] },
  rest: { path: '/documents' },
});
