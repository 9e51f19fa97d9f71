import type { UserRole } from '../database/generated/client/client.ts';

/** Who a request runs as. Everything it reads and writes belongs to `companyId`; a guest has no company. */
export interface Caller {
  readonly kind: 'token' | 'session' | 'guest';
  /** The id of the token or session, or a guest's network. Requests are counted by it. */
  readonly id: string;
  readonly companyId: string;
  /** The company's time zone (IANA), in which its days begin. */
  readonly timeZone: string;
  readonly userId: string;
  /** The granted scopes; see `allows` in scopes.ts. */
  readonly scopes: readonly string[];
  /** The user's role in the company; it bounds what they may write. A guest has none. */
  readonly role?: UserRole;
  /** When the person signed in; sessions only. */
  readonly signedInAt?: Date;
  /** Requests per hour. */
  readonly rateLimit: number;
}

/** Everything that determines what a caller can read. */
export const rightsOf = ({ kind, companyId, userId, role, timeZone, scopes }: Caller): string =>
  [kind, companyId, userId, role, timeZone, ...scopes].join(' ');
