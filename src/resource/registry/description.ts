// What a schema says about its resources; `describe.ts` makes it.
import type { ScopeGroup } from '../../auth/scopes.ts';
import type { Control } from '../../fields/index.ts';
import type { Guarded } from '../access/decide.ts';
import type { Policies } from '../definition/policy.ts';

/** A value of an enum. */
export interface Choice {
  /** The value in GraphQL, and in REST. */
  readonly value: string;
  readonly restValue: string;
  readonly label: string;
  readonly description?: string | null;
}

/** A column of a row, or a value that an action takes. */
export interface FieldDescription {
  /** The name in GraphQL, and in REST. */
  readonly name: string;
  readonly restName: string;
  readonly label: string;
  readonly description?: string | null;
  /** The GraphQL type of a value. */
  readonly type: string;
  readonly control: Control;
  readonly isList: boolean;
  /** Of a row: whether it is set in each; of an input: whether it must be given. */
  readonly isRequired: boolean;
  /** The default of a column that is a constant. */
  readonly defaultValue?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly decimalPlaces?: number;
  readonly pattern?: string;
  readonly choices: readonly Choice[];
  /** The type of the resource whose rows it refers to. */
  readonly references?: string;
  /** The field of GraphQL that has the row it refers to. */
  readonly relation?: string;
  /** Whether lists of the rows filter and sort by it. */
  readonly isFilter?: boolean;
  readonly isSort?: boolean;
  /** What creating its rows requires, which are created together with the row. */
  readonly creates?: Guarded;
  /** The fields of an item, of nested items. */
  readonly fields: readonly FieldDescription[];
}

/** An argument of an operation. */
export interface ArgumentDescription {
  readonly name: string;
  /** Its type in GraphQL, such as `[ID!]!`. */
  readonly type: string;
}

/** An operation that writes. */
export interface ActionDescription extends Guarded {
  /** The root field. */
  readonly field: string;
  readonly label: string;
  readonly description?: string | null;
  /** The path below /api/v1, with `{name}` for each id; undefined for one that REST does not offer. */
  readonly path?: string;
  readonly arguments: readonly ArgumentDescription[];
  /** What it takes besides the ids of its row and of the row's parent. */
  readonly input: readonly FieldDescription[];
}

/** A list of rows that a row has. */
export interface RowListDescription {
  readonly field: string;
  readonly type: string;
  readonly label: string;
}

/** A resource. */
export interface ResourceDescription {
  /** The type of its rows. */
  readonly type: string;
  readonly label: string;
  readonly plural: string;
  readonly scope: ScopeGroup;
  /** What the roles of callers limit. */
  readonly policies: Policies;
  /** The type of the resource that its rows belong to. */
  readonly parent?: string;
  /** The path of its list below /api/v1. */
  readonly path: string;
  /** The root fields of its list and of one row, and the column that names the row it belongs to. */
  readonly listField?: string;
  readonly rowField?: string;
  readonly parentField?: string;
  /** The part of its address among the pages of a company, such as `service-requests`. */
  readonly page?: string;
  /** Whether its list is searched by text. */
  readonly isSearched: boolean;
  /** The lists that each row has. */
  readonly lists: readonly RowListDescription[];
  readonly title?: FieldDescription;
  readonly shown: readonly FieldDescription[];
  readonly fields: readonly FieldDescription[];
  readonly actions: readonly ActionDescription[];
  /** Those of them that are done to one row. */
  readonly rowActions: readonly ActionDescription[];
}

/** All that a schema says. */
export interface ApiDescription {
  readonly resources: readonly ResourceDescription[];
  /** The operations that write, also those of no resource. */
  readonly actions: readonly ActionDescription[];
  /** The enums, by name. */
  readonly enums: ReadonlyMap<string, readonly Choice[]>;
}
