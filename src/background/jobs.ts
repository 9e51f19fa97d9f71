import type { FastifyBaseLogger } from 'fastify';
import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { type Database, runAlone } from '../database/index.ts';
import type { Files } from '../files/index.ts';
import { GiveUp, type JobData, type JobDefinition, type JobRun, LeaseLost } from '../jobs/index.ts';
import type { Mailer } from '../mail/index.ts';
import type { Api } from '../resource/index.ts';
import type { Tracer } from '../tracing/index.ts';
import { deleteOldRows } from './cleanup.ts';
import { ownerContext } from './owner.ts';
import type { Cause } from './queued.ts';
import { Repeater } from './repeater.ts';
import { withoutSorting } from './without-sorting.ts';
import { type DueCompany, leaseEnd, WorkQueue, type WorkSource } from './work-queue.ts';

/** For how many companies jobs are taken at once, and how many of one company, and of kinds that share slots, run. */
const atOnce = { lanes: 2, perCompany: 2 };
const sharedSlots = 8;

/** How long (s) an instance that has died keeps a job from others, where its kind says nothing else. */
const defaultLeaseSeconds = 60;

/** How long (days) jobs that have ended are kept, and imports with their files since they were made. */
const keptDays = 30;

/** How often (ms) old jobs are deleted. */
const cleanupIntervalMs = 3_600_000;

/** What jobs depend on. */
interface JobDependencies {
  readonly database: Database;
  readonly api: Api;
  readonly mailer: Mailer;
  /** Where files are; undefined where no job reads any, or writes rows that can hold some. */
  readonly files?: Files;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Traces jobs; by default none are. */
  readonly tracer?: Tracer;
}

/** A job that this instance has taken. */
interface TakenJob {
  readonly companyId: string;
  readonly id: string;
  readonly kind: string;
  readonly payload: JobData;
  readonly progress: unknown;
  /** Distinguishes this taking of it from all others. */
  readonly leaseId: string;
  readonly attempts: number;
  readonly createdBy: string | null;
  readonly traceparent: string | null;
}

/**
 * Runs jobs that are due, of each company in turn, each on one instance at a time. When an instance dies, another takes
 * its jobs once their leases have ended.
 */
export class Jobs {
  private readonly kinds: ReadonlyMap<string, JobDefinition>;
  /** One of the kinds that share slots, and one of each other kind: none waits for another. */
  private readonly queues: readonly WorkQueue<TakenJob>[];
  private readonly cleanup: Repeater;
  private readonly stopping = new AbortController();

  /** @param definitions the kinds of jobs that it runs; others wait for an instance that knows them */
  constructor(
    private readonly dependencies: JobDependencies,
    definitions: readonly JobDefinition[],
  ) {
    const { database, log, tracer } = dependencies;
    this.kinds = new Map(definitions.map((definition) => [definition.kind, definition]));
    const queueOf = (kinds: readonly JobDefinition[], slots: number) =>
      new WorkQueue(this.sourceOf(kinds), { name: 'jobs', failure: 'job failed', log, tracer, ...atOnce, slots });
    const sharing = definitions.filter(({ slots }) => slots === undefined);
    this.queues = [
      ...(sharing.length > 0 ? [queueOf(sharing, sharedSlots)] : []),
      ...definitions.flatMap((definition) =>
        definition.slots === undefined ? [] : [queueOf([definition], definition.slots)],
      ),
    ];
    this.cleanup = new Repeater(
      async () => {
        for (const table of ['jobs', 'imports'] as const)
          await deleteOldRows(database.prisma, table, keptDays, () => this.cleanup.isStopped);
      },
      cleanupIntervalMs,
      (err) => log.warn({ err }, 'old jobs were not deleted'),
    );
  }

  /** Starts it. */
  start(): void {
    for (const queue of this.queues) queue.start();
    this.cleanup.start();
  }

