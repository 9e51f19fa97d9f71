import type {
  AuthenticatorKeyBody,
  InvitationBody,
  PasswordResetBody,
  PasswordResetLinkBody,
  ProviderBody,
  SessionBody,
} from '../../../src/auth/sessions/bodies.ts';
import { send, sendJson } from './http.ts';
import type { SecurityFilter } from './people.ts';

export type {
  ActiveCompanyBody as ActiveCompany,
  AuthenticatorKeyBody as AuthenticatorKey,
  CompanyBody as Company,
  SessionBody as Session,
} from '../../../src/auth/sessions/bodies.ts';

/** @returns null without a session */
export const getSession = () => get<SessionBody | null>('/auth/session');

export const listProviders = () => get<ProviderBody[]>('/auth/providers');

export const signIn = (email: string, password: string) => sendJson('POST', '/auth/sign-in', { email, password });

/** Completes a sign-in that failed with TWO_FACTOR_REQUIRED. @param code of the app, or a backup code */
export const enterCode = (code: string) => sendJson('POST', '/auth/sign-in/code', { code });

export const setUpTwoFactor = async (password: string) =>
  (await sendJson<{ data: AuthenticatorKeyBody }>('POST', '/auth/two-factor', { password })).data;

/** @param code the first one that the app shows */
export const confirmTwoFactor = (code: string) => sendJson('POST', '/auth/two-factor/confirm', { code });

export const disableTwoFactor = (password: string) => sendJson('POST', '/auth/two-factor/disable', { password });

/** @returns new backup codes, in place of the others */
export const createBackupCodes = async (password: string) =>
  (
    await sendJson<{ data: Pick<AuthenticatorKeyBody, 'backup_codes'> }>('POST', '/auth/two-factor/backup-codes', {
      password,
    })
  ).data.backup_codes;

export const signOut = () => sendJson('POST', '/auth/sign-out');

/** @param token the part of the link after the # */
export const getInvitation = async (token: string) =>
  (await sendJson<{ data: InvitationBody }>('POST', '/auth/invitation', { token })).data;

/** Accepts an invitation, and signs in where it takes a password. */
export const acceptInvitation = (token: string, password?: string) =>
  sendJson('POST', '/auth/invitation/accept', { token, ...(password !== undefined && { password }) });

/** Whether the service emails links that set a forgotten password; else admins hand them over. */
export const emailsPasswordLinks = async () => (await get<PasswordResetBody>('/auth/password-reset')).is_emailed;

/** Emails a link that sets a password, where the address has an account. */
export const requestPasswordLink = (email: string) => sendJson('POST', '/auth/password-reset', { email });

/** @param token the part of the link after the # */
export const getPasswordLink = async (token: string) =>
  (await sendJson<{ data: PasswordResetLinkBody }>('POST', '/auth/password-reset/link', { token })).data;

/** Sets a password with a link, which signs the person out everywhere. */
export const resetPassword = (token: string, password: string) =>
  sendJson('POST', '/auth/password-reset/confirm', { token, password });

/** Selects the company that the session works in. */
export const selectCompany = (companyId: string) => sendJson('PATCH', '/auth/session', { company_id: companyId });

/** Stores what a person prefers; null for what their browser says. @returns their session */
export const setPreferences = async (given: Partial<Pick<SessionBody['person'], 'language' | 'time_zone'>>) =>
  (await sendJson<{ data: SessionBody }>('PATCH', '/auth/account', given)).data;

/** Exports the active company. @returns a response whose body is the archive */
export const exportCompany = () => send(new Request('/auth/company/export', { method: 'POST' }));

/** Exports the security log as CSV. The names of its actions are those of the log, in small letters. */
export const exportSecurityLog = ({ actions, ...filter }: SecurityFilter) =>
  send(
    new Request('/auth/security-log', {
      method: 'POST',
      headers: { accept: 'text/csv', 'content-type': 'application/json' },
      body: JSON.stringify({
        ...filter,
        ...(actions && { actions: [actions].flat().map((name) => name.toLowerCase()) }),
      }),
    }),
  );

/** Deletes the active company, which signs its people out. @param password of the person, if they have one */
export const deleteCompany = (slug: string, password?: string) =>
  sendJson('POST', '/auth/company/deletion', { slug, ...(password !== undefined && { password }) });

/** Changes the password, which ends the person's other sessions. */
export const changePassword = (current: string, next: string) =>
  sendJson('POST', '/auth/password', { current_password: current, new_password: next });

const get = async <T>(path: string) => (await sendJson<{ data: T }>('GET', path)).data;
