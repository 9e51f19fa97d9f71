import { defineResource, rules } from '../../resource/index.ts';
import { Asset } from './asset.ts';

/** The files about an asset. */
export const AssetDocument = defineResource('AssetDocument', {
  parent: { resource: Asset, column: 'assetId', relation: 'documents' },
  fields: { assetId: {}, title: {}, fileName: {}, fileType: {}, fileUrl: { rule: rules.url }, notes: {} },
  list: { search: ['title', 'fileName', 'fileType', 'notes'] },
  graphql: { relations: ['asset'] },
  rest: { path: '/documents' },
});
