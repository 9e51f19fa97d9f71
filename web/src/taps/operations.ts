// What a tap has the service do. Rows that taps create have their ids from here, so that none is created twice.

/** An operation of a tap. */
interface Operation {
  readonly text: string;
  /** The part of its input that is the time of the tap. */
  readonly time?: string;
  /** Whether its input has notes. */
  readonly hasNotes?: boolean;
}

/** The operations by their names. */
export const operations = {
  clockIn: {
    text: 'mutation ClockIn($input: CreateTimeClockRecordInput!) { createTimeClockRecord(input: $input) { id } }',
    time: 'clockInTime',
    hasNotes: true,
  },
  clockOut: {
    text: `mutation ClockOut($id: ID!, $input: UpdateTimeClockRecordInput!) {
      updateTimeClockRecord(id: $id, input: $input) { id }
    }`,
    time: 'clockOutTime',
  },
  completeChecklist: {
    text: `mutation CompleteChecklist($checklistId: ID!, $input: CreateChecklistCompletionInput!) {
      createChecklistCompletion(checklistId: $checklistId, input: $input) { id }
    }`,
    hasNotes: true,
  },
  setRequestStatus: {
    text: `mutation SetRequestStatus($id: ID!, $input: UpdateServiceRequestInput!) {
      updateServiceRequest(id: $id, input: $input) { id }
    }`,
  },
  completeMaintenance: {
    text: `mutation CompleteMaintenance($id: ID!, $input: UpdateAssetMaintenanceInput!) {
      updateAssetMaintenance(id: $id, input: $input) { id }
    }`,
  },
  completeReminder: {
    text: `mutation CompleteReminder($id: ID!, $input: UpdateReminderInput!) {
      updateReminder(id: $id, input: $input) { id }
    }`,
  },
} satisfies Readonly<Record<string, Operation>>;

export type TapName = keyof typeof operations;

/** The operation of a tap. */
export const operationOf = (name: TapName): Operation => operations[name];
