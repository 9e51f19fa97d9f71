import type { RowImage } from '../../resource/index.ts';
import type { LineItems, LoggedType, VisibleChange } from './change-view.ts';

/** A change of a row in a list, with those of its line items. */
export interface ListedChange extends Omit<VisibleChange, 'before' | 'after'> {
  /**
   * The row before each of its changes, null where it was new; empty if only its line items changed. Rows are read in
   * their current state, so a reader may have been sent any of these versions.
   */
  readonly befores: readonly (RowImage | null)[];
}

/**
 * Lists one change for each changed row, in the position of its last change, for readers of the current rows.
 *
 * @param changes of these rows and of their line items, in the order of the log
 */
export function listChanges(
  changes: readonly VisibleChange[],
  type: LoggedType,
  lineItems: readonly LineItems[],
): ListedChange[] {
  const listed = new Map<string, ListedChange>();
  for (const each of changes) {
    const items = lineItems.find(({ rowType }) => rowType.type === each.rowType.type);
    const change = items ? changeOfRow(each, type, items) : { ...each, befores: [each.before] };
    // What is reported of a row is no change of it.
    const key = change.action === 'due' || change.action === 'low_stock' ? change.seq : change.rowId;
    const earlier = listed.get(key);
    // Again at the end.
    listed.delete(key);
    listed.set(key, earlier ? merge(earlier, change) : change);
  }
  return [...listed.values()];
}

/** The change of a row by one of a line item. */
function changeOfRow(change: VisibleChange, rowType: LoggedType, { relation, column }: LineItems): ListedChange {
  const rowId = String((change.after ?? change.before)?.inGraphql()[column]);
  return { ...change, rowType, rowId, action: 'update', fields: [relation], befores: [] };
}

function merge(one: ListedChange, other: ListedChange): ListedChange {
  const befores = [...one.befores, ...other.befores];
  const last = other.befores.length === 0 ? one.action : other.action;
  const action = last === 'delete' ? 'delete' : befores[0] === null ? 'create' : 'update';
  const fields = action === 'update' ? [...new Set([...one.fields, ...other.fields])] : [];
  return { ...other, befores, action, fields };
}
