import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { type Invitation, invite, listInvitations, revokeInvitation } from '../../auth/invitations.ts';
import { deactivate, erase, type MemberId, reactivate, resetTwoFactor, setRole } from '../../auth/members.ts';
import type { Actor } from '../../auth/security-log.ts';
import type { Context } from '../../context.ts';
import type { PrismaClient, UserRole } from '../../database/generated/client/client.ts';
import { badRequest, notFound, validationError } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { findSender } from '../../mail/index.ts';
import { extendSchema, findRowsById } from '../../resource/index.ts';
import { User } from '../people/user.ts';
import { actorOf, asValidationError, mainCompanyId } from './session-access.ts';

/** What admins do with the users of their company. It happens in the company and in its sandbox alike. */
export const members = extendSchema((kit) => {
  const { builder } = kit;
  const UserRoleType = kit.enumType('UserRole');
  const InvitationType = builder.objectRef<Invitation>('Invitation').implement({
    description: 'An invitation to become a user of the company that was not accepted yet.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the invitation.' }),
      email: t.exposeString('email', { description: 'Email address of the invited person.' }),
      fullName: t.exposeString('fullName', { description: 'Full name of the invited person.' }),
      role: t.field({ type: UserRoleType, description: 'Role in the company.', resolve: ({ role }) => role }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'Time the invitation expires.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'Time the invitation was created.',
        resolve: ({ createdAt }) => createdAt,
      }),
    }),
  });

  const CreatedInvitation = builder.objectRef<Created>('CreatedInvitation').implement({
    description: 'A new invitation.',
    fields: (t) => ({
      path: t.exposeString('path', {
        description:
          "Path of the link, below the service's address, with which the invitation is accepted. It is shown only once.",
      }),
      isEmailed: t.exposeBoolean('isEmailed', {
        description: 'Whether the link is emailed too: where the service sends email, and not from a sandbox.',
      }),
      invitation: t.expose('invitation', { type: InvitationType, description: 'Details of the invitation.' }),
    }),
  });

  const InviteUserInput = builder.inputType('InviteUserInput', {
    description: 'Somebody to invite.',
    fields: (t) => ({
      email: t.string({ required: true, description: 'Email address.' }),
      fullName: t.string({ required: true, description: 'Full name.' }),
      role: t.field({ type: UserRoleType, defaultValue: 'MEMBER', description: 'Role in the company.' }),
    }),
  });

  kit.addOperation({
    ...byAdmins,
    type: 'Invitation',
    action: 'list',
    field: 'invitations',
    description: 'List the invitations to the company that were not accepted yet, newest first. Admins only.',
    returns: [InvitationType],
    args: () => ({}),
    resolve: async (_args, context) => listInvitations(context.unscopedDb, await mainCompanyId(context)),
  });

  kit.addOperation({
    ...byAdmins,
    type: 'Invitation',
    action: 'create',
    field: 'inviteUser',
    description:
      'Invite somebody to the company. Earlier invitations of the same address end. Admins only. The link can be used once, for seven days.',
    returns: CreatedInvitation,
    args: (arg) => ({ input: arg({ type: InviteUserInput, required: true, description: 'The person to invite.' }) }),
    async resolve({ input }, context) {
      const { email, fullName, role } = input as { email: string; fullName: string; role?: UserRole | null };
      const companyId = await mainCompanyId(context);
      const wanted = { companyId, email, fullName, role: role ?? 'MEMBER' };
      const { invitation, token } = await invite(clientOf(context), wanted, actorOf(context)).catch(
        asValidationError({ email: 'email', full_name: 'fullName' }),
      );
      const path = `/invitation#${token}`;
      return { invitation, path, isEmailed: await emailInvitation(invitation, path, context) };
    },
  });

  kit.addOperation({
    ...byAdmins,
    type: 'Invitation',
    action: 'delete',
    field: 'revokeInvitation',
    description: 'End an invitation, so that its link no longer works. Admins only.',
    returns: InvitationType,
    args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the invitation.' }) }),
    async resolve({ id }, context) {
      const companyId = await mainCompanyId(context);
      const revoked = await revokeInvitation(clientOf(context), companyId, id as string, actorOf(context));
      if (!revoked) throw notFound('Invitation');
      return revoked;
    },
  });

  const userId = { required: true, description: 'ID of the user.' } as const;
  const Row = kit.typesOf(User).ref;

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'setUserRole',
    description: 'Change the role of a user, which bounds their sessions and tokens within a second. Admins only.',
    returns: Row,
    args: (arg) => ({
      id: arg.id(userId),
      role: arg({ type: UserRoleType, required: true, description: 'The new role.' }),
    }),
    resolve: ({ id, role }, context, info) =>
      change(id as string, context, info, (db, member, actor) => setRole(db, member, role as UserRole, actor)),
  });

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'deactivateUser',
    description:
      'Deactivate a user: within a second they are signed out of the company, and their tokens are refused. Their rows stay. Admins only.',
    returns: Row,
    args: (arg) => ({ id: arg.id(userId) }),
    resolve: ({ id }, context, info) => change(id as string, context, info, deactivate),
  });

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'reactivateUser',
    description: 'Reactivate a user, with the role and the valid tokens that they had. Admins only.',
    returns: Row,
    args: (arg) => ({ id: arg.id(userId) }),
    resolve: ({ id }, context, info) => change(id as string, context, info, reactivate),
  });

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'list',
    field: 'usersWithTwoFactor',
    description:
      'Find out which of some users sign in with a code of an authenticator app besides their password. Admins only.',
    returns: [Row],
    args: (arg) => ({ ids: arg.idList({ required: true, description: 'IDs of users, at most 100.' }) }),
    async resolve({ ids }, context, info) {
      const asked = ids as readonly string[];
      if (asked.length > maxIds) throw badRequest(`must be at most ${maxIds}`, 'ids');
      const people = await context.unscopedDb.person.findMany({
        where: { id: { in: asked.filter(isUuid) }, twoFactorEnabled: true },
        select: { id: true },
      });
      // Of the active company alone, as the rows of others are not found.
      const found = people.map(({ id }) => id);
      return findRowsById(User, found, context, queryFromInfo({ context, info, select: { id: true } }));
    },
  });

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'resetTwoFactor',
    description:
      'Let a user who has lost their authenticator app sign in with their password alone. Not of users of other companies too. Admins only.',
    returns: Row,
    args: (arg) => ({ id: arg.id(userId) }),
    resolve: ({ id }, context, info) => change(id as string, context, info, resetTwoFactor),
  });

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'eraseUser',
    description:
      "Erase a deactivated user: their name and email address are replaced everywhere, and their rows stay. This can't be undone. Admins only.",
    returns: Row,
    args: (arg) => ({
      id: arg.id(userId),
      email: arg.string({ required: true, description: 'Email address of the user, as a confirmation.' }),
    }),
    async resolve({ id, email }, context, info) {
      const found = isUuid(id) ? await context.db.user.findFirst({ where: { id } }) : null;
      if (!found) throw notFound('User');
      if (found.email !== email) throw validationError({ email: "must be the user's email address" });
      return change(found.id, context, info, erase);
    },
  });
});

