import { type LoggedEvent, listSecurityEvents, securityActions } from '../../auth/security-log.ts';
import { badRequest } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { constantCase, words } from '../../names.ts';
import { extendSchema } from '../../resource/index.ts';
import { mainCompanyId } from './session-access.ts';

const maxEvents = 100;

/** Adds the security log of the company, which also has what concerns its members and no company. */
export const securityEvents = extendSchema((kit) => {
  const { builder } = kit;
  const Action = builder.enumType('SecurityAction', {
    description: 'What happened.',
    values: Object.fromEntries(
      securityActions.map((action) => [
        constantCase(action),
        { value: action, description: `Recorded as “${words(action)}”.` },
      ]),
    ),
  });

  const Person = builder.objectRef<NonNullable<LoggedEvent['actor']>>('SecurityEventPerson').implement({
    description: 'A user that a security event is about.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the user.' }),
      fullName: t.exposeString('fullName', { description: 'Full name of the user.' }),
      email: t.exposeString('email', { description: 'Email address of the user.' }),
    }),
  });

  const Detail = builder.objectRef<{ name: string; value: string }>('SecurityEventDetail').implement({
    description: 'What changed.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'What it is, for example `role`.' }),
      value: t.exposeString('value', { description: 'Its value.' }),
    }),
  });

  const SecurityEvent = builder.objectRef<LoggedEvent>('SecurityEvent').implement({
    description: 'Something that somebody did with accounts, tokens, roles or settings.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the event. Later events have greater ones.' }),
      action: t.field({ type: Action, description: 'What happened.', resolve: ({ action }) => action }),
      actor: t.expose('actor', {
        type: Person,
        nullable: true,
        description: 'User who did it. Null on the command line, and for a failed sign-in.',
      }),
      person: t.expose('person', { type: Person, nullable: true, description: 'User to whom it was done.' }),
      details: t.field({
        type: [Detail],
        description: 'What changed.',
        resolve: ({ details }) => Object.entries(details).map(([name, value]) => ({ name, value: String(value) })),
      }),
      ipAddress: t.exposeString('ipAddress', {
        nullable: true,
        description: 'IP address of the request. Null on the command line.',
      }),
      userAgent: t.exposeString('userAgent', { nullable: true, description: 'Browser, as it describes itself.' }),
      createdAt: t.field({ type: 'DateTime', description: 'Time it happened.', resolve: ({ createdAt }) => createdAt }),
    }),
  });

  kit.addOperation({
    type: 'SecurityEvent',
    path: '/security-events',
    rest: false,
    access: 'admin',
    action: 'list',
    field: 'securityEvents',
    description:
      'List who did what with accounts, tokens, roles and settings, newest first: in the company, and sign-ins of its users. Admins only.',
    returns: [SecurityEvent],
    args: (arg) => ({
      first: arg.int({ required: true, defaultValue: 50, description: `Number of events, at most ${maxEvents}.` }),
      before: arg.id({ description: 'ID of an event: only earlier ones.' }),
      userId: arg.id({ description: 'ID of a user: only what they did or what was done to them.' }),
    }),
    async resolve({ first, before, userId }, context) {
      const count = first as number;
      if (count < 1 || count > maxEvents) throw badRequest(`must be between 1 and ${maxEvents}`, 'first');
      for (const [name, id] of Object.entries({ before, userId }))
        if (id != null && !isUuid(id)) throw badRequest('must be a uuid', name);
      return listSecurityEvents(context.unscopedDb, await mainCompanyId(context), {
        first: count,
        before: (before as string | null) ?? undefined,
        personId: (userId as string | null) ?? undefined,
      });
    },
  });
});
