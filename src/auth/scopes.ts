import { shorten, validationError } from '../errors.ts';
import { findNear } from '../input/index.ts';

/** What a scope allows. Write access does not include read access. */
type Verb = 'read' | 'write';

/** What API references call a scope group. */
interface ScopeGroupFacts {
  readonly name: string;
  /** The resources that it covers. */
  readonly description: string;
  /** Whether no operation writes them, so that there is no write scope. */
  readonly readOnly?: boolean;
}

/** The groups of resources that scopes are named after. */
export const scopeGroups = {
  service_requests: {
    name: 'Service requests',
    description: 'Maintenance and service requests, with comments, watchers, time logs and activity history.',
  },
  move_requests: {
    name: 'Move requests',
    description: 'Requests to move people or equipment, with comments, watchers, time logs and activity history.',
  },
  inventory: { name: 'Inventory', description: 'Inventory items and their stock adjustments.' },
  checklists: {
    name: 'Checklists',
    description: 'Recurring checklists with their tasks, task groups and completions.',
  },
  leases: {
    name: 'Leases',
    description: 'Leases with documents, important dates, payment schedules and an accounting summary.',
  },
  paint: { name: 'Paints', description: 'Paints and the places where they are used.' },
  procurement: {
    name: 'Procurement',
    description: 'Requisitions, purchase orders, receiving records, invoices and inventory transfers.',
  },
  assets: { name: 'Fixed assets', description: 'Fixed assets with maintenance, warranties, documents and transfers.' },
  time_clock: { name: 'Time clock', description: 'Time clock records, settings and approved locations.' },
  notes: { name: 'Notes', description: 'Private and shared notes, and note categories.' },
  reminders: { name: 'Reminders', description: 'One-time and recurring reminders.' },
  locations: { name: 'Locations', description: 'Buildings and the areas within them.' },
  vendors: { name: 'Vendors', description: 'Vendors with their invoices and purchase orders.' },
  shipping: {
    name: 'Shipping and mailroom',
    description: 'Shipments, label templates, package scans and expected packages.',
  },
  documents: { name: 'Documents', description: 'Documents and their processing status.' },
  hr: { name: 'HR documents', description: 'Policies, handbooks and forms, and their acknowledgments.' },
  training: { name: 'Training', description: 'Training programs with their questions and completions.' },
  butts_in_seats: { name: 'Desks and workspaces', description: 'Desks and the employees who work at them.' },
  users: { name: 'Users', description: 'Users of the company (read-only).', readOnly: true },
  companies: {
    name: 'Companies',
    description: 'Companies that the caller can access (read-only).',
    readOnly: true,
  },
} as const satisfies Readonly<Record<string, ScopeGroupFacts>>;

export type ScopeGroup = keyof typeof scopeGroups;

/** Whether a name is that of a scope group. */
export const isScopeGroup = (name: string): name is ScopeGroup => Object.hasOwn(scopeGroups, name);

/** A scope that an operation requires. */
export type Scope = `${ScopeGroup}:${Verb}`;

/** Every scope a token can have: two per group (one for a read-only group) and three wildcards. */
export const scopes: readonly string[] = [
  ...Object.keys(scopeGroups).map((group) => `${group}:read`),
  ...Object.entries<ScopeGroupFacts>(scopeGroups).flatMap(([group, { readOnly }]) =>
    readOnly ? [] : [`${group}:write`],
  ),
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
  // Scopes were checked, so all others have a verb.
  return scope === '*' ? granted.includes('*') : allows(granted, scope as `${string}:${Verb}`);
}

/**
 * Parses a comma-separated list of scopes, for example `inventory:read,notes:write`.
 *
 * @returns the scopes in the given order, without duplicates
 * @throws ServiceError VALIDATION_ERROR for `scopes` when the list is empty or a scope does not exist; the message
 *   suggests one with a similar name
 */
export function parseScopes(text: string): string[] {
  return checkScopes(text.split(','));
}

/** Checks a list of scopes, as `parseScopes` does. @throws ServiceError as `parseScopes` does */
export function checkScopes(list: readonly string[]): string[] {
  const given = [...new Set(list.map((scope) => scope.trim()))].filter((scope) => scope !== '');
  if (given.length === 0)
    throw validationError({ scopes: 'at least one scope is required, for example inventory:read, or * for all' });
  const unknown = given.filter((scope) => !scopes.includes(scope)).map((scope) => shorten(scope, 100));
  if (unknown.length > 0) {
    const messages = unknown.slice(0, 50).map((scope) => {
      const near = findNear(scope, scopes);
      return `unknown scope "${scope}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
    });
    throw validationError({ scopes: messages.join('; ') });
  }
  return given;
}
