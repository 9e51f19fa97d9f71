// What the page of a day reads.

interface Named {
  readonly id: string;
  readonly allowedActions: readonly string[];
}

/** A request that is assigned to the person. */
export interface Work extends Named {
  readonly title: string;
  readonly status: 'PENDING' | 'IN_PROGRESS' | 'COMPLETED';
  readonly priority: string;
  readonly floor: string | null;
  readonly room: string | null;
  readonly building: { readonly name: string } | null;
}

/** Maintenance that is due soon, or overdue. */
export interface Maintenance extends Named {
  readonly scheduledDate: string;
  readonly description: string | null;
  readonly asset: { readonly assetName: string } | null;
}

/** A checklist of the person, with whether it was completed today. */
export interface Checklist extends Named {
  readonly name: string;
  readonly description: string | null;
  readonly tasks: {
    readonly totalCount: number;
    readonly nodes: readonly { readonly id: string; readonly title: string; readonly description: string | null }[];
  };
  readonly completions: { readonly totalCount: number };
}

/** A reminder that is due. */
export interface Reminder extends Named {
  readonly title: string;
  readonly dueDate: string;
}

interface Page<Row> {
  readonly totalCount: number;
  readonly nodes: readonly Row[];
}

/** All that a day shows; what the person cannot read is not there. */
export interface Day {
  readonly requests?: Page<Work>;
  readonly maintenance?: Page<Maintenance>;
  readonly checklists?: Page<Checklist>;
  readonly reminders?: Page<Reminder>;
  readonly open?: Page<{ readonly id: string; readonly clockInTime: string }>;
  readonly timeClockSettings?: { readonly requireLocation: boolean };
  readonly locations?: Page<{ readonly id: string; readonly name: string }>;
}

/** How many rows of each kind are shown. */
export const shown = 30;

/** The parts of the query, by the type that the person must be able to read, with the variables that they take. */
const parts: Readonly<Record<string, { readonly variables: string; readonly text: string }>> = {
  ServiceRequest: {
    variables: '$requests: ServiceRequestFilter',
    text: `requests: serviceRequests(
      first: ${shown}, filter: $requests, orderBy: [{ field: PRIORITY, direction: DESC }, { field: CREATED_AT }]
    ) { totalCount nodes {
      id title status priority floor room building { name } allowedActions
    } }`,
  },
  AssetMaintenance: {
    variables: '$maintenance: AssetMaintenanceFilter',
    text: `maintenance: assetMaintenanceRecords(
      first: ${shown}, filter: $maintenance, orderBy: [{ field: SCHEDULED_DATE }]
    ) { totalCount nodes { id scheduledDate description asset { assetName } allowedActions } }`,
  },
  Checklist: {
    variables: '$checklists: ChecklistFilter, $completions: ChecklistCompletionFilter',
    text: `checklists(first: 10, filter: $checklists, orderBy: [{ field: NAME }]) { totalCount nodes {
      id name description allowedActions
      tasks(first: 50, orderBy: [{ field: ORDER }]) { totalCount nodes { id title description } }
      completions(first: 1, filter: $completions) { totalCount }
    } }`,
  },
  Reminder: {
    variables: '$reminders: ReminderFilter',
    text: `reminders(first: ${shown}, filter: $reminders, orderBy: [{ field: DUE_DATE }]) {
      totalCount nodes { id title dueDate allowedActions }
    }`,
  },
  TimeClockRecord: {
    variables: '$open: TimeClockRecordFilter',
    text: 'open: timeClockRecords(first: 1, filter: $open) { totalCount nodes { id clockInTime } }',
  },
  TimeClockSettings: { variables: '', text: 'timeClockSettings { requireLocation }' },
  TimeClockLocation: {
    variables: '',
    text: 'locations: timeClockLocations(first: 100, orderBy: [{ field: NAME }]) { totalCount nodes { id name } }',
  },
};

/** The types of the rows that a day shows. */
export const dayTypes = [...Object.keys(parts), 'ChecklistTask', 'ChecklistCompletion'];

/** The query of what the person can read; undefined if that is nothing. */
export function dayQuery(isRead: (type: string) => boolean): string | undefined {
  const read = Object.entries(parts).flatMap(([type, part]) => (isRead(type) ? [part] : []));
  if (read.length === 0) return undefined;
  const variables = read.flatMap((part) => (part.variables ? [part.variables] : [])).join(', ');
  return `query MyDay${variables && `(${variables})`} { ${read.map(({ text }) => text).join('\n')} }`;
}

/** For how many days ahead maintenance is shown. */
export const daysAhead = 7;

/** The variables of the query. @param tomorrow when it begins */
export const dayVariables = (personId: string, today: string, lastDay: string, tomorrow: string) => ({
  requests: { assignedTo: { eq: personId }, status: { in: ['PENDING', 'IN_PROGRESS'] } },
  maintenance: { status: { ne: 'COMPLETED' }, scheduledDate: { lte: lastDay } },
  checklists: { assignedTo: { eq: personId }, status: { eq: 'ACTIVE' } },
  completions: { completionDate: { eq: today } },
  reminders: { status: { eq: 'PENDING' }, dueDate: { lt: tomorrow } },
  open: { userId: { eq: personId }, clockOutTime: { isNull: true } },
});
