import { TrainingCompletion } from '../../schema/training/completion.ts';
import { TrainingProgram } from '../../schema/training/program.ts';
import { TrainingQuestion } from '../../schema/training/question.ts';
import type { Seed } from '../context.ts';
import { courses, type Question } from './courses.ts';

/** The demo company's training programs and completions. */
export const training: Seed = async (seed) => {
  for (const [nth, { questions, taken, ...columns }] of courses.entries()) {
    const at = seed.ago(185 - 9 * nth);
    const program = await seed.create(TrainingProgram, { at, name: `course: ${columns.title}` }, columns);
    for (const question of questions) {
      await seed.create(TrainingQuestion, { at, parentId: program.id }, questionColumns(question));
    }
    for (const [by, days, score] of taken) {
      const completedAt = seed.ago(days);
      await seed.create(TrainingCompletion, { at: completedAt, by, parentId: program.id }, { completedAt, score });
    }
  }
};

function questionColumns([questionText, answer, ...others]: Question) {
  if (others.length === 0) return { questionText, questionType: 'text' };
  // Sorted, so that the correct answer is not always first.
  const options = [...others, answer].sort();
  return { questionText, questionType: 'multiple_choice', options, correctAnswer: answer, points: 10 };
}
