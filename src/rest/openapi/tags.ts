import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Route } from '../routes.ts';

/** A heading that operations stand under. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

const ofFamily: Record<ScopeGroup, Tag> = {
  service_requests: {
    name: 'Service requests',
    description:
      'What is broken or wanted, who sees to it, and the conversation around it: comments, watchers, time logs and activity.',
  },
  move_requests: {
    name: 'Move requests',
    description: 'People and things that are to move, with comments, watchers, time logs and activity.',
  },
  inventory: {
    name: 'Inventory',
    description: 'What is in stock, and the adjustments that explain how much there is.',
  },
  checklists: {
    name: 'Checklists',
    description: 'Rounds that come again: their tasks, the groups of them, and the days they were completed on.',
  },
  leases: {
    name: 'Leases',
    description:
      'What is rented, from whom and until when: documents, important dates, payments and what they add up to.',
  },
  paint: { name: 'Paints', description: 'The paints in use, and the walls they are on.' },
  procurement: {
    name: 'Procurement',
    description:
      'From the requisition to the purchase order, what was received, the invoice, and transfers between places.',
  },
  assets: {
    name: 'Fixed assets',
    description: 'What the company owns, with maintenance, warranties, documents and transfers.',
  },
  time_clock: {
    name: 'Time clock',
    description: 'When people came and went, where they may clock in, and the rules for it.',
  },
  notes: { name: 'Notes', description: 'Notes of one person or of all, and the categories they stand under.' },
  reminders: { name: 'Reminders', description: 'What is due, once or again and again.' },
  locations: { name: 'Locations', description: 'Buildings and the areas within them.' },
  vendors: { name: 'Vendors', description: 'Whom the company buys from, with their orders and invoices.' },
  shipping: { name: 'Shipping and mailroom', description: 'Parcels that come and go, labels, and what was scanned.' },
  documents: { name: 'Documents', description: 'Files of the company, and how far they are processed.' },
  hr: { name: 'HR documents', description: 'Policies, handbooks and forms, and who has acknowledged them.' },
  training: { name: 'Training', description: 'Training programs, their questions, and who has completed them.' },
  butts_in_seats: { name: 'Desks and workspaces', description: 'Desks, and who works at them.' },
  users: { name: 'Users', description: "The company's people, read-only." },
  companies: { name: 'Companies', description: 'The company that the token belongs to, read-only.' },
};

/** What no scope covers, by where its path begins. */
const elsewhere: Record<string, Tag> = {
  '/dashboard': { name: 'Dashboard', description: 'The numbers of the company, for people who are signed in.' },
  '/ai-usage': {
    name: 'AI usage',
    description: 'What AI was used for and cost, for admins and executives who are signed in.',
  },
  '/public': {
    name: 'Expected packages',
    description: 'For guests, without a token: announcing a package and following it.',
  },
};

/** The heading of a route: that of its family. */
export function tagOf({ path, operation: { access } }: Pick<Route, 'path' | 'operation'>): Tag {
  const [family = ''] = access.split(':');
  const found = ofFamily[family as ScopeGroup] ?? elsewhere[path.replace(/(?<=.)\/.*/, '')];
  if (!found) throw new Error(`No heading stands for ${path}.`);
  return found;
}
