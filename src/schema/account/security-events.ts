import { type LoggedEvent, listSecurityEvents, securityActions } from '../../auth/security-log.ts';
import { constantCase, spaced } from '../../names.ts';
import { assertPageSize, defineOperation, defineType, uuidArgument } from '../../resource/index.ts';
import { mainCompanyId } from './session-access.ts';

const maxEvents = 100;

const SecurityAction = defineType(({ builder }) =>
  builder.enumType('SecurityAction', {
    description: 'Action of a security event.',
    values: Object.fromEntries(
      securityActions.map((action) => [
        constantCase(action),
        { value: action, description: `Recorded as “${spaced(action)}”.` },
      ]),
    ),
  }),
);

const SecurityEvent = defineType((kit) => {
  const { builder } = kit;
  const Action = SecurityAction(kit);
  const Person = builder.objectRef<NonNullable<LoggedEvent['actor']>>('SecurityEventPerson').implement({
    description: 'A user that a security event is about.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the user.' }),
      fullName: t.exposeString('fullName', { description: 'Full name of the user.' }),
      email: t.exposeString('email', { description: 'Email address of the user.' }),
    }),
  });

  const Detail = builder.objectRef<{ name: string; value: string }>('SecurityEventDetail').implement({
    description: 'Detail of a security event.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the detail, for example `role`.' }),
      value: t.exposeString('value', { description: 'Its value.' }),
    }),
  });

  return builder.objectRef<LoggedEvent>('SecurityEvent').implement({
    description: 'An action on accounts, tokens, roles or settings.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the event. Later events have greater IDs.' }),
      action: t.field({ type: Action, description: 'Action that was recorded.', resolve: ({ action }) => action }),
      actor: t.expose('actor', {
        type: Person,
        nullable: true,
        description: 'User who did it. Null for the command line and for a failed sign-in.',
      }),
      person: t.expose('person', { type: Person, nullable: true, description: 'User that the action concerns.' }),
      details: t.field({
        type: [Detail],
        description: 'Details, such as the new role.',
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
});

/** The security log of the company, including its members' events that concern no company. */
export const securityEvents = defineOperation({
  type: 'SecurityEvent',
  path: '/security-events',
  rest: false,
  access: 'admin',
  action: 'list',
  field: 'securityEvents',
  description:
    'List security events, newest first: actions on accounts, tokens, roles and settings of the company, and sign-ins of its users. Admins only.',
  returns: (kit) => [SecurityEvent(kit)],
  args: (arg, kit) => ({
    first: arg.int({ required: true, defaultValue: 50, description: `Number of events, at most ${maxEvents}.` }),
    before: arg.id({ description: 'ID of an event: only earlier ones.' }),
    userId: arg.id({ description: 'ID of a user: only events that they caused or that concern them.' }),
    actions: arg({ type: [SecurityAction(kit)], description: 'Actions: only events of one of them. All by default.' }),
    search: arg.string({
      description:
        'Text in the names or email addresses of users, in IP addresses, browsers or details. Case is ignored.',
    }),
    since: arg({ type: 'DateTime', description: 'Only events from this time on.' }),
    until: arg({ type: 'DateTime', description: 'Only events before this time.' }),
  }),
  async run(args, context) {
    assertPageSize(args.first, maxEvents);
    const before = args.before == null ? undefined : uuidArgument(args, 'before');
    const personId = args.userId == null ? undefined : uuidArgument(args, 'userId');
    const companyId = await mainCompanyId(context);
    const { first, actions, search, since, until } = args;
    return listSecurityEvents(context.unscopedDb, companyId, {
      ...{ first, before, personId, since: since ?? undefined, until: until ?? undefined },
      actions: actions ?? undefined,
      search: search?.trim() || undefined,
    });
  },
});
