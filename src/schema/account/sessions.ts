import { recordSecurityEvent } from '../../auth/security-log.ts';
import type { Context } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { notFound } from '../../errors.ts';
import { defineOperation, defineType, uuidArgument } from '../../resource/index.ts';
import { actorOf } from './session-access.ts';

/** A browser in which the person is signed in. */
interface SignedInSession {
  readonly id: string;
  readonly isCurrent: boolean;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const Session = defineType(({ builder }) =>
  builder.objectRef<SignedInSession>('Session').implement({
    description: 'A browser in which you are signed in.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the session.' }),
      isCurrent: t.exposeBoolean('isCurrent', { description: 'Whether this request was made with it.' }),
      ipAddress: t.exposeString('ipAddress', {
        nullable: true,
        description: 'IP address from which you signed in.',
      }),
      userAgent: t.exposeString('userAgent', { nullable: true, description: 'Browser, as it describes itself.' }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'Time you signed in.',
        resolve: ({ createdAt }) => createdAt,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'Time the session ends if it is not used before.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
    }),
  }),
);

const ofPerson = { type: 'Session', path: '/sessions', rest: false, access: 'session' } as const;

/** The sessions of the caller. */
export const mySessions = defineOperation({
  ...ofPerson,
  action: 'list',
  field: 'mySessions',
  description: 'List the browsers in which you are signed in, newest first.',
  returns: (kit) => [Session(kit)],
  run: async (_args, context) => listSessions(context),
});

/** Ends a session of the caller. */
export const endSession = defineOperation({
  ...ofPerson,
  action: 'delete',
  field: 'endSession',
  label: 'Sign out',
  description: 'Sign out in one browser. It takes effect immediately.',
  returns: Session,
  args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the session.' }) }),
  async run(args, context) {
    const [ended] = await endSessions(context, { id: uuidArgument(args, 'id') });
    if (!ended) throw notFound('session');
    return ended;
  },
});

/** Ends all sessions of the caller but this one. */
export const endOtherSessions = defineOperation({
  ...ofPerson,
  action: 'delete',
  field: 'endOtherSessions',
  label: 'Sign out everywhere else',
  description: 'Sign out everywhere else. Returns the sessions that ended.',
  returns: (kit) => [Session(kit)],
  run: async (_args, context) => endSessions(context, { id: { not: context.caller.id } }),
});

/** The operations on the sessions of the signed-in person: sessions belong to persons, and so to no company. */
export const sessionOperations = [mySessions, endSession, endOtherSessions];

async function listSessions(
  { unscopedDb, caller }: Context,
  where: Prisma.SessionWhereInput = {},
): Promise<SignedInSession[]> {
  const rows = await unscopedDb.session.findMany({
    where: { AND: [{ personId: caller.userId, expiresAt: { gt: new Date() } }, where] },
    orderBy: { createdAt: 'desc' },
    omit: { token: true },
  });
  return rows.map((row) => ({ ...row, isCurrent: row.id === caller.id }));
}

/** Ends some of the person's sessions. @returns those that it ended */
async function endSessions(context: Context, where: Prisma.SessionWhereInput): Promise<SignedInSession[]> {
  const { unscopedDb, caller } = context;
  const ending = await listSessions(context, where);
  if (ending.length === 0) return [];
  await unscopedDb.$transaction(async (transaction) => {
    await transaction.session.deleteMany({ where: { id: { in: ending.map(({ id }) => id) } } });
    const details = { sessions: ending.length };
    const event = { action: 'session_ended', personId: caller.userId, details } as const;
    await recordSecurityEvent(transaction, { ...event, actor: actorOf(context) });
  });
  return ending;
}
