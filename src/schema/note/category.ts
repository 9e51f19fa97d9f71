import { defineResource, rules } from '../../resource/index.ts';

/** Categories of notes. */
export const NoteCategory = defineResource('NoteCategory', {
  words: { title: 'name' },
  scope: 'notes',
  fields: { name: {}, color: { rule: rules.color } },
  list: { search: ['name', 'color'] },
  rest: { path: '/notes/categories' },
});
