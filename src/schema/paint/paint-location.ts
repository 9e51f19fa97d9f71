import { defineResource } from '../../resource/index.ts';
import { Paint } from './paint.ts';

/** Where a paint is used. */
export const PaintLocation = defineResource('PaintLocation', {
  words: { title: 'room' },
  parent: { resource: Paint, column: 'paintId', relation: 'locations' },
  fields: { buildingId: {}, floor: {}, room: {}, surfaceType: {}, notes: {} },
  list: { search: ['floor', 'room', 'surfaceType', 'notes'] },
  graphql: { relations: ['building'] },
  rest: { path: '/locations' },
});
