import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { type Invitation, invite, listInvitations, revokeInvitation } from '../../auth/invitations.ts';
import { deactivate, erase, type MemberId, reactivate, resetTwoFactor, setRole } from '../../auth/members.ts';
import type { Actor } from '../../auth/security-log.ts';
import type { Context } from '../../context.ts';
import type { PrismaClient, UserRole } from '../../database/generated/client/client.ts';
import { notFound, validationError } from '../../errors.ts';
import { findSender } from '../../mail/index.ts';
import { extendSchema, findRowsById, maxPageSize, type SchemaKit, uuidArgument } from '../../resource/index.ts';
import { User } from '../people/user.ts';
import { actorOf, idsArgument, mainCompanyId } from './session-access.ts';

/** What admins do with the users of their company. It happens in the company and in its sandbox alike. */
export const members = extendSchema((kit) => {
  addInvitations(kit);
  addMemberships(kit);
  addTwoFactor(kit);
  addErasure(kit);
});

/** Adds inviting people. */
function addInvitations(kit: SchemaKit): void {
  const { InvitationType, CreatedInvitation, InviteUserInput } = addInvitationTypes(kit);

  kit.addOperation({
    ...byAdmins,
    type: 'Invitation',
    action: 'list',
    field: 'invitations',
    description: 'List the pending invitations to the company, newest first. Admins only.',
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
      'Invite somebody to the company, and revoke earlier invitations of the same address. The link can be used once, within seven days. Admins only.',
    returns: CreatedInvitation,
    args: (arg) => ({ input: arg({ type: InviteUserInput, required: true, description: 'The person to invite.' }) }),
    async resolve({ input }, context) {
      const { email, fullName, role } = input;
      const companyId = await mainCompanyId(context);
      // The enum's values are those of the column.
      const wanted = { companyId, email, fullName, role: (role ?? 'MEMBER') as UserRole };
      const { invitation, token } = await invite(clientOf(context), wanted, actorOf(context));
      const path = `/invitation#${token}`;
      return { invitation, path, isEmailed: await emailInvitation(invitation, path, context) };
    },
  });

  kit.addOperation({
    ...byAdmins,
    type: 'Invitation',
    action: 'delete',
    field: 'revokeInvitation',
    description: 'Revoke an invitation, so that its link no longer works. Admins only.',
    returns: InvitationType,
    args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the invitation.' }) }),
    async resolve(args, context) {
      const id = uuidArgument(args, 'id');
      const companyId = await mainCompanyId(context);
      const revoked = await revokeInvitation(clientOf(context), companyId, id, actorOf(context));
      if (!revoked) throw notFound('Invitation');
      return revoked;
    },
  });
}

function addInvitationTypes(kit: SchemaKit) {
  const { builder } = kit;
  const UserRoleType = kit.enumType('UserRole');
  const InvitationType = builder.objectRef<Invitation>('Invitation').implement({
    description: 'A pending invitation to become a user of the company.',
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
          "Path of the link that accepts the invitation, relative to the service's address. It is shown only once.",
      }),
      isEmailed: t.exposeBoolean('isEmailed', {
        description: 'Whether the link is also emailed: only if the service sends email, and not from a sandbox.',
      }),
      invitation: t.expose('invitation', { type: InvitationType, description: 'Details of the invitation.' }),
    }),
  });

  const InviteUserInput = builder.inputType('InviteUserInput', {
    description: 'A person to invite.',
    fields: (t) => ({
      email: t.string({ required: true, description: 'Email address.' }),
      fullName: t.string({ required: true, description: 'Full name.' }),
      role: t.field({ type: UserRoleType, defaultValue: 'MEMBER', description: 'Role in the company.' }),
    }),
  });
  return { InvitationType, CreatedInvitation, InviteUserInput };
}

const userId = { required: true, description: 'ID of the user.' } as const;

/** Adds roles, and deactivating and reactivating users. */
function addMemberships(kit: SchemaKit): void {
  const UserRoleType = kit.enumType('UserRole');
  const Row = kit.typesOf(User).ref;

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'setUserRole',
    description: 'Change the role of a user. It applies to their sessions and tokens within a second. Admins only.',
    returns: Row,
    args: (arg) => ({
      id: arg.id(userId),
      role: arg({ type: UserRoleType, required: true, description: 'The new role.' }),
    }),
    resolve: (args, context, info) =>
      // The enum's values are those of the column.
      change(args, context, info, (db, member, actor) => setRole(db, member, args.role as UserRole, actor)),
  });

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'deactivateUser',
    description:
      'Deactivate a user: within a second they are signed out of the company, and their tokens are refused. Their data is kept. Admins only.',
    returns: Row,
    args: (arg) => ({ id: arg.id(userId) }),
    resolve: (args, context, info) => change(args, context, info, deactivate),
  });

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'reactivateUser',
    description: 'Reactivate a user, with the role and the valid tokens that they had. Admins only.',
    returns: Row,
    args: (arg) => ({ id: arg.id(userId) }),
    resolve: (args, context, info) => change(args, context, info, reactivate),
  });
}

/** Adds the operations of admins on their users' authenticator apps. */
function addTwoFactor(kit: SchemaKit): void {
  const Row = kit.typesOf(User).ref;

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'list',
    field: 'usersWithTwoFactor',
    description:
      'List which of the given users sign in with a password and a code of an authenticator app. Admins only.',
    returns: [Row],
    args: (arg) => ({ ids: arg.idList({ required: true, description: `IDs of users, at most ${maxPageSize}.` }) }),
    async resolve({ ids }, context, info) {
      const people = await context.unscopedDb.person.findMany({
        where: { id: { in: idsArgument(ids) }, twoFactorEnabled: true },
        select: { id: true },
      });
      // Only users of the active company, as the rows of others are not found.
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
      'Let a user who has lost their authenticator app sign in with their password alone. Refused for users who belong to another company too. Admins only.',
    returns: Row,
    args: (arg) => ({ id: arg.id(userId) }),
    resolve: (args, context, info) => change(args, context, info, resetTwoFactor),
  });
}

/** Adds erasing users who are deactivated. */
function addErasure(kit: SchemaKit): void {
  const Row = kit.typesOf(User).ref;

  kit.addOperation({
    ...byAdmins,
    type: 'User',
    action: 'update',
    field: 'eraseUser',
    description:
      "Erase a deactivated user: their name and email address are replaced, except in texts such as comments, and their rows are kept. This can't be undone. Admins only.",
    returns: Row,
    args: (arg) => ({
      id: arg.id(userId),
      email: arg.string({ required: true, description: 'Email address of the user, as a confirmation.' }),
    }),
    async resolve(args, context, info) {
      const found = await context.db.user.findFirst({ where: { id: uuidArgument(args, 'id') } });
      if (!found) throw notFound('User');
      if (found.email !== args.email) throw validationError({ email: "must be the user's email address" });
      return change(args, context, info, erase);
    },
  });
}

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

/**
 * Changes the member that the arguments name.
 *
 * @returns the selected fields of the user in the active company
 */
async function change(
  args: { readonly id: string },
  context: Context,
  info: GraphQLResolveInfo,
  run: (db: PrismaClient, member: MemberId, actor: Actor) => Promise<{ readonly id: string }>,
) {
  const member = { userId: uuidArgument(args, 'id'), companyId: await mainCompanyId(context) };
  const { id } = await run(clientOf(context), member, actorOf(context));
  const [row] = await findRowsById(User, [id], context, queryFromInfo({ context, info, select: { id: true } }));
  return row;
}
