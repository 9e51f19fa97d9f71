import { closest } from 'fastest-levenshtein';
import { InputError, shorten } from '../errors.ts';

/** What a scope allows. Write access does not include read access. */
export type Verb = 'read' | 'write';

/** The groups of resources that scopes are named after. */
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

/** A scope that an operation requires. */
export type Scope = `${ScopeGroup}:${Verb}`;

const readOnlyGroups: readonly string[] = ['users', 'companies'];

/** Every scope a token can have: two per group (one for a read-only group) and three wildcards. */
export const scopes: readonly string[] = [
  ...scopeGroups.map((group) => `${group}:read`),
  ...scopeGroups.filter((group) => !readOnlyGroups.includes(group)).map((group) => `${group}:write`),
  '*:read',
  '*:write',
  '*',
];

/** Whether the scopes `granted` allow what `needed` names, for example `paint:read`. */
export function allows(granted: readonly string[], needed: `${string}:${Verb}`): boolean {
  const verb = needed.slice(needed.lastIndexOf(':') + 1);
  return granted.includes(needed) || granted.includes(`*:${verb}`) || granted.includes('*');
}

/** Whether a user with the scopes `granted` may create a token with `scope`, which may be a wildcard. */
export function covers(granted: readonly string[], scope: string): boolean {
  return scope === '*' ? granted.includes('*') : allows(granted, scope as `${string}:${Verb}`);
}

/**
 * Parses a comma-separated list of scopes, for example `inventory:read,notes:write`.
 *
 * @returns the scopes in the given order, without duplicates
 * @throws {InputError} when the list is empty or a scope does not exist; the message suggests the closest that does
 */
export function parseScopes(text: string): string[] {
  return checkScopes(text.split(','));
}

/** Checks a list of scopes, as `parseScopes` does. @throws {InputError} as `parseScopes` does */
export function checkScopes(list: readonly string[]): string[] {
  const given = [...new Set(list.map((scope) => scope.trim()))].filter((scope) => scope !== '');
  if (given.length === 0)
    throw new InputError(
      'scopes',
      'invalid',
      'at least one scope is required, for example inventory:read, or * for all',
    );
  const unknown = given.filter((scope) => !scopes.includes(scope)).map((scope) => shorten(scope, 100));
  if (unknown.length > 0) {
    const messages = unknown
      .slice(0, 50)
      .map((scope) => `unknown scope "${scope}" (did you mean "${closest(scope, scopes)}"?)`);
    throw new InputError('scopes', 'unknown', messages.join('; '));
  }
  return given;
}
