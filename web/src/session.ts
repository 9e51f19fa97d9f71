import { call } from './api.ts';

export type Role = 'admin' | 'executive' | 'member';

export interface Company {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly is_sandbox: boolean;
}

/** Who is signed in, and for which company they act. */
export interface Session {
  readonly person: {
    readonly id: string;
    readonly full_name: string;
    readonly email: string;
    readonly has_password: boolean;
  };
  readonly role: Role | null;
  /** Null when they are no longer in the company they had chosen. */
  readonly company: Company | null;
  readonly companies: readonly (Company & { readonly role: Role })[];
}

export const readSession = () => call<Session | null>('GET', '/auth/session');

/** A company as people are shown it. */
export const companyName = ({ name, is_sandbox }: Company): string =>
  is_sandbox && !/sandbox/i.test(name) ? `${name} (sandbox)` : name;

/** Where to go after signing in: a path of ours, whatever the address says. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return_to') ?? '';
  const ours = URL.canParse(wanted, location.origin) && new URL(wanted, location.origin).origin === location.origin;
  return ours && /^\/(?![/\\])/.test(wanted) ? wanted : '/dashboard';
}
