import { today } from '../resource/time.ts';

/** A status that the passing of a day changes: `lasting` up to that day, `lapsed` from the next one on. */
export interface Lapse<Status extends string> {
  readonly lasting: Status;
  readonly lapsed: Status;
}

/** What a lapse looks at: the status, and the day after which it is another. */
interface Standing<Status extends string> {
  readonly status: Status;
  readonly day?: Date | null;
}

/**
 * The status that is right today, whatever a write says.
 * @param previous the row as it was, when the write says nothing of the status: a day that has moved brings a lapsed
 * row back
 */
export function statusToday<Status extends string>(
  { lasting, lapsed }: Lapse<Status>,
  { status, day }: Standing<Status>,
  previous?: Standing<Status>,
): Status {
  const back = previous?.status === lapsed && previous.day?.getTime() !== day?.getTime();
  const standing = back ? lasting : status;
  return standing === lasting && day && day < today() ? lapsed : standing;
}
