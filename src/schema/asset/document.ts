import { defineResource } from '../../resource/index.ts';
import { documentFields, documentHooks } from '../files/document-file.ts';
import { Asset } from './asset.ts';

/** The files about an asset. */
export const AssetDocument = defineResource('AssetDocument', {
  words: { title: 'title' },
  parent: { resource: Asset, column: 'assetId', relation: 'documents' },
  fields: { title: {}, fileName: {}, fileType: {}, ...documentFields, notes: {} },
  list: { search: ['title', 'fileName', 'fileType', 'notes'] },
  rest: { path: '/documents' },
  hooks: documentHooks,
});
