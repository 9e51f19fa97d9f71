import { admins } from '../../auth/roles.ts';
import { defineResource, only, rules } from '../../resource/index.ts';

/** Training programs. */
export const TrainingProgram = defineResource('TrainingProgram', {
  words: { title: 'title' },
  scope: 'training',
  fields: {
    title: {},
    description: {},
    trainingType: {},
    // At most a year.
    durationMinutes: { rule: rules.between(1, 525_600) },
    passingScore: {},
    isMandatory: {},
    status: {},
  },
  list: { search: ['title', 'description'] },
  access: { write: only(admins) },
  rest: { path: '/training', parameters: { category: 'trainingType' } },
});
