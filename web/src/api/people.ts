import {
  CompanySettingsDocument,
  type CompanySettingsQuery,
  CreatePasswordResetLinkDocument,
  DeactivateUserDocument,
  EndOtherSessionsDocument,
  EndSessionDocument,
  EraseUserDocument,
  InvitationsDocument,
  type InvitationsQuery,
  InviteUserDocument,
  type InviteUserInput,
  type MemberFragment,
  MembersDocument,
  MySessionsDocument,
  type MySessionsQuery,
  ReactivateUserDocument,
  ResetTwoFactorDocument,
  RevokeInvitationDocument,
  type SecurityAction,
  SecurityEventsDocument,
  type SecurityEventsQuery,
  type SecurityEventsQueryVariables,
  SetUserRoleDocument,
  UnlinkOpenIdDocument,
  UpdateCompanySettingsDocument,
  type UpdateCompanySettingsInput,
  type UserRole,
  UsersWithOpenIdDocument,
  UsersWithTwoFactorDocument,
} from './generated/graphql.ts';
import { execute } from './graphql.ts';

export type { SecurityAction, UserRole };

/** A user of the company. */
export type Member = MemberFragment & {
  /** Whether signing in also requires a code of an authenticator app. */
  readonly hasTwoFactor: boolean;
  /** Whether they are linked to an OpenID identity. */
  readonly hasOpenId: boolean;
};

/** A pending invitation. */
export type Invitation = NonNullable<InvitationsQuery['invitations']>[number];

/** A browser in which the person is signed in. */
export type SignedInSession = NonNullable<MySessionsQuery['mySessions']>[number];

/** An entry of the security log. */
export type SecurityEvent = NonNullable<SecurityEventsQuery['securityEvents']>[number];

/** The settings of the company. */
export type CompanySettings = NonNullable<CompanySettingsQuery['companySettings']>;

/** Lists users by name, 50 at a time, with the search that found them. @param after the end of the page before */
export async function listMembers(search: string, after?: string) {
  const { users } = await execute(MembersDocument, { search: search || null, after: after ?? null });
  const ids = users.nodes.map(({ id }) => id);
  const [{ usersWithTwoFactor }, { usersWithOpenId }] = await Promise.all([
    execute(UsersWithTwoFactorDocument, { ids }),
    execute(UsersWithOpenIdDocument, { ids }),
  ]);
  const withTwoFactor = new Set(usersWithTwoFactor.map(({ id }) => id));
  const withOpenId = new Set(usersWithOpenId.map(({ id }) => id));
  return {
    ...users,
    search,
    nodes: users.nodes.map((user) => ({
      ...user,
      hasTwoFactor: withTwoFactor.has(user.id),
      hasOpenId: withOpenId.has(user.id),
    })),
  };
}

/** Lets somebody who has lost their authenticator app sign in with their password alone. */
export const resetTwoFactor = (id: string) => execute(ResetTwoFactorDocument, { id });

/** Lets somebody sign in with another OpenID identity than before. */
export const unlinkOpenId = (id: string) => execute(UnlinkOpenIdDocument, { id });

/** @returns the address of a link with which somebody sets a new password; it cannot be read again */
export const createPasswordLink = async (id: string) =>
  location.origin + (await execute(CreatePasswordResetLinkDocument, { id })).createPasswordResetLink.path;

export const listInvitations = async () => (await execute(InvitationsDocument)).invitations;

/** @returns the address of the link, which cannot be read again, and whether it is emailed */
export async function inviteUser(input: InviteUserInput) {
  const { path, isEmailed } = (await execute(InviteUserDocument, { input })).inviteUser;
  return { address: location.origin + path, isEmailed };
}

export const revokeInvitation = (id: string) => execute(RevokeInvitationDocument, { id });

export const setUserRole = (id: string, role: UserRole) => execute(SetUserRoleDocument, { id, role });

export const deactivateUser = (id: string) => execute(DeactivateUserDocument, { id });

export const reactivateUser = (id: string) => execute(ReactivateUserDocument, { id });

/** Erases a deactivated user. @param email their address, as a confirmation */
export const eraseUser = (id: string, email: string) => execute(EraseUserDocument, { id, email });

export const getCompanySettings = async () => (await execute(CompanySettingsDocument)).companySettings;

export const updateCompanySettings = (input: UpdateCompanySettingsInput) =>
  execute(UpdateCompanySettingsDocument, { input });

/** Which events of the security log are shown. */
export type SecurityFilter = Pick<SecurityEventsQueryVariables, 'actions' | 'search' | 'since' | 'until'>;

/** Lists the security log, newest first, 50 at a time. @param before the last event of the page before */
export const listSecurityEvents = async (filter: SecurityFilter, before?: string) =>
  (await execute(SecurityEventsDocument, { ...filter, before: before ?? null })).securityEvents;

export const listSessions = async () => (await execute(MySessionsDocument)).mySessions;

export const endSession = (id: string) => execute(EndSessionDocument, { id });

export const endOtherSessions = () => execute(EndOtherSessionsDocument);
