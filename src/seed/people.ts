import type { UserRole } from '../database/generated/client/client.ts';

/** An employee of the demo company. */
export interface Person {
  fullName: string;
  email: string;
  role: UserRole;
}

/** The ids of the demo's people, as members of both the company and its sandbox. */
export type Ids = (person: Person) => string;

const person = (fullName: string, role: UserRole = 'MEMBER'): Person => ({
  fullName,
  role,
  email: `${fullName.toLowerCase().replace(' ', '.')}@demo.test`,
});

/** Receives and assigns requests, and owns the demo's token. */
export const nora = person('Nora Lindqvist', 'ADMIN');
/** Procurement: buys and approves. */
export const victor = person('Victor Almeida', 'ADMIN');
/** Maintains heating and water. */
export const tomas = person('Tomas Reyes');
/** Maintains electricity and elevators. */
export const ingrid = person('Ingrid Bauer');
/** Cleaning and grounds. */
export const samuel = person('Samuel Okafor');
/** Safety, and security at the gate. */
export const kofi = person('Kofi Mensah');
/** Furniture and equipment; runs the store. */
export const priya = person('Priya Nair');
/** Runs the company. */
export const elena = person('Elena Marchetti', 'EXECUTIVE');
/** Accounting. */
export const david = person('David Sutter');
/** Sales. */
export const amira = person('Amira Haddad');
/** Works in the laboratory. */
export const jonas = person('Jonas Petersen');
/** Draws in the design studio. */
export const grace = person('Grace Whitfield');

/** The person who assigns requests. */
export const coordinator = nora;

/** The workers, by a request's category. */
export const workers = {
  Heating: tomas,
  Plumbing: tomas,
  Electrical: ingrid,
  Elevators: ingrid,
  Cleaning: samuel,
  Grounds: samuel,
  Access: kofi,
  Safety: kofi,
  Furniture: priya,
  'Meeting rooms': priya,
  Move: priya,
};

/** The category of a request. */
export type Category = keyof typeof workers;

/** The people who create requests. */
export const reporters: readonly Person[] = [elena, david, amira, jonas, grace];

/** All people. */
export const people: readonly Person[] = [coordinator, victor, ...reporters, tomas, ingrid, samuel, kofi, priya];
