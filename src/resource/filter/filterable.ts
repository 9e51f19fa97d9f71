import type { Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { ApiField } from '../../database/stored-field.ts';
import type { Measures, Ranges } from '../definition/measures.ts';
import type { ModelName, StoredWithRoles, Where } from '../definition/model.ts';
import type { Policies } from '../definition/policy.ts';
import type { Words } from '../definition/words.ts';

/** A condition that is not a comparison of one column, such as whether an item's stock is low. */
export interface ComputedFilter {
  readonly description: string;
  /** The condition for rows of which it is true, or false. Each row matches exactly one of the two. */
  readonly where: (value: boolean, context: Context) => Where;
}

/** The column that a text is compared by, and how values are normalized as that column is. */
export interface NormalizedColumn {
  readonly field: ApiField;
  readonly normalize: (text: string) => string;
}

/** A relation of a filter's rows to others. */
export interface FilterRelation {
  readonly isList: boolean;
  /** What people call the rows. */
  readonly words: string;
  readonly target: Filterable;
  /** The read scope that a condition on the related rows requires; none for rows that are part of their row. */
  readonly scope?: Scope;
  /** The column of the reference; to-one relations only. Undefined where it is always set. */
  readonly reference?: string;
  /** Whether there are callers who cannot access all related rows. To-one relations only. */
  readonly isFiltered?: boolean;
  /** As which type the rows of the relation are read, where their model has several. */
  readonly as?: string;
  /** Prisma's name of the relation. */
  readonly relation: string;
  /**
   * Where the rows are reached through a join table: its relation to them, whether there are callers who cannot access
   * all of them, and as which type it is read.
   */
  readonly through?: { readonly to: string; readonly isFiltered?: boolean; readonly as?: string };
}

/** What rows can be filtered and sorted by. */
export interface Filterable extends StoredWithRoles {
  /** The GraphQL type of the rows, after which its filter is named. */
  readonly type: string;
  /** What people call the rows. */
  readonly words: Words;
  readonly model: ModelName;
  /** The columns, in order. */
  readonly columns: readonly string[];
  readonly normalized: Readonly<Record<string, NormalizedColumn>>;
  readonly computed: Readonly<Record<string, ComputedFilter>>;
  /** What is computed from the columns of each row. */
  readonly measures: Measures;
  /** By what the rows belong to periods. */
  readonly ranges: Ranges;
  readonly policies: Policies;
  /** The relations by their name in GraphQL. They form cycles, so they are found when they are asked for. */
  readonly relations: Readonly<Record<string, FilterRelation>>;
}
