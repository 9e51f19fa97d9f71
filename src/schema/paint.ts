import { resource } from '../resource/define.ts';

/** Paints (spec §4, Paint). */
export const Paint = resource('Paint', {
  path: '/paints',
  scope: 'paint',
  fields: ['name', 'colorCode', 'brand', 'finish', 'gallonsAvailable'],
  input: ['name', 'colorCode', 'brand', 'finish', 'gallonsAvailable'],
  search: ['name', 'colorCode', 'brand'],
});

/** Where a paint is used. */
resource('PaintLocation', {
  path: '/locations',
  parent: { resource: Paint, column: 'paintId', relation: 'locations' },
  fields: ['paintId', 'buildingId', 'floor', 'room', 'surfaceType', 'notes'],
  relations: ['paint', 'building'],
  input: ['buildingId', 'floor', 'room', 'surfaceType', 'notes'],
  search: ['floor', 'room', 'surfaceType', 'notes'],
});
