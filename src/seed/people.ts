import type { UserRole } from '../database/generated/client/client.ts';

/** Somebody who works at the demo company. */
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

/** Takes requests in, hands them out, and owns the demo's token. */
export const nora = person('Nora Lindqvist', 'ADMIN');
/** Buys what is needed, and signs. */
export const victor = person('Victor Almeida', 'ADMIN');
/** Sees to heating and water. */
export const tomas = person('Tomas Reyes');
/** Sees to electricity and elevators. */
export const ingrid = person('Ingrid Bauer');
/** Sees to cleaning and the grounds. */
export const samuel = person('Samuel Okafor');
/** Sees to safety, and sits at the gate. */
export const kofi = person('Kofi Mensah');
/** Sees to furniture and equipment, and runs the store. */
export const priya = person('Priya Nair');
/** Runs the company. */
export const elena = person('Elena Marchetti', 'EXECUTIVE');
/** Keeps the accounts. */
export const david = person('David Sutter');
/** Sells. */
export const amira = person('Amira Haddad');
/** Works in the laboratory. */
export const jonas = person('Jonas Petersen');
/** Draws in the design studio. */
export const grace = person('Grace Whitfield');

/** Who hands requests out. */
export const coordinator = nora;

/** Who does the work, by a request's category. */
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

/** What a request is about. */
export type Category = keyof typeof workers;

/** Who asks for things. */
export const reporters: readonly Person[] = [elena, david, amira, jonas, grace];

/** Everybody. */
export const people: readonly Person[] = [coordinator, victor, ...reporters, tomas, ingrid, samuel, kofi, priya];
