import type { Choice, Meta } from '../api/meta.ts';
import type { UserRole } from '../api/people.ts';

/** The roles, those with the fewest rights first. */
export const rolesOf = (meta: Meta): Choice<UserRole>[] => meta.choices<UserRole>('UserRole').toReversed();
