import { conflict } from '../../errors.ts';
import { defineResource } from '../../resource/index.ts';

/** Desks. */
export const Desk = defineResource('Desk', {
  words: { title: 'name' },
  scope: 'butts_in_seats',
  fields: { name: {}, floor: {}, buildingId: {}, isAssigned: {} },
  list: { search: ['name', 'floor'] },
  graphql: { relations: ['building'] },
  rest: { path: '/butts-in-seats/desks' },
  hooks: {
    resolveInput: {
      async update({ context: { db }, previous: { id: activeDeskId }, data }) {
        if (data.isAssigned !== false) return data;
        const occupant = await db.workspaceRecord.findFirst({ where: { activeDeskId }, select: { id: true } });
        if (!occupant) return data;
        const errors = { isAssigned: 'must be true while a workspace record is active' };
        throw conflict('A workspace record of this desk is active.', errors);
      },
    },
  },
});
