import type { GraphQLResolveInfo } from 'graphql';
import {
  type Invitation as InvitationRow,
  invite,
  listInvitations,
  revokeInvitation as revoke,
} from '../../auth/invitations.ts';
import { deactivate, erase, type MemberId, reactivate, setRole } from '../../auth/members.ts';
import type { Actor } from '../../auth/security-log.ts';
import type { Context } from '../../context.ts';
import type { PrismaClient, UserRole } from '../../database/generated/client/client.ts';
import { notFound, validationError } from '../../errors.ts';
import { findSender, type Sender } from '../../mail/index.ts';
import {
  apiField,
  defineOperation,
  defineType,
  findRowsById,
  lengthOf,
  selectionOf,
  uuidArgument,
} from '../../resource/index.ts';
import { User } from '../people/user.ts';
import { actorOf, assertSignedInLately, mainCompanyId } from './session-access.ts';

interface Created {
  readonly invitation: InvitationRow;
  readonly path: string;
  readonly isEmailed: boolean;
}

const Invitation = defineType((kit) =>
  kit.builder.objectRef<InvitationRow>('Invitation').implement({
    description: 'A pending invitation to become a user of the company.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the invitation.' }),
      email: t.exposeString('email', { description: 'Email address of the invited person.' }),
      fullName: t.exposeString('fullName', { description: 'Full name of the invited person.' }),
      role: t.field({
        type: kit.enumType(apiField(User, 'role')),
        description: 'Role in the company.',
        resolve: ({ role }) => role,
      }),
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
  }),
);

const CreatedInvitation = defineType((kit) =>
  kit.builder.objectRef<Created>('CreatedInvitation').implement({
    description: 'A new invitation.',
    fields: (t) => ({
      path: t.exposeString('path', {
        description:
          "Path of the link that accepts the invitation, relative to the service's address. It is shown only once.",
      }),
      isEmailed: t.exposeBoolean('isEmailed', {
        description:
          'Whether the invitation is also emailed, with another link: only if the service sends email, and not from a sandbox.',
      }),
      invitation: t.expose('invitation', { type: Invitation(kit), description: 'Details of the invitation.' }),
    }),
  }),
);

const InviteUserInput = defineType((kit) =>
  kit.builder.inputType('InviteUserInput', {
    description: 'A person to invite.',
    fields: (t) => ({
      email: t.string({
        required: true,
        description: 'Email address.',
        extensions: lengthOf('Invitation', 'email'),
      }),
      fullName: t.string({
        required: true,
        description: 'Full name.',
        extensions: lengthOf('Invitation', 'fullName'),
      }),
      role: t.field({
        type: kit.enumType(apiField(User, 'role')),
        defaultValue: 'MEMBER',
        description: 'Role in the company.',
      }),
    }),
  }),
);

/** What the operations of admins on users have in common. */
export const byAdmins = { of: User, rest: false, access: 'admin' } as const;

const ofInvitations = { type: 'Invitation', path: '/users', rest: false, access: 'admin' } as const;

/** The argument that names a user. */
export const userId = { required: true, description: 'ID of the user.' } as const;

/** The pending invitations to the company. */
export const invitations = defineOperation({
  ...ofInvitations,
  action: 'list',
  field: 'invitations',
  description: 'List the pending invitations to the company, newest first. Admins only.',
  returns: (kit) => [Invitation(kit)],
  run: async (_args, context) => listInvitations(context.unscopedDb, await mainCompanyId(context)),
});

/** Invites somebody to the company. */
export const inviteUser = defineOperation({
  ...ofInvitations,
  action: 'create',
  field: 'inviteUser',
  label: 'Invite user',
  description:
    'Invite somebody to the company, and revoke earlier invitations of the same address. It can be accepted once, within seven days. An email has a link of its own, which proves that its holder owns the address. Admins only.',
  returns: CreatedInvitation,
  args: (arg, kit) => ({
    input: arg({ type: InviteUserInput(kit), required: true, description: 'The person to invite.' }),
  }),
  async run({ input }, context) {
    const { email, fullName, role } = input;
    const companyId = await mainCompanyId(context);
    // The enum's values are those of the column.
    const invited = { companyId, email, fullName, role: (role ?? 'MEMBER') as UserRole };
    const sender = await findMailSender(context);
    const wanted = { ...invited, isEmailed: sender !== null };
    const { invitation, token, mailedToken } = await invite(clientOf(context), wanted, actorOf(context));
    if (sender && mailedToken !== undefined) emailInvitation(invitation, mailedToken, sender, context);
    return { invitation, path: `/invitation#${token}`, isEmailed: sender !== null };
  },
});

