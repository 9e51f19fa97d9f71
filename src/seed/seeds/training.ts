import type { Theme } from '../context.ts';
import { courses } from './courses.ts';

/** What the demo company teaches, and who has learnt it. */
export const training: Theme = (prisma, stage) => {
  const made = courses.map((course, nth) => ({
    course,
    row: stage.row(stage.ago(185 - 9 * nth), `course: ${course.title}`),
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
            ...stage.row(row.createdAt),
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
          const at = stage.ago(days);
          const passed = passingScore === null || score === null ? null : score >= passingScore;
          return {
            ...stage.row(at),
            trainingProgramId: row.id,
            userId: stage.user(who),
            completedAt: at,
            score,
            passed,
          };
        }),
      ),
    }),
  ];
};
