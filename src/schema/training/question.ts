import { admins } from '../../auth/roles.ts';
import type { TrainingQuestion as Question } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import { defineResource, hidden, only } from '../../resource/index.ts';
import { TrainingProgram } from './program.ts';

/** Questions of a training program. */
export const TrainingQuestion = defineResource('TrainingQuestion', {
  words: { title: 'questionText' },
  parent: { resource: TrainingProgram, column: 'trainingProgramId', relation: 'questions' },
  fields: { questionText: {}, questionType: {}, options: {}, correctAnswer: {}, points: {} },
  list: { search: ['questionText', 'questionType', 'correctAnswer'] },
  access: { write: only(admins), read: hidden(['correctAnswer'], { except: admins }) },
  rest: { path: '/questions' },
  hooks: { validate: ({ row }) => validateAnswer(row) },
});

/** Validates that the correct answer is one of the options, if there are any. */
const validateAnswer = ({ options = [], correctAnswer }: Partial<Question>): FieldErrors =>
  correctAnswer == null || options.length === 0 || options.includes(correctAnswer)
    ? {}
    : { correctAnswer: 'must be one of the options' };
