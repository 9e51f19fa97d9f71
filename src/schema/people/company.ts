import { defineResource } from '../../resource/index.ts';

/** The companies the caller may access, read-only: a token's own, or those that a person belongs to. Rows are of the active one alone. */
export const Company = defineResource('Company', {
  scope: 'companies',
  fields: { name: {}, slug: {} },
  list: { search: ['name', 'slug'] },
  access: { actions: ['list', 'read'] },
  graphql: { relations: ['users', 'buildings'] },
  rest: { path: '/companies' },
});
