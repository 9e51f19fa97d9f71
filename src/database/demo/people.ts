import type { UserRole } from '../generated/client/client.ts';

/** Somebody who works at the demo company. */
export interface Person {
  fullName: string;
  email: string;
  role: UserRole;
}

const person = (fullName: string, role: UserRole = 'MEMBER'): Person => ({
  fullName,
  role,
  email: `${fullName.toLowerCase().replace(' ', '.')}@demo.test`,
});

/** Takes requests in, hands them out, and owns the demo's token. */
export const coordinator = person('Nora Lindqvist', 'ADMIN');

const heating = person('Tomas Reyes');
const electrics = person('Ingrid Bauer');
const cleaning = person('Samuel Okafor');
const security = person('Kofi Mensah');
const equipment = person('Priya Nair');

/** Who does the work, by a request's category. */
export const workers = {
  Heating: heating,
  Plumbing: heating,
  Electrical: electrics,
  Elevators: electrics,
  Cleaning: cleaning,
  Grounds: cleaning,
  Access: security,
  Safety: security,
  Furniture: equipment,
  'Meeting rooms': equipment,
  Move: equipment,
};

/** What a request is about. */
export type Category = keyof typeof workers;

/** Who asks for things. */
export const reporters: readonly Person[] = [
  person('Elena Marchetti', 'EXECUTIVE'),
  person('David Sutter'),
  person('Amira Haddad'),
  person('Jonas Petersen'),
  person('Grace Whitfield'),
];

/** Everybody. */
export const people: readonly Person[] = [
  coordinator,
  person('Victor Almeida', 'ADMIN'),
  ...reporters,
  heating,
  electrics,
  cleaning,
  security,
  equipment,
];
