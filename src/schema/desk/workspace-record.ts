import { callerId } from '../../context.ts';
import { resource } from '../../resource/define.ts';
import { freeDesks, holdDesks, move, occupied } from './occupancy.ts';

/** Who works at which desk, and when (spec §4, Desks and workspaces). */
resource('WorkspaceRecord', {
  path: '/butts-in-seats/employees',
  scope: 'butts_in_seats',
  actions: ['list', 'read', 'create', 'update'],
  rest: ['list', 'create'],
  fields: ['userId', 'deskId', 'department', 'startDate', 'endDate', 'notes'],
  relations: ['user', 'desk'],
  input: ['userId', 'deskId', 'department', 'startDate', 'endDate', 'notes'],
  search: ['department', 'notes'],
  defaults: { userId: callerId },
  ordered: [['startDate', 'endDate']],
  taken: { activeDeskId: { deskId: "is somebody's already" } },
  settle: freeDesks,
  async creating({ context, db, data }) {
    const activeDeskId = occupied(data);
    await holdDesks([activeDeskId], context, db);
    return { ...data, activeDeskId };
  },
  async updating({ context, db, previous, data }) {
    const activeDeskId = occupied({ ...previous, ...data });
    if (activeDeskId !== previous.activeDeskId) await holdDesks([previous.activeDeskId, activeDeskId], context, db);
    return { ...data, activeDeskId };
  },
  after: ({ context, tx, previous, row }) => move(previous?.activeDeskId ?? null, row.activeDeskId, context, tx),
});
