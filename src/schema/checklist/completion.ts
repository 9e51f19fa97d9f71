import { callerId } from '../../context.ts';
import { resource } from '../../resource/define.ts';
import { Checklist } from './checklist.ts';

/** The days on which a checklist was done, each once. */
resource('ChecklistCompletion', {
  path: '/completions',
  parent: { resource: Checklist, column: 'checklistId', relation: 'completions' },
  rest: ['list', 'create'],
  fields: ['checklistId', 'completionDate', 'completedBy', 'notes'],
  relations: ['checklist', 'completer'],
  input: ['completionDate', 'completedBy', 'notes'],
  search: ['notes'],
  defaults: { completedBy: callerId },
});
