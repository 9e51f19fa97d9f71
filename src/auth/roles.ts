// The roles of a company's users, and their names in messages and documents. What a role may not do is a policy of the
// resource: see `src/resource/definition/policy.ts`.
import type { UserRole } from '../database/generated/client/client.ts';
import type { Caller } from './caller.ts';

/** Who writes: only the user and their role matter to policies. */
export type Writer = Pick<Caller, 'role' | 'userId'>;

/** Those who manage the company. */
export const admins: readonly UserRole[] = ['ADMIN'];

/** Those who approve what others request. */
export const approvers: readonly UserRole[] = ['ADMIN', 'EXECUTIVE'];

/** The role of a caller; one without a role, such as a guest, has the least. */
export const roleOf = ({ role }: Pick<Caller, 'role'>): UserRole => role ?? 'MEMBER';

/** `member`. */
export const roleWord = (role: UserRole): string => role.toLowerCase();

/** `admin or executive`. */
export const roleWords = (roles: readonly UserRole[]): string => roles.map(roleWord).join(' or ');

/** `admins and executives`. */
export const peopleOf = (roles: readonly UserRole[]): string => roles.map((role) => `${roleWord(role)}s`).join(' and ');