/** Maximum number of users asked about at once: those of a page. */
const maxIds = 100;

interface Created {
  readonly invitation: Invitation;
  readonly path: string;
  readonly isEmailed: boolean;
}

const byAdmins = { path: '/users', rest: false, access: 'admin' } as const;

/** The unscoped client. Outside of a transaction, as here, it is Prisma's own. */
const clientOf = ({ unscopedDb }: Context) => unscopedDb as PrismaClient;

/** Emails an invitation's link where the company sends email. @returns whether it does */
async function emailInvitation(invitation: Invitation, path: string, context: Context): Promise<boolean> {
  const { mailer, unscopedDb, caller } = context;
  const sender = mailer.isEnabled ? await findSender(unscopedDb, caller.companyId) : null;
  if (!sender) return false;
  const { email, fullName, expiresAt } = invitation;
  mailer.send(sender, {
    to: email,
    subject: `Invitation to ${sender.companyName}`,
    paragraphs: [
      `Hello ${fullName},`,
      `You are invited to join ${sender.companyName} on Premises.`,
      `The link works once, until ${expiresAt.toISOString().slice(0, 10)}. Ignore this message if you did not expect it.`,
    ],
    link: { label: 'Accept the invitation', path },
  });
  return true;
}

/** Changes a member. @returns the selected fields of the user in the active company */
async function change(
  userId: string,
  context: Context,
  info: GraphQLResolveInfo,
  run: (db: PrismaClient, member: MemberId, actor: Actor) => Promise<unknown>,
) {
  const companyId = await mainCompanyId(context);
  await run(clientOf(context), { companyId, userId }, actorOf(context));
  const [row] = await findRowsById(User, [userId], context, queryFromInfo({ context, info, select: { id: true } }));
  return row;
}
