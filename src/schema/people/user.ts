import { defineResource } from '../../resource/index.ts';

/** The company's users, read-only. */
export const User = defineResource('User', {
  words: { title: 'fullName' },
  scope: 'users',
  fields: { fullName: {}, email: {}, avatarUrl: {}, role: {}, deactivatedAt: {} },
  list: { search: ['fullName', 'email'] },
  access: { actions: ['list', 'read'] },
  rest: { path: '/users' },
});
