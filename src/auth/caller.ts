import type { UserRole } from '../database/generated/client/client.ts';

/** Who a request runs as. Everything it reads and writes belongs to `companyId`; a guest has no company. */
export interface Caller {
  readonly kind: 'token' | 'session' | 'guest';
  /** The id of the token or session, or a guest's network. Requests are counted by it. */
  readonly id: string;
  readonly companyId: string;
  readonly userId: string;
  /** The granted scopes; see `allows` in scopes.ts. */
  readonly scopes: readonly string[];
  /** The role in the company; sessions only. */
  readonly role?: UserRole;
  /** Requests per hour. */
  readonly rateLimit: number;
}
