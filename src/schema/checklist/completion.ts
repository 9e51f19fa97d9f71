import { approvers } from '../../auth/roles.ts';
import { currentUser, defineResource, own } from '../../resource/index.ts';
import { Checklist } from './checklist.ts';

/** The days on which a checklist was completed, at most one record each. */
export const ChecklistCompletion = defineResource('ChecklistCompletion', {
  parent: { resource: Checklist, column: 'checklistId', relation: 'completions' },
  fields: { completionDate: {}, completedBy: { default: currentUser, mayBeDeactivated: true }, notes: {} },
  list: { search: ['notes'] },
  access: { write: own('completedBy', { except: approvers }) },
  graphql: { relations: ['completer'] },
  rest: { path: '/completions' },
});
