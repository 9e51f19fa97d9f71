import { currentUser, defineResource } from '../../resource/index.ts';
import { findOccupiedDesk, freeDesksSql, lockDesks, moveOccupant } from './occupancy.ts';

/** Assignments of desks to users. */
export const WorkspaceRecord = defineResource('WorkspaceRecord', {
  scope: 'butts_in_seats',
  fields: {
    userId: { default: currentUser },
    deskId: {
      unique: {
        message: 'is taken by another active record',
        index: 'workspace_records_active_desk_key',
      },
    },
    department: {},
    startDate: {},
    endDate: { notBefore: 'startDate' },
    notes: {},
  },
  list: { search: ['department', 'notes'] },
  access: { actions: ['list', 'read', 'create', 'update'] },
  graphql: { relations: ['user', 'desk'] },
  rest: { path: '/butts-in-seats/employees', actions: ['list', 'create'] },
  hooks: {
    resolveInput: {
      async create({ context, data }) {
        const activeDeskId = findOccupiedDesk(data);
        await lockDesks([activeDeskId], context);
        return { ...data, activeDeskId };
      },
      async update({ context, previous, data }) {
        const activeDeskId = findOccupiedDesk({ ...previous, ...data });
        if (activeDeskId !== previous.activeDeskId) await lockDesks([previous.activeDeskId, activeDeskId], context);
        return { ...data, activeDeskId };
      },
    },
    afterOperation: {
      create: ({ db, row }) => moveOccupant(null, row.activeDeskId, db),
      update: ({ db, previous, row }) => moveOccupant(previous.activeDeskId, row.activeDeskId, db),
    },
  },
  refreshStale: freeDesksSql,
});
