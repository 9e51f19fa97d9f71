import type { GraphQLResolveInfo } from 'graphql';
import { resetTwoFactor as reset, unlinkOpenId as unlink } from '../../auth/members.ts';
import { handOverPasswordReset } from '../../auth/password-resets.ts';
import { oidcProviderId } from '../../auth/sessions/openid-links.ts';
import type { Context } from '../../context.ts';
import type { Prisma } from '../../database/generated/client/client.ts';
import { conflict } from '../../errors.ts';
import {
  defineOperation,
  defineType,
  findRowsById,
  maxPageSize,
  selectionOf,
  uuidArgument,
} from '../../resource/index.ts';
import { User } from '../people/user.ts';
import { byAdmins, changeUser, clientOf, userId } from './members.ts';
import { actorOf, assertSignedInLately, idsArgument, mainCompanyId } from './session-access.ts';

const userIds = { required: true, description: `IDs of users, at most ${maxPageSize}.` } as const;

/** Finds those of the given users whose person is such a one. */
async function findUsersWhose(
  person: Prisma.PersonWhereInput,
  ids: readonly string[],
  context: Context,
  info: GraphQLResolveInfo,
) {
  const people = await context.unscopedDb.person.findMany({
    where: { id: { in: idsArgument(ids) }, ...person },
    select: { id: true },
  });
  // Only users of the active company, as the rows of others are not found.
  const found = people.map(({ id }) => id);
  return findRowsById(User, found, context, selectionOf(context, info, { id: true }));
}

/** Which users sign in with an authenticator app. */
export const usersWithTwoFactor = defineOperation({
  ...byAdmins,
  action: 'list',
  field: 'usersWithTwoFactor',
  description: 'List which of the given users sign in with a password and a code of an authenticator app. Admins only.',
  returns: (kit) => [kit.typesOf(User).ref],
  args: (arg) => ({ ids: arg.idList(userIds) }),
  run: ({ ids }, context, info) => findUsersWhose({ twoFactorEnabled: true }, ids, context, info),
});

/** Lets a user sign in without their authenticator app. */
export const resetTwoFactor = defineOperation({
  ...byAdmins,
  action: 'update',
  field: 'resetTwoFactor',
  label: 'Reset two-factor sign-in',
  description:
    'Let a user who has lost their authenticator app sign in with their password alone. Refused for users who belong to another company too. Admins only.',
  args: (arg) => ({ id: arg.id(userId) }),
  run: (args, context, info) => changeUser(args, context, info, reset),
});

/** Which users are linked to an OpenID identity. */
export const usersWithOpenId = defineOperation({
  ...byAdmins,
  action: 'list',
  field: 'usersWithOpenId',
  description: 'List which of the given users are linked to an OpenID identity. Admins only.',
  returns: (kit) => [kit.typesOf(User).ref],
  args: (arg) => ({ ids: arg.idList(userIds) }),
  run: ({ ids }, context, info) =>
    findUsersWhose({ accounts: { some: { providerId: oidcProviderId } } }, ids, context, info),
});

/** Unlinks a user from their OpenID identity. */
export const unlinkOpenId = defineOperation({
  ...byAdmins,
  action: 'update',
  field: 'unlinkOpenId',
  label: 'Unlink OpenID identity',
  description:
    'Unlink a user from their OpenID identity and end their sessions, so that they can sign in with another identity that has their email address. Refused for users who belong to another company too. Admins only.',
  args: (arg) => ({ id: arg.id(userId) }),
  run: (args, context, info) => changeUser(args, context, info, unlink),
});

const PasswordResetLink = defineType(({ builder }) =>
  builder.objectRef<{ path: string; expiresAt: Date }>('PasswordResetLink').implement({
    description: 'A link with which a user sets a new password.',
    fields: (t) => ({
      path: t.exposeString('path', {
        description: "Path of the link, relative to the service's address. It is shown only once.",
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'Time the link expires.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
    }),
  }),
);

/** Creates a link that sets a forgotten password, where the service emails none. */
export const createPasswordResetLink = defineOperation({
  ...byAdmins,
  action: 'update',
  field: 'createPasswordResetLink',
  label: 'Create password reset link',
  description:
    'Create a link to hand over to a user who has forgotten their password. It can be used once, within an hour. Refused where the service emails such links, and for users who belong to another company too. You must have signed in within the last hour (REAUTHENTICATION_REQUIRED). Admins only.',
  returns: PasswordResetLink,
  args: (arg) => ({ id: arg.id(userId) }),
  async run(args, context) {
    const member = { userId: uuidArgument(args, 'id'), companyId: await mainCompanyId(context) };
    if (context.mailer.isEnabled)
      throw conflict('This service emails such links: the user requests one on the page /forgot-password.');
    assertSignedInLately(context, 'create a link');
    const { token, expiresAt } = await handOverPasswordReset(clientOf(context), member, actorOf(context));
    return { path: `/reset-password#${token}`, expiresAt };
  },
});

/** What admins do with the sign-ins of the users of their company. */
export const memberSignInOperations = [
  usersWithTwoFactor,
  resetTwoFactor,
  usersWithOpenId,
  unlinkOpenId,
  createPasswordResetLink,
];
