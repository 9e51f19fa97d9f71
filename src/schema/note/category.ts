import { defineResource, rules } from '../../resource/index.ts';

/** What notes stand under: REST lists and adds categories, GraphQL also changes them. */
export const NoteCategory = defineResource('NoteCategory', {
  scope: 'notes',
  fields: { name: {}, color: { rule: rules.color } },
  list: { search: ['name', 'color'] },
  rest: { path: '/notes/categories', actions: ['list', 'create'] },
});
