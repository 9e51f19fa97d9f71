import { defineResource } from '../../resource/index.ts';

/** Paints. */
export const Paint = defineResource('Paint', {
  words: { title: 'name' },
  scope: 'paint',
  fields: { name: {}, colorCode: {}, brand: {}, finish: {}, gallonsAvailable: {} },
  list: { search: ['name', 'colorCode', 'brand'] },
  rest: { path: '/paints' },
});
