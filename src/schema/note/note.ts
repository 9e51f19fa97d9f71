import { admins } from '../../auth/roles.ts';
import { currentUser, defineResource, own } from '../../resource/index.ts';

// Not even admins change what appears as the text of somebody else, unless nobody else could.
const byAuthor = own('userId', { ofDeactivated: { roles: admins, relation: 'author' } });

/** Notes. A note is visible only to its author until it is shared. */
export const Note = defineResource('Note', {
  words: { title: 'title' },
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
  access: {
    filter: ({ caller: { userId } }) => ({ OR: [{ userId }, { isShared: true }] }),
    update: byAuthor,
    delete: byAuthor,
  },
  graphql: { relations: ['category', 'author'] },
  rest: { path: '/notes' },
});
