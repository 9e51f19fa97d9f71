// Keys and measures by their paths in the response.
import type { Derived } from '../../database/read/derived.ts';
import type { GroupKey, Measure } from '../../database/read/group-query.ts';

/** What has a path in the response, from the group on. */
export interface Named {
  readonly path: readonly string[];
}

/** A key or measure that a query selects, with its path in the response, from the group on. */
export interface Planned<What> extends Named {
  readonly what: What;
}

/** What a query selects of each group. */
export interface GroupPlan {
  readonly keys: readonly Planned<GroupKey>[];
  readonly measures: readonly (Planned<Measure> & { readonly isNumber: boolean })[];
  readonly derived: readonly Planned<Derived>[];
  /** Where the response names the keys that a group is a total over. */
  readonly totalOf: readonly Named[];
}

/** The place of what has a name in the response, such as `amount.sum`; negative without one. */
export const placeOf = (named: readonly Named[], field: string): number =>
  named.findIndex(({ path }) => path.join('.') === field);

/** The message for a name that is none of some. */
export const mustBe = (what: string, named: readonly Named[]): string =>
  `must be ${what}: ${named.map(({ path }) => path.join('.')).join(', ') || 'none is selected'}`;
