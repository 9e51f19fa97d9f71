// Who has which desk on which day.

import { addDays, dayIn } from '../../company-time.ts';
import { write } from '../../console/Place.tsx';

/** A desk. */
export interface Desk {
  readonly id: string;
  readonly name: string | null;
  readonly floor: string | null;
}

/** A workspace record: somebody has a desk for a time. */
export interface DeskRecord {
  readonly id: string;
  readonly userId: string;
  readonly deskId: string;
  readonly department: string | null;
  readonly notes: string | null;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly createdAt: string;
  readonly etag: string;
  readonly allowedActions: readonly string[];
  readonly user: { readonly fullName: string } | null;
}

export const deskFields = 'id name floor';
export const recordFields =
  'id userId deskId department notes startDate endDate createdAt etag allowedActions user { fullName }';

/** The first day of a record: that of its creation where it names none. */
export const firstDay = ({ startDate, createdAt }: Pick<DeskRecord, 'startDate' | 'createdAt'>, timeZone: string) =>
  startDate ?? dayIn(timeZone, new Date(createdAt));

/** Whether a record has a day. */
export const hasDay = (record: DeskRecord, day: string, timeZone: string): boolean =>
  firstDay(record, timeZone) <= day && (record.endDate === null || record.endDate >= day);

/** Books a desk for one day, for oneself. @returns the id of the record */
export async function book(deskId: string, day: string): Promise<string> {
  const { record } = await write<{ record: { id: string } }>(
    `mutation Book($input: CreateWorkspaceRecordInput!) { record: createWorkspaceRecord(input: $input) { id } }`,
    { input: { deskId, startDate: day, endDate: day } },
  );
  return record.id;
}

/** Takes the desk out of a record, whose person needs none then. */
export const cancel = (id: string, ifMatch?: string): Promise<unknown> => update(id, { deskId: null }, ifMatch);

const update = (id: string, input: object, ifMatch?: string) =>
  write(
    `mutation Change($id: ID!, $input: UpdateWorkspaceRecordInput!, $ifMatch: String) {
      updateWorkspaceRecord(id: $id, input: $input, ifMatch: $ifMatch) { id }
    }`,
    { id, input, ifMatch },
  );

/** Gives a day of a record back: at its ends it becomes shorter, in its middle it becomes two. */
export function release(record: DeskRecord, day: string, timeZone: string): Promise<unknown> {
  const { id, userId, deskId, department, notes, endDate, etag } = record;
  const first = firstDay(record, timeZone);
  if (first === day && endDate === day) return cancel(id, etag);
  if (first === day) return update(id, { startDate: addDays(day, 1) }, etag);
  if (endDate === day) return update(id, { endDate: addDays(day, -1) }, etag);
  // One transaction, so that nobody else gets the days after.
  return write(
    `mutation Release($id: ID!, $before: UpdateWorkspaceRecordInput!, $ifMatch: String, $after: CreateWorkspaceRecordInput!)
    @atomic {
      updateWorkspaceRecord(id: $id, input: $before, ifMatch: $ifMatch) { id }
      createWorkspaceRecord(input: $after) { id }
    }`,
    {
      id,
      before: { endDate: addDays(day, -1) },
      ifMatch: etag,
      after: { userId, deskId, department, notes, startDate: addDays(day, 1), endDate },
    },
  );
}
