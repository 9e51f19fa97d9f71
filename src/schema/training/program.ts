import { defineResource } from '../../resource/index.ts';

/** Training programs. */
export const TrainingProgram = defineResource('TrainingProgram', {
  scope: 'training',
  fields: {
    title: {},
    description: {},
    trainingType: {},
    durationMinutes: {},
    passingScore: {},
    isMandatory: {},
    status: {},
  },
  list: { search: ['title', 'description'] },
  rest: { path: '/training', parameters: { category: 'trainingType' } },
});
