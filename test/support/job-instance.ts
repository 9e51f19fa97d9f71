// An instance that runs jobs of one kind: they add paints, one at a time. Its first attempt at a job stops for good in
// the middle of the third paint, so that the instance can be killed there.
//
// Arguments: the address or the folder of the database; and `first`, to migrate it and to add a job.
import { Jobs } from '../../src/background/jobs.ts';
import { openDatabase } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrate.ts';
import { addJob, defineJob } from '../../src/jobs/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';

/** What an instance tells. */
export type InstanceReport =
  | { readonly is: 'ready' }
  /** An attempt begins; with the progress that it found. */
  | { readonly is: 'running'; readonly attempt: number; readonly progress: unknown }
  /** The attempt has added the third paint, in a transaction that it does not end. */
  | { readonly is: 'stuck' }
  /** What is stored, on request. */
  | {
      readonly is: 'stored';
      readonly jobs: readonly { readonly state: string; readonly attempts: number; readonly progress: unknown }[];
      readonly paints: readonly string[];
    };

/** How many paints a job adds. */
const paintCount = 5;

const [place = '', isFirst] = process.argv.slice(2);
const isAddress = place.startsWith('postgresql:');
const database = await openDatabase({ databaseUrl: isAddress ? place : undefined, dataDir: isAddress ? '' : place });
const { prisma } = database;
const report = (told: InstanceReport) => process.send?.(told);

const addPaints = defineJob({
  kind: 'add-paints',
  pauses: [1],
  leaseSeconds: 3,
  async run(_, { companyId, attempt, progress, setProgress }) {
    report({ is: 'running', attempt, progress });
    const added = (progress as { count: number } | null)?.count ?? 0;
    for (let count = added + 1; count <= paintCount; count++)
      await database.transaction(async () => {
        await prisma.paint.create({ data: { companyId, name: `Paint ${count} of attempt ${attempt}` } });
        if (attempt === 1 && count === 3) {
          report({ is: 'stuck' });
          await new Promise(() => {});
        }
        await setProgress({ count });
      });
  },
});

process.on('message', async () => {
  const jobs = await prisma.job.findMany({ select: { state: true, attempts: true, progress: true } });
  const paints = await prisma.paint.findMany({ select: { name: true }, orderBy: { name: 'asc' } });
  report({ is: 'stored', jobs, paints: paints.map(({ name }) => name) });
});

if (isFirst) {
  await migrate(database);
  const { id: companyId } = await prisma.company.create({ data: { name: 'Acme', slug: 'acme' } });
  await addJob(prisma, addPaints, { companyId, payload: {} });
}
const log = { warn: (...facts: unknown[]) => console.error(...facts) };
new Jobs({ database, api, mailer: noMailer, log }, [addPaints]).start();
report({ is: 'ready' });
