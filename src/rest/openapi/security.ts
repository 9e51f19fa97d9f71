import { type Access, needsSession } from '../../auth/access.ts';
import type { Part } from './types.ts';

/** How callers authenticate. */
export const securitySchemes: Readonly<Record<string, Part>> = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API token, `svc_live_…` or `svc_test_…`. Each operation names the scope it requires; `*:read`, `*:write` and `*` grant access to all resources.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'premises.session_token',
    description:
      'The session cookie of a user who signed in at `/sign-in`. Over HTTPS the name of the cookie starts with `__Secure-`.',
  },
};

/** Describes the access that an operation requires. */
export function requirement(access: Access): string {
  if (access === 'public') return 'No authentication required.';
  if (access === 'token' || access === 'caller') return 'Requires an API token, with any scopes.';
  if (!needsSession(access)) return `Requires scope \`${scopeOf(access)}\`.`;
  const who = { session: 'a signed-in user', management: 'an admin or executive', admin: 'an admin' }[access];
  return `Requires the session of ${who}; API tokens are not accepted.`;
}

/**
 * The security requirement of an operation. The roles of a scheme are the scopes that a token must have (OpenAPI 3.1).
 */
export function securityOf(access: Access): Part[] {
  if (access === 'public') return [{}];
  if (access === 'token' || access === 'caller') return [{ apiToken: [] }];
  return needsSession(access) ? [{ session: [] }] : [{ apiToken: [scopeOf(access)] }];
}

const scopeOf = (access: Exclude<Access, 'public' | 'token' | 'caller' | 'session' | 'management' | 'admin'>) =>
  access === 'write-all' ? '*:write' : access;
