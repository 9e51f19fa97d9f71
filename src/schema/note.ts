import { callerId } from '../context.ts';
import { resource } from '../resource/define.ts';
import { rules } from '../resource/validate.ts';

/** What notes stand under: REST lists and adds categories, GraphQL also changes them. */
resource('NoteCategory', {
  path: '/notes/categories',
  scope: 'notes',
  rest: ['list', 'create'],
  fields: ['name', 'color'],
  relations: ['notes'],
  input: ['name', 'color'],
  search: ['name', 'color'],
  rules: { color: rules.color },
});

/** Notes (spec §4, Notes). Until its author shares it, a note exists for nobody else. */
export const Note = resource('Note', {
  path: '/notes',
  scope: 'notes',
  fields: ['title', 'content', 'categoryId', 'isPinned', 'isShared', 'userId'],
  relations: ['category', 'author'],
  input: ['title', 'content', 'categoryId', 'isPinned', 'isShared'],
  search: ['title', 'content'],
  defaults: { userId: callerId },
  visible: ({ caller: { userId } }) => ({ OR: [{ userId }, { isShared: true }] }),
});
