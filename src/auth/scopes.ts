import { closest } from 'fastest-levenshtein';

/** What a scope lets its holder do; neither implies the other. */
export type Verb = 'read' | 'write';

/** The scopeGroups of resources that scopes speak of, in the order of the table in section 5 of the specification. */
export const scopeGroups = [
  'service_requests',
  'move_requests',
  'inventory',
  'checklists',
  'leases',
  'paint',
  'procurement',
  'assets',
  'time_clock',
  'notes',
  'reminders',
  'locations',
  'vendors',
  'shipping',
  'documents',
  'hr',
  'training',
  'butts_in_seats',
  'users',
  'companies',
] as const;

export type ScopeGroup = (typeof scopeGroups)[number];

/** What one operation needs its caller to hold. */
export type Scope = `${ScopeGroup}:${Verb}`;

const readOnly: readonly string[] = ['users', 'companies'];

/** Every scope a token can hold: two a group (one where it is read-only) and the three wildcards. */
export const scopes: readonly string[] = [
  ...scopeGroups.map((group) => `${group}:read`),
  ...scopeGroups.filter((group) => !readOnly.includes(group)).map((group) => `${group}:write`),
  '*:read',
  '*:write',
  '*',
];

/**
 * Tells whether somebody holding the scopes `held` may do what `needed` names, for example `paint:read`.
 * Specification, section 5.
 */
export function allows(held: readonly string[], needed: `${string}:${Verb}`): boolean {
  const verb = needed.slice(needed.lastIndexOf(':') + 1);
  return held.includes(needed) || held.includes(`*:${verb}`) || held.includes('*');
}

/** Tells whether somebody holding the scopes `held` may hand on `scope`, which may be a wildcard: nobody hands on more than they hold. */
export function covers(held: readonly string[], scope: string): boolean {
  return scope === '*' ? held.includes('*') : allows(held, scope as `${string}:${Verb}`);
}

/** Thrown by `parseScopes`; the message names every scope that does not exist and the nearest that does. */
export class ScopeError extends Error {
  override readonly name = 'ScopeError';
}

/**
 * Reads a comma-separated list of scopes, for example `inventory:read,notes:write`.
 * @returns the scopes as given, each once
 * @throws {ScopeError} when one does not exist, or there is none
 */
export function parseScopes(text: string): string[] {
  return checkScopes(text.split(','));
}

/** Checks a list of scopes, as `parseScopes` does. */
export function checkScopes(list: readonly string[]): string[] {
  const given = [...new Set(list.map((scope) => scope.trim()))].filter((scope) => scope !== '');
  if (given.length === 0) throw new ScopeError('give at least one scope, for example inventory:read, or * for all');
  const unknown = given.filter((scope) => !scopes.includes(scope));
  if (unknown.length > 0) {
    const faults = unknown.map((scope) => `there is no scope "${scope}" (did you mean "${closest(scope, scopes)}"?)`);
    throw new ScopeError(faults.join('; '));
  }
  return given;
}
