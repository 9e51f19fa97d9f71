import type { Context } from '../../context.ts';
import type { Rule } from '../../fields/index.ts';
import type { Transitions } from '../write/transitions.ts';
import type { Data, Shape } from './hooks.ts';
import type { MemberPlace } from './member.ts';
import type { Column, ModelName, Row } from './model.ts';

/** Who may write a field: everyone with write access, unless one of these is set. */
type Writable =
  | { readonly readOnly?: undefined; readonly createOnly?: undefined }
  | {
      readonly readOnly: true;
      readonly createOnly?: undefined;
      readonly rule?: undefined;
      readonly notBefore?: undefined;
    }
  | { readonly createOnly: true; readonly readOnly?: undefined };

/** The policy of one field, beyond its column's type, length and default. */
export type FieldOptions<Model extends ModelName, Name extends Column<Model>> = Writable & {
  /** The value of a new row where the input has none. Runs in the transaction, after the parent is locked. */
  readonly default?: (given: {
    readonly context: Context;
    readonly data: Data<Model>;
  }) => Shape<Model>[Name] | Promise<Shape<Model>[Name]>;
  /** Whether REST accepts its enum values in any letter case. */
  readonly ignoreCase?: boolean;
  /** The rule for its values. */
  readonly rule?: Rule;
  /** The column that filters compare instead, and how they normalize their values. */
  readonly comparedAs?: { readonly column: Column<Model>; readonly normalize: (text: string) => string };
  /** The statuses that may follow each status; all may by default. The first is that of a new row. */
  readonly transitions?: Shape<Model>[Name] extends string
    ? { readonly [From in Shape<Model>[Name]]: readonly Shape<Model>[Name][] }
    : never;
  /** The column that this date or time must not precede. */
  readonly notBefore?: Column<Model>;
  /**
   * Whether it may name a user who is deactivated, because it records what somebody did. Other fields that name users
   * give them something to do, which is only for active users.
   */
  readonly mayBeDeactivated?: true;
  /**
   * The message of a 409 when its unique index rejects a row; other columns of the index then get no message. `index`
   * is the index's name if it contains columns that clients do not see.
   */
  readonly unique?: string | { readonly message: string; readonly index: string };
};

/** A field's policy, for code that knows the model only by name. */
export interface Field {
  /** Where it is, if it is no column. */
  readonly storedIn?: MemberPlace;
  readonly readOnly?: boolean;
  readonly createOnly?: boolean;
  readonly default?: (given: { context: Context; data: Row }) => unknown;
  readonly ignoreCase?: boolean;
  readonly rule?: Rule;
  readonly transitions?: Transitions;
  readonly notBefore?: string;
  readonly comparedAs?: { readonly column: string; readonly normalize: (text: string) => string };
  readonly mayBeDeactivated?: boolean;
  readonly unique?: string | { readonly message: string; readonly index: string };
}