  /** Tells the jobs that run to stop, and waits until they have. */
  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.queues.map((queue) => queue.stop()), this.cleanup.stop()]);
  }

  /** Runs everything that is due, and waits for it. */
  async runAll(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.runAll()));
  }

  private sourceOf(kinds: readonly JobDefinition[]): WorkSource<TakenJob> {
    return {
      findDue: () => this.findDue(kinds),
      take: (companyId, limit) => this.take(kinds, companyId, limit),
      run: (job) => this.run(job),
      causeOf: (job) => this.causeOf(job),
    };
  }

  /** One step on an index for each company and kind with pending jobs. */
  private findDue(kinds: readonly JobDefinition[]): Promise<DueCompany[]> {
    const { database } = this.dependencies;
    return withoutSorting(
      database,
      () => database.prisma.$queryRaw<DueCompany[]>`
        WITH RECURSIVE waiting (company_id, kind, due_at) AS (
          (SELECT company_id, kind, next_at FROM jobs WHERE state = 'pending' ORDER BY company_id, kind, next_at LIMIT 1)
          UNION ALL
          SELECT following.* FROM waiting CROSS JOIN LATERAL (
            SELECT company_id, kind, next_at FROM jobs
            WHERE state = 'pending' AND (jobs.company_id, jobs.kind) > (waiting.company_id, waiting.kind)
            ORDER BY jobs.company_id, jobs.kind, jobs.next_at LIMIT 1
          ) AS following
        )
        SELECT DISTINCT company_id::text AS "companyId" FROM waiting
        WHERE due_at <= now() AND kind = ANY(${kinds.map(({ kind }) => kind)})`,
    );
  }

  private take(definitions: readonly JobDefinition[], companyId: string, limit: number): Promise<TakenJob[]> {
    const { database } = this.dependencies;
    const leases = definitions.map(({ leaseSeconds = defaultLeaseSeconds }) => leaseSeconds);
    return withoutSorting(
      database,
      () => database.prisma.$queryRaw<TakenJob[]>`
        WITH due AS MATERIALIZED (
          SELECT job.ctid, job.next_at FROM unnest(${definitions.map(({ kind }) => kind)}::text[]) AS known (kind)
          CROSS JOIN LATERAL (
            SELECT ctid, next_at FROM jobs
            WHERE company_id = ${companyId}::uuid AND jobs.kind = known.kind AND state = 'pending' AND next_at <= now()
            ORDER BY next_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
          ) AS job
        ), first AS MATERIALIZED (SELECT ctid FROM due ORDER BY next_at LIMIT ${limit}::int)
        UPDATE jobs SET lease_id = gen_random_uuid(), attempts = attempts + 1, next_at = now() + make_interval(secs => (
          SELECT seconds FROM unnest(${definitions.map(({ kind }) => kind)}::text[], ${leases}::int[]) AS lease (kind, seconds)
          WHERE lease.kind = jobs.kind
        ))
        WHERE ctid = ANY (ARRAY(SELECT ctid FROM first))
        RETURNING company_id::text AS "companyId", id::text, kind, payload, progress, lease_id::text AS "leaseId", attempts,
                  created_by::text AS "createdBy", traceparent`,
    );
  }

  private async causeOf({ companyId, id, kind, attempts, traceparent }: TakenJob): Promise<Cause> {
    const attributes = { 'premises.company_id': companyId, 'premises.job_id': id, 'premises.attempt': attempts };
    return { name: `job ${kind}`, parents: [traceparent], attributes };
  }

  private async run(job: TakenJob): Promise<void> {
    const definition = this.kinds.get(job.kind);
    if (!definition) throw new Error(`Jobs of kind ${job.kind} are not run here.`);
    const { pauses } = definition;
    // An instance has died during the last attempt.
    if (job.attempts > pauses.length + 1) return this.giveUp(job, definition, 'The last attempt did not end.');
    const lost = new AbortController();
    const renewal = this.renewRegularly(job, definition, () => lost.abort(new LeaseLost()));
    try {
      await definition.run(
        job.payload,
        this.runOf(job, definition, AbortSignal.any([lost.signal, this.stopping.signal])),
      );
      await this.end(job, 'succeeded', null);
    } catch (error) {
      if (lost.signal.aborted || error instanceof LeaseLost) return;
      if (this.stopping.signal.aborted) return await this.release(job);
      const pause = error instanceof GiveUp ? undefined : pauses[job.attempts - 1];
      const text = error instanceof GiveUp ? error.message : 'An error occurred; the log of the service has it.';
      if (pause === undefined) await this.giveUp(job, definition, text);
      else await this.postpone(job, pause, text);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private runOf(job: TakenJob, { leaseSeconds = defaultLeaseSeconds }: JobDefinition, signal: AbortSignal): JobRun {
    const { companyId, id, attempts: attempt, progress } = job;
    const { database, api, mailer, files } = this.dependencies;
    const { prisma } = database;
    return {
      companyId,
      id,
      attempt,
      progress,
      signal,
      database,
      api,
      mailer,
      files,
      context: () => this.contextOf(job),
      setProgress: async (reached) => {
        const count = await prisma.$executeRaw`
          UPDATE jobs SET progress = ${JSON.stringify(reached)}::jsonb, next_at = ${leaseEnd(leaseSeconds)}
          WHERE ${isMine(job)}`;
        if (count === 0) throw new LeaseLost();
      },
    };
  }

  /** Renews the lease of a job while it runs. @param onLost called when another instance may have taken it */
  private renewRegularly(
    job: TakenJob,
    { leaseSeconds = defaultLeaseSeconds }: JobDefinition,
    onLost: () => void,
  ): NodeJS.Timeout {
    const { prisma } = this.dependencies.database;
    const renew = async () => {
      const count = await prisma.$executeRaw`
        UPDATE jobs SET next_at = ${leaseEnd(leaseSeconds)} WHERE ${isMine(job)}`;
      if (count === 0) onLost();
    };
    // The job's own transactions would renew it only once they are committed. If it fails, the next one may not.
    return runAlone(() => setInterval(() => void renew().catch(() => {}), (leaseSeconds * 1000) / 3).unref());
  }

  private async contextOf({ companyId, id, createdBy }: TakenJob): Promise<Context | undefined> {
    if (createdBy === null) return undefined;
    const { database, api, files } = this.dependencies;
    const found = await database.prisma.user.findUnique({
      where: { companyId_id: { companyId, id: createdBy } },
      select: { role: true, deactivatedAt: true, company: { select: { timeZone: true } } },
    });
    if (!found || found.deactivatedAt) return undefined;
    const { role, company } = found;
    const owner = { companyId, timeZone: company.timeZone, userId: createdBy, role };
    return ownerContext(database, api, owner, id, files);
  }

  /** Ends a job, with what follows from it. If that fails, it is done again after the lease. */
  private async giveUp(job: TakenJob, { onGivenUp }: JobDefinition, error: string): Promise<void> {
    const { database } = this.dependencies;
    try {
      await database.transaction(async () => {
        await onGivenUp?.(job.payload, { id: job.id, companyId: job.companyId, database });
        if (!(await this.end(job, 'failed', error))) throw new LeaseLost();
      });
    } catch (reason) {
      if (!(reason instanceof LeaseLost)) throw reason;
    }
  }

  /** @returns whether no other instance has taken it */
  private async end(job: TakenJob, state: 'succeeded' | 'failed', error: string | null): Promise<boolean> {
    const count = await this.dependencies.database.prisma.$executeRaw`
      UPDATE jobs SET state = ${state}, error = ${error}, finished_at = now(), lease_id = NULL WHERE ${isMine(job)}`;
    return count > 0;
  }

  private async postpone(job: TakenJob, pause: number, error: string): Promise<void> {
    await this.dependencies.database.prisma.$executeRaw`
      UPDATE jobs SET next_at = ${leaseEnd(pause)}, error = ${error}, lease_id = NULL WHERE ${isMine(job)}`;
  }

  /** Lets another instance go on with a job at once. The attempt does not count. */
  private async release(job: TakenJob): Promise<void> {
    await this.dependencies.database.prisma.$executeRaw`
      UPDATE jobs SET next_at = now(), attempts = attempts - 1, lease_id = NULL WHERE ${isMine(job)}`;
  }
}

/** The condition that no other instance has taken a job since this one has. */
const isMine = ({ companyId, id, leaseId }: TakenJob): Prisma.Sql => Prisma.sql`
  company_id = ${companyId}::uuid AND id = ${id}::uuid AND lease_id = ${leaseId}::uuid AND state = 'pending'`;
