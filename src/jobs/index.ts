// What runs later, for one company: a job is a row that some instance takes, with a lease, attempts and pauses.
//
//   export const importRows = defineJob<{ fileId: string }>({ kind: 'import-rows', pauses: [60], async run(…) { … } });
//   await addJob(unscopedDb, importRows, { companyId, payload: { fileId }, createdBy });
//
// `src/background/jobs.ts` runs those of the definitions that it is given.
export {
  addJob,
  defineJob,
  type GivenUpJob,
  GiveUp,
  type JobData,
  type JobDefinition,
  type JobRun,
  LeaseLost,
} from './job.ts';
