import type { Client } from './client.ts';
import type { Tenant } from './service.ts';

/** Makes a caller for each set of scopes that is asked for, once. */
export function callersOf(tenant: Tenant): (scopes: readonly string[]) => Promise<Client> {
  const callers = new Map<string, Promise<Client>>();
  return (scopes) => {
    const caller = callers.get(scopes.join()) ?? tenant.client(scopes);
    callers.set(scopes.join(), caller);
    return caller;
  };
}

/** Whether a scope allows it, and not who is signed in or nothing at all. */
export const takesScope = (access: unknown): boolean => String(access).includes(':');

/** The families whose paths do not begin with their scope's name (spec §4, §5). */
const otherwiseNamed: Record<string, string> = { buildings: 'locations', paints: 'paint', mailroom: 'shipping' };

/** The family that a path belongs to: `/service-requests/:id` → `service_requests`. */
export function familyOf(path: string): string {
  const [, first = ''] = path.split('/');
  return otherwiseNamed[first] ?? first.replaceAll('-', '_');
}

/** What a token may hold, and whether that allows a verb on a family: neither verb implies the other (spec §5). */
export function scopeCases(family: string, verb: 'read' | 'write'): [scopes: string[], allowed: boolean][] {
  const other = family === 'training' ? 'hr' : 'training';
  return [
    [[`${family}:read`], verb === 'read'],
    [[`${family}:write`], verb === 'write'],
    [[`${other}:read`, `${other}:write`], false],
    [['*:read'], verb === 'read'],
    [['*:write'], verb === 'write'],
    [['*'], true],
  ];
}
