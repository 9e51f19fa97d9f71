import type { Rule } from '../../fields/index.ts';
import type { ColumnExtensions, StoredField } from '../../resource/index.ts';

/** The column that a field, argument or input field stands for. */
export interface Column {
  readonly field: StoredField;
  readonly rule?: Rule;
}

/** Finds the stored field that a field or argument stands for. @returns undefined if it has none */
export const columnOf = ({
  extensions: { stored, rule },
}: {
  readonly extensions: ColumnExtensions;
}): Column | undefined => stored && { field: stored, rule };
