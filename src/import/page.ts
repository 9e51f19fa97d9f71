// Writes a page of rows: in the transaction of the caller, which also notes how far the import is.
import type { Context } from '../context.ts';
import type { ServiceError } from '../errors.ts';
import { writeLeniently } from '../resource/index.ts';
import { nameInFile } from './items.ts';
import type { PlannedWrite, RowErrors, RowOptions } from './rows.ts';

/** What has become of rows. */
export interface PageResult {
  readonly created: number;
  readonly updated: number;
  /** Rows that were so already. */
  readonly unchanged: number;
  readonly refused: readonly RowErrors[];
}

/** The name of the rows in errors of the kit: `rows.3.dueDate`. */
const name = 'rows';

/** Writes rows that can be written, and finds the errors of all others. */
export async function writePlanned(
  writes: readonly PlannedWrite[],
  options: RowOptions,
  context: Context,
): Promise<PageResult> {
  let result: PageResult = { created: 0, updated: 0, unchanged: 0, refused: [] };
  for (const [parentId, group] of groupByParent(writes)) {
    const outcomes = await writeLeniently(
      options.target.resource,
      group.map(({ write }) => write),
      {
        ...{ name, context, selection: { select: { id: true } }, listsBelow: options.api.listsBelow },
        ...(parentId !== undefined && { parentId }),
      },
    );
    const count = (action: 'create' | 'update' | 'none') =>
      outcomes.filter((outcome) => 'action' in outcome && outcome.action === action).length;
    const refused = group.flatMap((planned, at): RowErrors[] => {
      const outcome = outcomes[at];
      if (!outcome || !('error' in outcome)) return [];
      return [{ row: planned.row, errors: textsOf(outcome.error, planned, group) }];
    });
    result = {
      created: result.created + count('create'),
      updated: result.updated + count('update'),
      unchanged: result.unchanged + count('none'),
      refused: [...result.refused, ...refused],
    };
  }
  return result;
}

function groupByParent(writes: readonly PlannedWrite[]): Map<string | undefined, PlannedWrite[]> {
  const groups = new Map<string | undefined, PlannedWrite[]>();
  for (const write of writes) groups.set(write.parentId, [...(groups.get(write.parentId) ?? []), write]);
  return groups;
}

/** What is wrong with a row: a text by each column, or the reason alone. */
function textsOf(
  { reason, fieldErrors }: ServiceError,
  { node }: PlannedWrite,
  writes: readonly PlannedWrite[],
): readonly string[] {
  if (!fieldErrors) return [reason];
  return Object.entries(fieldErrors).map(
    ([field, message]) => `${nameInFile(node, field)}: ${inLines(message, writes)}`,
  );
}

/** `is the same as in rows.3`, with the line of the file. */
const inLines = (reason: string, writes: readonly PlannedWrite[]) =>
  reason.replace(/rows\.(\d+)/, (whole, at: string) => {
    const row = writes[Number(at)]?.row;
    return row ? `line ${row.line}` : whole;
  });
