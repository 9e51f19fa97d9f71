import { approvers } from '../../auth/roles.ts';
import { currentUser, defineResource, own } from '../../resource/index.ts';
import {
  alreadyOccupied,
  assertNoOverlap,
  assertSingleDesk,
  findOccupiedDesk,
  isMoved,
  lockDesks,
  moveOccupant,
  moveOccupantsSql,
} from './occupancy.ts';

/** Assignments of desks to users. */
export const WorkspaceRecord = defineResource('WorkspaceRecord', {
  scope: 'butts_in_seats',
  fields: {
    userId: { default: currentUser },
    deskId: { unique: { message: alreadyOccupied, index: 'workspace_records_active_desk_key' } },
    department: {},
    startDate: {},
    endDate: { notBefore: 'startDate' },
    notes: {},
  },
  list: {
    search: ['department', 'notes'],
    ranges: { assignment: { from: 'startDate', to: 'endDate', orFrom: 'createdAt' } },
  },
  access: { actions: ['list', 'read', 'create', 'update'], write: own('userId', { except: approvers }) },
  graphql: { relations: ['user', 'desk'] },
  rest: { path: '/butts-in-seats/employees', actions: ['list', 'create'] },
  hooks: {
    resolveInput: {
      async create({ context, data }) {
        await lockDesks([data.deskId], context);
        return { ...data, activeDeskId: findOccupiedDesk(data, context) };
      },
      async update({ context, previous, data }) {
        const next = { ...previous, ...data };
        // Records that overlapped before this check existed can still change in other ways.
        if (!isMoved(previous, next)) return data;
        await lockDesks([previous.deskId, next.deskId], context);
        return { ...data, activeDeskId: findOccupiedDesk(next, context) };
      },
    },
    afterOperation: {
      async create({ context, row }) {
        await assertNoOverlap(row, context);
        await assertSingleDesk(row, context);
        await moveOccupant(null, row.activeDeskId, context);
      },
      async update({ context, previous, row }) {
        if (isMoved(previous, row)) await assertNoOverlap(row, context);
        if (isMoved(previous, row) || previous.userId !== row.userId) await assertSingleDesk(row, context);
        await moveOccupant(previous.activeDeskId, row.activeDeskId, context);
      },
    },
  },
  refreshStale: moveOccupantsSql,
});
