import type { Seed } from '../context.ts';
import { courses } from './courses.ts';

/** What the demo company teaches, and who has learnt it. */
export const training: Seed = (prisma, seed) => {
  const made = courses.map((course, nth) => ({
    course,
    row: seed.row(seed.ago(185 - 9 * nth), `course: ${course.title}`),
  }));
  return [
    prisma.trainingProgram.createMany({
      data: made.map(({ course: { questions: _, taken: __, ...columns }, row }) => ({ ...row, ...columns })),
    }),
    prisma.trainingQuestion.createMany({
      data: made.flatMap(({ course, row }) =>
        course.questions.map(([questionText, correctAnswer, ...others]) => {
          const choice = others.length > 0;
          // The right answer is not always the first.
          const options = choice ? [...others, correctAnswer].sort() : [];
          const kind = {
            questionType: choice ? 'multiple_choice' : 'text',
            options,
            correctAnswer: choice ? correctAnswer : null,
          };
          return {
            ...seed.row(row.createdAt),
            trainingProgramId: row.id,
            questionText,
            ...kind,
            points: choice ? 10 : null,
          };
        }),
      ),
    }),
    prisma.trainingCompletion.createMany({
      data: made.flatMap(({ course: { passingScore, taken }, row }) =>
        taken.map(([who, days, score]) => {
          const at = seed.ago(days);
          const passed = passingScore === null || score === null ? null : score >= passingScore;
          return {
            ...seed.row(at),
            trainingProgramId: row.id,
            userId: seed.user(who),
            completedAt: at,
            score,
            passed,
          };
        }),
      ),
    }),
  ];
};
