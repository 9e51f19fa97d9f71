/** Who an authenticated request runs as. Every read and write it makes stays inside `companyId`. */
export interface Caller {
  readonly kind: 'token' | 'session';
  /** The id of the token or of the session; requests are counted by it. */
  readonly id: string;
  readonly companyId: string;
  readonly userId: string;
  /** What it may read and write; see `allows` in scopes.ts. */
  readonly scopes: readonly string[];
  /** Requests an hour. */
  readonly rateLimit: number;
}