/** Revokes an invitation. */
export const revokeInvitation = defineOperation({
  ...ofInvitations,
  action: 'delete',
  field: 'revokeInvitation',
  label: 'Revoke invitation',
  description: 'Revoke an invitation, so that its link no longer works. Admins only.',
  returns: Invitation,
  args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the invitation.' }) }),
  async run(args, context) {
    const id = uuidArgument(args, 'id');
    const companyId = await mainCompanyId(context);
    const revoked = await revoke(clientOf(context), companyId, id, actorOf(context));
    if (!revoked) throw notFound('invitation');
    return revoked;
  },
});

/** Changes the role of a user. */
export const setUserRole = defineOperation({
  ...byAdmins,
  action: 'update',
  field: 'setUserRole',
  label: 'Change role',
  description: 'Change the role of a user. It applies to their sessions and tokens within a second. Admins only.',
  args: (arg, kit) => ({
    id: arg.id(userId),
    role: arg({ type: kit.enumType(apiField(User, 'role')), required: true, description: 'The new role.' }),
  }),
  run: (args, context, info) =>
    // The enum's values are those of the column.
    changeUser(args, context, info, (db, member, actor) => setRole(db, member, args.role as UserRole, actor)),
});

/** Deactivates a user. */
export const deactivateUser = defineOperation({
  ...byAdmins,
  action: 'update',
  field: 'deactivateUser',
  label: 'Deactivate',
  description:
    'Deactivate a user: within a second they are signed out of the company, and their tokens are refused. Their data is kept. Admins only.',
  args: (arg) => ({ id: arg.id(userId) }),
  run: (args, context, info) => changeUser(args, context, info, deactivate),
});

/** Reactivates a user. */
export const reactivateUser = defineOperation({
  ...byAdmins,
  action: 'update',
  field: 'reactivateUser',
  label: 'Reactivate',
  description: 'Reactivate a user, with the role and the valid tokens that they had. Admins only.',
  args: (arg) => ({ id: arg.id(userId) }),
  run: (args, context, info) => changeUser(args, context, info, reactivate),
});

/** Erases a user who is deactivated. */
export const eraseUser = defineOperation({
  ...byAdmins,
  action: 'update',
  field: 'eraseUser',
  label: 'Erase',
  description:
    "Erase a deactivated user: their name and email address are replaced, except in texts such as comments, and their rows are kept. This can't be undone. You must have signed in within the last hour (REAUTHENTICATION_REQUIRED). Admins only.",
  args: (arg) => ({
    id: arg.id(userId),
    email: arg.string({ required: true, description: 'Email address of the user, as a confirmation.' }),
  }),
  async run(args, context, info) {
    const id = uuidArgument(args, 'id');
    assertSignedInLately(context, 'erase a user');
    const found = await context.db.user.findFirst({ where: { id } });
    if (!found) throw notFound('user');
    if (found.email !== args.email) throw validationError({ email: "must be the user's email address" });
    return changeUser(args, context, info, erase);
  },
});

/** What admins do with the users of their company. It happens in the company and in its sandbox alike. */
export const memberOperations = [
  invitations,
  inviteUser,
  revokeInvitation,
  setUserRole,
  deactivateUser,
  reactivateUser,
  eraseUser,
];

/** The unscoped client. Outside of a transaction, as here, it is Prisma's own. */
export const clientOf = ({ unscopedDb }: Context) => unscopedDb as PrismaClient;

/** Finds the sender of email of the active company; null where it sends none. */
const findMailSender = async ({ mailer, unscopedDb, caller }: Context): Promise<Sender | null> =>
  mailer.isEnabled ? findSender(unscopedDb, caller.companyId) : null;

/** Emails an invitation's link, which the inviting admin does not see. */
function emailInvitation(invitation: InvitationRow, token: string, sender: Sender, { mailer }: Context): void {
  const { email, fullName, expiresAt } = invitation;
  mailer.send(sender, {
    to: email,
    subject: `Invitation to ${sender.companyName}`,
    paragraphs: [
      `Hello ${fullName},`,
      `You are invited to join ${sender.companyName} on Premises.`,
      `The link works once, until ${expiresAt.toISOString().slice(0, 10)}. Ignore this message if you did not expect it.`,
    ],
    link: { label: 'Accept the invitation', path: `/invitation#${token}` },
  });
}

/**
 * Changes the member that the arguments name.
 *
 * @returns the selected fields of the user in the active company
 */
export async function changeUser(
  args: { readonly id: string },
  context: Context,
  info: GraphQLResolveInfo,
  run: (db: PrismaClient, member: MemberId, actor: Actor) => Promise<{ readonly id: string }>,
) {
  const member = { userId: uuidArgument(args, 'id'), companyId: await mainCompanyId(context) };
  const { id } = await run(clientOf(context), member, actorOf(context));
  const [row] = await findRowsById(User, [id], context, selectionOf(context, info, { id: true }));
  return row;
}
