import { conflict } from '../../errors.ts';
import { resource } from '../../resource/define.ts';
import { freeDesks } from './occupancy.ts';

/** Places to work at (spec §4, Desks and workspaces). */
resource('Desk', {
  path: '/butts-in-seats/desks',
  scope: 'butts_in_seats',
  fields: ['name', 'floor', 'buildingId', 'isAssigned'],
  relations: ['building', 'workspaceRecords'],
  input: ['name', 'floor', 'buildingId', 'isAssigned'],
  search: ['name', 'floor'],
  settle: freeDesks,
  async updating({ db, previous: { companyId, id }, data }) {
    const occupant =
      data.isAssigned === false &&
      (await db.workspaceRecord.findFirst({ where: { companyId, activeDeskId: id }, select: { id: true } }));
    if (occupant)
      throw conflict('Somebody works at this desk.', { isAssigned: 'must be true while a workspace record is active' });
    return data;
  },
});
