import { resource } from '../../resource/define.ts';
import { rules } from '../../resource/validate.ts';
import { Asset } from './asset.ts';

/** The promises to mend or replace an asset. */
resource('AssetWarranty', {
  path: '/warranties',
  parent: { resource: Asset, column: 'assetId', relation: 'warranties' },
  rest: ['list', 'create'],
  fields: ['assetId', 'warrantyType', 'startDate', 'endDate', 'provider', 'coverage'],
  relations: ['asset'],
  input: ['warrantyType', 'startDate', 'endDate', 'provider', 'coverage'],
  search: ['warrantyType', 'provider', 'coverage'],
  ordered: [['startDate', 'endDate']],
});

/** The files about an asset. */
resource('AssetDocument', {
  path: '/documents',
  parent: { resource: Asset, column: 'assetId', relation: 'documents' },
  rest: ['list', 'create'],
  fields: ['assetId', 'title', 'fileName', 'fileType', 'fileUrl', 'notes'],
  relations: ['asset'],
  input: ['title', 'fileName', 'fileType', 'fileUrl', 'notes'],
  search: ['title', 'fileName', 'fileType', 'notes'],
  rules: { fileUrl: rules.url },
});
