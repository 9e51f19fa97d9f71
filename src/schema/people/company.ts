import { defineResource } from '../../resource/index.ts';

/**
 * The companies the caller may access, read-only: that of the token, or all of a signed-in person's. All other data is
 * limited to the active company.
 */
export const Company = defineResource('Company', {
  words: { title: 'name' },
  scope: 'companies',
  fields: { name: {}, slug: {} },
  list: { search: ['name', 'slug'] },
  access: { actions: ['list', 'read'] },
  graphql: { relations: ['users', 'buildings'] },
  rest: { path: '/companies' },
});
