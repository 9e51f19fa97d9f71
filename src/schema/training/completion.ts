import { approvers } from '../../auth/roles.ts';
import type {
  TrainingCompletion as Completion,
  TrainingProgram as Program,
} from '../../database/generated/client/client.ts';
import { currentUser, defineResource, own, readOnly } from '../../resource/index.ts';
import { TrainingProgram } from './program.ts';

/** Completions of training programs. */
export const TrainingCompletion = defineResource('TrainingCompletion', {
  parent: { resource: TrainingProgram, column: 'trainingProgramId', relation: 'completions', lock: true },
  fields: { userId: { default: currentUser, mayBeDeactivated: true }, completedAt: {}, score: {}, passed: {} },
  access: {
    write: [own('userId', { except: approvers }), readOnly(['score', 'passed'], { except: approvers })],
  },
  graphql: { relations: ['user'] },
  rest: { path: '/completions' },
  hooks: {
    resolveInput: {
      create: ({ parent, data }) => ({ ...data, passed: data.passed ?? isPassing(parent, data) }),
    },
  },
});

/** Whether a score passes; null when the score or the passing score is unknown. */
const isPassing = (
  { passingScore }: Pick<Program, 'passingScore'>,
  { score }: Partial<Pick<Completion, 'score'>>,
): boolean | null => (passingScore === null || score == null ? null : score.gte(passingScore));
