import { scopes } from '../../src/auth/scopes.ts';
import type { Client } from './client.ts';
import type { Tenant } from './service.ts';

/** Creates a client for each requested set of scopes, once. */
export function callersOf(tenant: Tenant): (scopes: readonly string[]) => Promise<Client> {
  const callers = new Map<string, Promise<Client>>();
  return (scopes) => {
    const caller = callers.get(scopes.join()) ?? tenant.client(scopes);
    callers.set(scopes.join(), caller);
    return caller;
  };
}

/** Whether an access rule is a scope; others require a session, or nothing. */
export const takesScope = (access: unknown): boolean => String(access).includes(':');

/** The scope groups whose paths do not begin with their name. */
const otherwiseNamed: Record<string, string> = { buildings: 'locations', paints: 'paint', mailroom: 'shipping' };

/** The scope group that a path belongs to: `/service-requests/:id` → `service_requests`. */
export function groupOf(path: string): string {
  const [, first = ''] = path.split('/');
  return otherwiseNamed[first] ?? first.replaceAll('-', '_');
}

/**
 * Sets of scopes, and whether they allow a verb on a scope group: its own scope does, all other scopes together do not.
 */
export function scopeCases(
  group: string,
  verb: 'read' | 'write',
): [name: string, scopes: string[], allowed: boolean][] {
  const needed = `${group}:${verb}`;
  const others = scopes.filter((scope) => !scope.includes('*') && scope !== needed);
  if (others.length !== scopes.length - 4) throw new Error(`there is no scope ${needed}`);
  return [
    [`with ${needed} is allowed`, [needed], true],
    [`with every scope but ${needed} is refused`, others, false],
  ];
}
