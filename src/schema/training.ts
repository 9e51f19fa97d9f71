import { callerId } from '../context.ts';
import type { TrainingCompletion, TrainingProgram, TrainingQuestion } from '../database/generated/client/client.ts';
import { type FieldErrors, validationError } from '../errors.ts';
import { resource } from '../resource/define.ts';

/** Training programs (spec §4, Training). */
const Program = resource('TrainingProgram', {
  path: '/training',
  scope: 'training',
  fields: ['title', 'description', 'trainingType', 'durationMinutes', 'passingScore', 'isMandatory', 'status'],
  input: ['title', 'description', 'trainingType', 'durationMinutes', 'passingScore', 'isMandatory', 'status'],
  search: ['title', 'description'],
  filters: { category: 'trainingType' },
});

/** Who completed a program: REST lists and adds them, GraphQL also corrects them. */
resource('TrainingCompletion', {
  path: '/completions',
  parent: { resource: Program, column: 'trainingProgramId', relation: 'completions', hold: true },
  rest: ['list', 'create'],
  fields: ['trainingProgramId', 'userId', 'completedAt', 'score', 'passed'],
  relations: ['program', 'user'],
  input: ['userId', 'completedAt', 'score', 'passed'],
  defaults: { userId: callerId },
  creating: ({ parent, data }) => ({ ...data, passed: data.passed ?? judged(parent, data) }),
});

/** Whether a score passes, when both it and the one to reach are known. */
const judged = ({ passingScore }: TrainingProgram, { score }: Partial<TrainingCompletion>): boolean | null =>
  passingScore === null || score == null ? null : Number(score) >= passingScore;

/** What a program asks: REST lists and adds questions, GraphQL also changes them. */
resource('TrainingQuestion', {
  path: '/questions',
  parent: { resource: Program, column: 'trainingProgramId', relation: 'questions' },
  rest: ['list', 'create'],
  fields: ['trainingProgramId', 'questionText', 'questionType', 'options', 'correctAnswer', 'points'],
  relations: ['program'],
  input: ['questionText', 'questionType', 'options', 'correctAnswer', 'points'],
  search: ['questionText', 'questionType', 'correctAnswer'],
  read: ({ data, faults }) => void Object.assign(faults, answerFaults(data)),
  updating({ previous, data }) {
    const faults = answerFaults({ ...previous, ...data });
    if (Object.keys(faults).length > 0) throw validationError(faults);
    return data;
  },
});

/** The right answer is one of the options, when there are any. */
const answerFaults = ({ options = [], correctAnswer }: Partial<TrainingQuestion>): FieldErrors =>
  correctAnswer == null || options.length === 0 || options.includes(correctAnswer)
    ? {}
    : { correctAnswer: 'must be one of the options' };
