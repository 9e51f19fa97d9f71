import { DateTime } from 'luxon';
import { spaced } from '../../names.ts';
import type { Row } from '../../resource/index.ts';
import type { VisibleChange } from '../changes/change-view.ts';

/** The context of a change's texts. */
interface TextContext {
  /** The time zone of the company. */
  readonly timeZone: string;
  /** The person who reads them. */
  readonly userId: string;
  /** The names of users, by their ids. */
  readonly names: ReadonlyMap<string, string>;
}

/** The most characters of a text that somebody wrote. */
const maxQuoted = 500;

/** A time on the clocks of a time zone, such as "30 April 2026, 09:00". */
export const formatTime = (time: Date | string, timeZone: string): string => {
  const at = typeof time === 'string' ? DateTime.fromISO(time) : DateTime.fromJSDate(time);
  return at.setZone(timeZone).setLocale('en').toFormat('d LLLL yyyy, HH:mm');
};

const formatDay = (day: unknown): string =>
  DateTime.fromISO(String(day), { zone: 'utc' }).setLocale('en').toFormat('d LLLL yyyy');

/** Describes in a sentence what happened to a row, as far as a person may see it. */
export function describeChange(change: VisibleChange, context: TextContext): string {
  const { action, rowType } = change;
  const row = (change.after ?? change.before)?.inRest() ?? {};
  if (change.actor?.imports && (action === 'create' || action === 'update'))
    return `${nameOfActor(change, context)} imported a file with rows for you. This is the first of them.`;
  if (rowType.model === 'Comment') return `${nameOf(row['user_id'], context)} commented: ${quote(row['comment'])}`;
  if (action === 'due') return `Due ${formatTime(String(row['due_date']), context.timeZone)}.${more(row)}`;
  if (action === 'low_stock') {
    const unit = row['unit'] === null ? '' : ` ${quote(row['unit'])}`;
    return `${String(row['quantity'])}${unit} left; the reorder point is ${String(row['reorder_point'])}.`;
  }
  if (rowType.model === 'Lease') return `Expired. Its last day was ${formatDay(row['end_date'])}.`;
  if (rowType.model === 'AssetMaintenance')
    return `Overdue. It was scheduled for ${formatDay(row['scheduled_date'])}.${more(row)}`;
  const who = nameOfActor(change, context);
  if (action === 'delete') return `${who} deleted it.`;
  if (action === 'create') return `${who} created it and assigned it to you.`;
  return `${who} ${listOf(describeFields(change, context))}.`;
}

/** Says what was done to the fields of a request. */
function describeFields({ fields, before, after }: VisibleChange, context: TextContext): string[] {
  const [was, is]: [Row, Row] = [before?.inRest() ?? {}, after?.inRest() ?? {}];
  const said = fields.flatMap((field) => {
    if (field === 'status' || field === 'priority')
      return [`changed the ${field} from ${String(was[field])} to ${String(is[field])}`];
    if (field !== 'assignedTo') return [];
    const assignee = is['assigned_to'];
    if (assignee === null) return [`removed the assignment to ${nameOf(was['assigned_to'], context)}`];
    return [`assigned it to ${assignee === context.userId ? 'you' : nameOf(assignee, context)}`];
  });
  // The time of completion follows from the status.
  const others = fields.filter((field) => !['status', 'priority', 'assignedTo', 'completedAt'].includes(field));
  if (others.length > 0) said.push(`changed the ${listOf(others.map((field) => spaced(field.replace(/Id$/, ''))))}`);
  return said;
}

function nameOfActor({ actor }: VisibleChange, context: TextContext): string {
  if (actor?.user_id) return nameOf(actor.user_id, context);
  return actor?.kind === 'command_line' ? 'The operator' : 'The service';
}

const nameOf = (userId: unknown, { names }: TextContext): string => names.get(String(userId)) ?? 'Somebody';

const more = ({ description }: Row): string => (description ? ` ${quote(description)}` : '');

/** What somebody wrote, on one line. */
export function quote(text: unknown): string {
  const line = String(text).replace(/\s+/g, ' ').trim();
  return line.length > maxQuoted ? `${line.slice(0, maxQuoted).trimEnd()}…` : line;
}

/** "one", "one and two", "one, two and three". */
const listOf = (parts: readonly string[]): string =>
  [parts.slice(0, -1).join(', '), parts.at(-1)].filter((part) => part).join(' and ');
