// The process of `FileWorker`: does one task for each message. It ends when the service does.
import type { Answer, Task } from './tasks.ts';

process.once('disconnect', () => process.exit());
process.on('message', async (task: Task) => {
  process.send?.(await run(task));
});

/** Does a task. What reads files is loaded with the first of their kind. */
async function run(task: Task): Promise<Answer> {
  if (task.does === 'text') return (await import('./text.ts')).writeText(task);
  const { makePreviews, rewriteImage } = await import('./images.ts');
  return task.does === 'rewrite' ? rewriteImage(task) : makePreviews(task);
}
