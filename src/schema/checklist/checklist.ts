import { resource } from '../../resource/define.ts';

/** Checklists (spec §4, Daily checklists). */
export const Checklist = resource('Checklist', {
  path: '/checklists',
  scope: 'checklists',
  fields: ['name', 'description', 'assignedTo', 'recurrence', 'status'],
  relations: ['assignee'],
  input: ['name', 'description', 'assignedTo', 'recurrence', 'status'],
  search: ['name', 'description'],
});
