import { accessError } from '../../auth/access.ts';
import { covers, scopes } from '../../auth/scopes.ts';
import { findPerson, listMemberships, type Membership } from '../../auth/sessions/people.ts';
import { apiField, defineOperation, defineType } from '../../resource/index.ts';
import { User } from '../people/user.ts';

const Me = defineType((kit) => {
  const { builder } = kit;
  const Workplace = builder.objectRef<Membership>('Workplace').implement({
    description: 'A company that the user is a member of, or its sandbox.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the company.' }),
      name: t.exposeString('name', { description: 'Name of the company.' }),
      slug: t.exposeString('slug', { description: 'Slug of the company.' }),
      isSandbox: t.exposeBoolean('isSandbox', {
        description: 'Whether this is a sandbox. Test tokens access the sandbox.',
      }),
      role: t.field({
        type: kit.enumType(apiField(User, 'role')),
        description: "The user's role in the company.",
        resolve: ({ role }) => role,
      }),
    }),
  });

  return builder.objectRef<Person>('Me').implement({
    description: 'The signed-in user, with the active company and the permissions in it.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the user, the same in every company.' }),
      fullName: t.exposeString('fullName', { description: 'Full name.' }),
      email: t.exposeString('email', { description: 'Email address used to sign in.' }),
      language: t.exposeString('language', {
        nullable: true,
        description: 'BCP 47 tag of the language of pages; null for that of the browser.',
      }),
      timeZone: t.exposeString('timeZone', {
        nullable: true,
        description: 'IANA time zone of times on pages; null for that of the browser.',
      }),
      role: t.field({
        type: kit.enumType(apiField(User, 'role')),
        description: 'Role in the active company.',
        resolve: ({ company }) => company.role,
      }),
      scopes: t.field({
        type: ['String'],
        description: 'Scopes of the user in the active company.',
        resolve: (me) => [...me.scopes],
      }),
      grantableScopes: t.field({
        type: ['String'],
        description: 'Scopes that the user can grant to an API token.',
        resolve: (me) => scopes.filter((scope) => covers(me.scopes, scope)),
      }),
      company: t.expose('company', {
        type: Workplace,
        description: 'The active company. All other operations apply to it.',
      }),
      companies: t.field({
        type: [Workplace],
        description: 'Companies that the user can switch to, each followed by its sandbox.',
        resolve: ({ memberships }) => [...memberships],
      }),
    }),
  });
});

/** The signed-in user. It lists all companies of a person, and so reads across companies. */
export const me = defineOperation({
  action: 'read',
  rest: false,
  field: 'me',
  path: '/me',
  access: 'session',
  type: 'Me',
  description: 'Get the signed-in user.',
  returns: Me,
  async run(_args, { unscopedDb: db, caller }): Promise<Person> {
    const [person, memberships] = await Promise.all([
      findPerson(db, caller.userId),
      listMemberships(db, caller.userId),
    ]);
    const company = memberships.find(({ id }) => id === caller.companyId);
    // The membership was removed after the session was authenticated.
    if (!company) throw accessError({ kind: 'guest' }, 'session');
    return { ...person, memberships, company, scopes: caller.scopes };
  },
});

/** The signed-in user. */
interface Person {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
  readonly language: string | null;
  readonly timeZone: string | null;
  readonly memberships: readonly Membership[];
  readonly company: Membership;
  readonly scopes: readonly string[];
}
