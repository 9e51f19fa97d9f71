import { currentUser, defineResource } from '../../resource/index.ts';
import { Checklist } from './checklist.ts';

/** The days on which a checklist was completed, at most one record each. */
export const ChecklistCompletion = defineResource('ChecklistCompletion', {
  parent: { resource: Checklist, column: 'checklistId', relation: 'completions' },
  fields: { completionDate: {}, completedBy: { default: currentUser }, notes: {} },
  list: { search: ['notes'] },
  graphql: { relations: ['completer'] },
  rest: { path: '/completions' },
});
