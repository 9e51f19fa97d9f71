import type { UserRole } from '../database/generated/client/client.ts';

/** Who a request runs as. Every read and write it makes stays inside `companyId`; a guest has none. */
export interface Caller {
  readonly kind: 'token' | 'session' | 'guest';
  /** The id of the token or of the session, or a guest's address; requests are counted by it. */
  readonly id: string;
  readonly companyId: string;
  readonly userId: string;
  /** What it may read and write; see `allows` in scopes.ts. */
  readonly scopes: readonly string[];
  /** A signed-in person's role in the company. */
  readonly role?: UserRole;
  /** Requests an hour. */
  readonly rateLimit: number;
}
