import { resource } from '../../resource/define.ts';

const written = [
  'assetName',
  'description',
  'serialNumber',
  'model',
  'categoryId',
  'purchaseDate',
  'purchasePrice',
  'condition',
  'buildingId',
  'assignedTo',
  'status',
] as const;

/** Fixed assets (spec §4). */
export const Asset = resource('Asset', {
  path: '/assets',
  scope: 'assets',
  fields: written,
  relations: ['building', 'assignee'],
  input: written,
  search: ['assetName', 'description', 'serialNumber', 'model'],
  filters: { location: 'buildingId' },
});
