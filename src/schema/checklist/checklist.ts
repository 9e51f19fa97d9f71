import { defineResource } from '../../resource/index.ts';

/** Checklists. */
export const Checklist = defineResource('Checklist', {
  words: { title: 'name' },
  scope: 'checklists',
  fields: { name: {}, description: {}, assignedTo: {}, recurrence: {}, status: {} },
  list: { search: ['name', 'description'] },
  graphql: { relations: ['assignee'] },
  rest: { path: '/checklists' },
});
