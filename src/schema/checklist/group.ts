import { defineResource } from '../../resource/index.ts';
import { Checklist } from './checklist.ts';
import { nextOrder } from './order.ts';

/** The headings that group a checklist's tasks. */
export const ChecklistGroup = defineResource('ChecklistGroup', {
  words: { title: 'name' },
  parent: { resource: Checklist, column: 'checklistId', relation: 'groups', lock: true },
  fields: {
    name: {},
    order: { default: ({ context: { db }, data: { checklistId } }) => nextOrder(db.checklistGroup, checklistId) },
  },
  list: { search: ['name'] },
  rest: { path: '/groups' },
});
