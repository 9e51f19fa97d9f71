import { memberField } from '../../database/stored-field.ts';
import type { FieldType, Limits, Rule } from '../../fields/index.ts';
import type { Rows, Stored } from './model.ts';

/** What a field says of itself that is no column, whose model says it. */
interface MemberFacts extends Partial<Pick<Limits, 'maxLength' | 'precision' | 'scale'>> {
  /** Its description. */
  readonly documentation?: string;
  /** What people call it, where that is not its name with spaces. */
  readonly label?: string;
  /** An example value in JSON. */
  readonly example?: string | number | null;
}

/** Where a field is that is a member of the JSON of a column. */
export interface MemberPlace extends MemberFacts {
  /** The column, by its name in the database. */
  readonly column: string;
  readonly type: FieldType;
}

/** Who may write a field, and its rule. */
interface MemberPolicy {
  readonly readOnly?: boolean;
  readonly createOnly?: boolean;
  readonly rule?: Rule;
}

/** A field that is a member of the JSON of a column, with its policy. */
export interface MemberField extends MemberPolicy {
  readonly storedIn: MemberPlace;
}

/**
 * Stores a field of a resource as a member of the JSON of a column, under its own name. Rows may have none: such a
 * field is never required, and has no default.
 *
 * @param column the column, of type jsonb, by its name in the database
 * @param type the type of its values, which is no list
 */
export const member = (
  column: string,
  type: FieldType,
  { readOnly, createOnly, rule, ...facts }: MemberPolicy & MemberFacts = {},
): MemberField => ({ readOnly, createOnly, rule, storedIn: { ...facts, column, type } });

/**
 * The stored fields of rows of a model with those that a resource adds to the columns.
 *
 * @throws Error for one that has the name of a column
 */
export function storedWith(
  { model, stored }: Rows,
  fields: Readonly<Record<string, { readonly storedIn?: MemberPlace }>>,
): Stored['stored'] {
  const added = Object.entries(fields).flatMap(([name, { storedIn }]) => {
    if (!storedIn) return [];
    if (name in stored) throw new Error(`${model}.${name} is a column, and cannot be a member of ${storedIn.column}.`);
    const { column, ...facts } = storedIn;
    const place = { model, name, itemType: facts.type, list: false, required: false, hasDefault: false };
    return [[name, memberField({ ...facts, ...place }, column, name)] as const];
  });
  return added.length === 0 ? stored : { ...stored, ...Object.fromEntries(added) };
}
