// The bodies of responses below /auth, and what comes with a page: no document describes them, as they are for our own
// pages, which import them.

/** The languages of the pages, as BCP 47 tags. */
export const languages = ['en', 'de'] as const;

export type Role = 'admin' | 'executive' | 'member';

/** A company or its sandbox. */
export interface CompanyBody {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly is_sandbox: boolean;
}

/** The company that a session works on. */
export interface ActiveCompanyBody extends CompanyBody {
  /** ISO 4217 code of its amounts. */
  readonly currency: string;
  /** IANA name of the time zone of its days. */
  readonly time_zone: string;
}

/** A person's session. */
export interface SessionBody {
  readonly person: {
    readonly id: string;
    readonly full_name: string;
    readonly email: string;
    readonly has_password: boolean;
    readonly two_factor_enabled: boolean;
    /** BCP 47 tag of the language of pages; null for that of the browser. */
    readonly language: string | null;
    /** IANA name of the time zone of times on pages; null for that of the browser. Days are the company's. */
    readonly time_zone: string | null;
  };
  readonly role: Role | null;
  /** Null if the person is no longer a member of the company they selected. */
  readonly company: ActiveCompanyBody | null;
  /** The person's companies and sandboxes. */
  readonly companies: readonly (CompanyBody & { readonly role: Role })[];
  /** ISO 8601. */
  readonly expires_at: string;
}

/** A provider of single sign-on. */
export interface ProviderBody {
  readonly id: string;
  readonly name: string;
  /** The path that starts signing in with it. */
  readonly url: string;
}

/** What an authenticator app is set up with. */
export interface AuthenticatorKeyBody {
  /** The content of its QR code. */
  readonly uri: string;
  readonly key: string;
  readonly backup_codes: readonly string[];
}

/** An invitation, as the holder of its link sees it. */
export interface InvitationBody {
  readonly email: string;
  readonly full_name: string;
  readonly role: Role;
  readonly company_name: string;
  /** Whether the address has an account. */
  readonly has_account: boolean;
  /** Whether the invitation was emailed, with another link than the one that the inviting admin sees. */
  readonly is_emailed: boolean;
  /** What the holder does; `prove_email` if neither the link nor the session proves that the address is theirs. */
  readonly step: 'choose_password' | 'sign_in' | 'accept' | 'prove_email';
  /** Whether accepting ends the account's earlier password, authenticator app, sessions and API tokens. */
  readonly ends_access: boolean;
}

/** How a forgotten password is replaced. */
export interface PasswordResetBody {
  /** Whether the service emails links; else admins hand them over. */
  readonly is_emailed: boolean;
}

/** Whose password a link sets. */
export interface PasswordResetLinkBody {
  readonly email: string;
  readonly full_name: string;
}

/** How people sign in to a service. */
export interface SignInOptions {
  /** Whether it has providers of single sign-on. */
  readonly hasProviders: boolean;
  /** Whether it emails links that set a forgotten password. */
  readonly emailsLinks: boolean;
}

/** What comes with the document of a page, for its script. */
export interface PageData {
  /** Who is signed in, null if nobody is; undefined where it could not be read. */
  readonly session?: SessionBody | null;
  /** How people sign in to this service, on the page for it. */
  readonly signIn?: SignInOptions;
  /** The type of the rows that the address is about. */
  readonly type?: string;
  /** Whether this is the document that a browser shows without a network. */
  readonly isOffline?: boolean;
}
