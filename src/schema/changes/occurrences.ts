import type { Occurrence, Reported } from '../../events/occurrences.ts';
import { lowStock } from '../inventory/low-stock.ts';
import { dueReminder } from '../reminder/due.ts';

/** What the clock reports. */
export const occurrences: readonly Occurrence[] = [dueReminder];

const reported: readonly Reported[] = [...occurrences, lowStock];

/** What is reported of the rows of a table besides their changes. */
export const reportedActionsOf = (table: string): Reported['action'][] =>
  reported.filter((one) => one.table === table).map(({ action }) => action);
