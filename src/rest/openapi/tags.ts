import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Route } from '../routes.ts';
import type { Tag } from './types.ts';

/** The tag of each scope group. */
const byScopeGroup: Readonly<Record<ScopeGroup, Tag>> = {
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
  vendors: { name: 'Vendors', description: 'Vendors.' },
  shipping: {
    name: 'Shipping and mailroom',
    description: 'Shipments, label templates, package scans and expected packages.',
  },
  documents: { name: 'Documents', description: 'Documents and their processing status.' },
  hr: { name: 'HR documents', description: 'Policies, handbooks and forms, and their acknowledgments.' },
  training: { name: 'Training', description: 'Training programs with their questions and completions.' },
  butts_in_seats: { name: 'Desks and workspaces', description: 'Desks and the employees who work at them.' },
  users: { name: 'Users', description: 'Users of the company (read-only).' },
  companies: { name: 'Companies', description: 'Companies that the caller can access (read-only).' },
};

/**
 * The tag of an operation: the one it declares, or that of its scope group.
 * @throws Error when it has neither
 */
export function tagOf({ field, access, tag }: Route['operation']): Tag {
  const [group = ''] = access.split(':');
  const found = tag ?? (byScopeGroup as Readonly<Record<string, Tag | undefined>>)[group];
  if (!found) throw new Error(`${field} requires no scope, so it must declare a tag.`);
  return found;
}
