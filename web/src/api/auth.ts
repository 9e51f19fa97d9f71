import { sendJson } from './http.ts';

// The types of /auth are written by hand: it is only for these pages, and not part of the documented API.

export type Role = 'admin' | 'executive' | 'member';

export interface Company {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly is_sandbox: boolean;
}

/** The company that the session works in. */
export interface ActiveCompany extends Company {
  /** ISO 4217 code of its amounts. */
  readonly currency: string;
  /** IANA name of the time zone of its days. */
  readonly time_zone: string;
}

/** Who is signed in, and the company they work in. */
export interface Session {
  readonly person: {
    readonly id: string;
    readonly full_name: string;
    readonly email: string;
    readonly has_password: boolean;
    readonly two_factor_enabled: boolean;
  };
  readonly role: Role | null;
  /** Null when the person is no longer a member of the company they selected. */
  readonly company: ActiveCompany | null;
  readonly companies: readonly (Company & { readonly role: Role })[];
}

/** A provider of single sign-on. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/** @returns null without a session */
export const getSession = () => get<Session | null>('/auth/session');

export const listProviders = () => get<Provider[]>('/auth/providers');

export const signIn = (email: string, password: string) => sendJson('POST', '/auth/sign-in', { email, password });

/** Completes a sign-in that failed with TWO_FACTOR_REQUIRED. @param code of the app, or a backup code */
export const enterCode = (code: string) => sendJson('POST', '/auth/sign-in/code', { code });

/** What an authenticator app is set up with. */
export interface AuthenticatorKey {
  /** What its QR code contains. */
  readonly uri: string;
  readonly key: string;
  readonly backup_codes: readonly string[];
}

export const setUpTwoFactor = async (password: string) =>
  (await sendJson<{ data: AuthenticatorKey }>('POST', '/auth/two-factor', { password })).data;

/** @param code the first one that the app shows */
export const confirmTwoFactor = (code: string) => sendJson('POST', '/auth/two-factor/confirm', { code });

export const disableTwoFactor = (password: string) => sendJson('POST', '/auth/two-factor/disable', { password });

/** @returns new backup codes, in place of the others */
export const createBackupCodes = async (password: string) =>
  (
    await sendJson<{ data: Pick<AuthenticatorKey, 'backup_codes'> }>('POST', '/auth/two-factor/backup-codes', {
      password,
    })
  ).data.backup_codes;

export const signOut = () => sendJson('POST', '/auth/sign-out');

/** What the holder of an invitation's link sees. */
export interface Invitation {
  readonly email: string;
  readonly full_name: string;
  readonly company_name: string;
  /** Whether the address has an account, whose person must sign in to accept. */
  readonly has_account: boolean;
}

/** @param token what the link has behind the # */
export const getInvitation = async (token: string) =>
  (await sendJson<{ data: Invitation }>('POST', '/auth/invitation', { token })).data;

/** Accepts an invitation, and signs in where it takes a password. */
export const acceptInvitation = (token: string, password?: string) =>
  sendJson('POST', '/auth/invitation/accept', { token, ...(password !== undefined && { password }) });

/** Selects the company that the session works in. */
export const selectCompany = (companyId: string) => sendJson('PATCH', '/auth/session', { company_id: companyId });

/** Deletes the active company, which signs its people out. @param password of the person, if they have one */
export const deleteCompany = (slug: string, password?: string) =>
  sendJson('POST', '/auth/company/deletion', { slug, ...(password !== undefined && { password }) });

/** Changes the password, which ends the person's other sessions. */
export const changePassword = (current: string, next: string) =>
  sendJson('POST', '/auth/password', { current_password: current, new_password: next });

const get = async <T>(path: string) => (await sendJson<{ data: T }>('GET', path)).data;
