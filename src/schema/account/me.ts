import { refusal } from '../../auth/access.ts';
import { covers, scopes } from '../../auth/scopes.ts';
import { findPerson, listMemberships, type Membership } from '../../auth/sessions/people.ts';
import type { Context } from '../../context.ts';
import { extendSchema } from '../../resource/index.ts';

/** Adds `me`: who is signed in. It lists all companies that a person belongs to, and so reads the whole database. */
export const me = extendSchema((kit) => {
  const { builder } = kit;
  const Workplace = builder.objectRef<Membership>('Workplace').implement({
    description: 'A company that somebody belongs to, or its sandbox.',
    fields: (t) => ({
      id: t.exposeID('id', { description: "The company's id." }),
      name: t.exposeString('name', { description: 'Its name.' }),
      slug: t.exposeString('slug', { description: 'Its short name.' }),
      isSandbox: t.exposeBoolean('isSandbox', { description: 'Whether it is a sandbox, which test tokens work on.' }),
      role: t.field({
        type: kit.enumType('UserRole'),
        description: 'What they are there.',
        resolve: ({ role }) => role,
      }),
    }),
  });

  const Me = builder.objectRef<Person>('Me').implement({
    description: 'Whoever is signed in, where they are, and what they may do there.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Their id, which is that of their user in every company.' }),
      fullName: t.exposeString('fullName', { description: 'Their full name.' }),
      email: t.exposeString('email', { description: 'The e-mail address they sign in with.' }),
      role: t.field({
        type: kit.enumType('UserRole'),
        description: 'What they are in the active company.',
        resolve: ({ company }) => company.role,
      }),
      scopes: t.field({ type: ['String'], description: 'What they may do in it.', resolve: (me) => [...me.scopes] }),
      grantableScopes: t.field({
        type: ['String'],
        description: 'Every scope that a token of theirs may hold.',
        resolve: (me) => scopes.filter((scope) => covers(me.scopes, scope)),
      }),
      company: t.expose('company', {
        type: Workplace,
        description: 'The active company, which everything they ask for is about.',
      }),
      companies: t.field({
        type: [Workplace],
        description: 'All that they can choose from, each followed by its sandbox.',
        resolve: ({ memberships }) => [...memberships],
      }),
    }),
  });

  kit.addOperation({
    action: 'read',
    rest: false,
    field: 'me',
    path: '/me',
    access: 'session',
    type: 'Me',
    description: 'Whoever is signed in.',
    returns: Me,
    args: () => ({}),
    async resolve(_args, { unscopedDb: db, caller }: Context): Promise<Person> {
      const [person, memberships] = await Promise.all([
        findPerson(db, caller.userId),
        listMemberships(db, caller.userId),
      ]);
      const company = memberships.find(({ id }) => id === caller.companyId);
      // It was there when the session was found, a moment ago.
      if (!company) throw refusal({ kind: 'guest' }, 'session');
      return { ...person, memberships, company, scopes: caller.scopes };
    },
  });
});

/** Whoever is signed in. */
interface Person {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
  readonly memberships: readonly Membership[];
  readonly company: Membership;
  readonly scopes: readonly string[];
}
