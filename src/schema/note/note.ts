import { currentUser, defineResource } from '../../resource/index.ts';

/** Notes. A note is visible only to its author until it is shared. */
export const Note = defineResource('Note', {
  scope: 'notes',
  fields: {
    title: {},
    content: {},
    categoryId: {},
    isPinned: {},
    isShared: {},
    userId: { readOnly: true, default: currentUser },
  },
  list: { search: ['title', 'content'] },
  access: { filter: ({ caller: { userId } }) => ({ OR: [{ userId }, { isShared: true }] }) },
  graphql: { relations: ['category', 'author'] },
  rest: { path: '/notes' },
});
