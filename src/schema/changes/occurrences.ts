import type { Occurrence } from '../../events/occurrences.ts';
import { lowStock } from '../inventory/low-stock.ts';
import { dueReminder } from '../reminder/due.ts';

/** What the clock logs. */
export const occurrences: readonly Occurrence[] = [dueReminder, lowStock];

/** What the clock logs of the rows of a table. */
export const clockActionsOf = (table: string): Occurrence['action'][] =>
  occurrences.filter((occurrence) => occurrence.table === table).map(({ action }) => action);
