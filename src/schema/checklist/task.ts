import type { FieldErrors } from '../../errors.ts';
import { defineResource } from '../../resource/index.ts';
import { Checklist } from './checklist.ts';
import { nextOrder } from './order.ts';

/** The tasks of a checklist. */
export const ChecklistTask = defineResource('ChecklistTask', {
  words: { title: 'title' },
  parent: { resource: Checklist, column: 'checklistId', relation: 'tasks', lock: true },
  fields: {
    title: {},
    description: {},
    order: { default: ({ context: { db }, data: { checklistId } }) => nextOrder(db.checklistTask, checklistId) },
    groupId: {},
  },
  list: { search: ['title', 'description'] },
  graphql: { relations: ['group'] },
  rest: { path: '/tasks' },
  hooks: {
    // Tasks and groups never move to another checklist.
    async validate({ context: { db }, data: { groupId }, row: { checklistId } }): Promise<FieldErrors> {
      if (groupId == null) return {};
      const group = await db.checklistGroup.findFirst({ where: { id: groupId, checklistId }, select: { id: true } });
      return group ? {} : { groupId: 'no such group in this checklist' };
    },
  },
});
