import type { FastifyBaseLogger } from 'fastify';
import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { type Database, runAlone } from '../database/index.ts';
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

/** For how many companies jobs are taken at once, and how many run at once, of all and of one company. */
const atOnce = { lanes: 2, slots: 8, perCompany: 2 };

/** How long (s) an instance that has died keeps a job from others, where its kind says nothing else. */
const defaultLeaseSeconds = 60;

/** How long (days) jobs that have ended are kept. */
const keptDays = 30;

/** How often (ms) old jobs are deleted. */
const cleanupIntervalMs = 3_600_000;

/** What jobs depend on. */
interface JobDependencies {
  readonly database: Database;
  readonly api: Pick<Api, 'storage'>;
  readonly mailer: Mailer;
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
export class Jobs implements WorkSource<TakenJob> {
  private readonly kinds: ReadonlyMap<string, JobDefinition>;
  private readonly queue: WorkQueue<TakenJob>;
  private readonly cleanup: Repeater;
  private readonly stopping = new AbortController();

  /** @param definitions the kinds of jobs that it runs; others wait for an instance that knows them */
  constructor(
    private readonly dependencies: JobDependencies,
    definitions: readonly JobDefinition[],
  ) {
    const { database, log, tracer } = dependencies;
    this.kinds = new Map(definitions.map((definition) => [definition.kind, definition]));
    this.queue = new WorkQueue(this, { name: 'jobs', failure: 'job failed', log, tracer, ...atOnce });
    this.cleanup = new Repeater(
      () => deleteOldRows(database.prisma, 'jobs', keptDays, () => this.cleanup.isStopped),
      cleanupIntervalMs,
      (err) => log.warn({ err }, 'old jobs were not deleted'),
    );
  }

  /** Starts it. */
  start(): void {
    this.queue.start();
    this.cleanup.start();
  }

  /** Tells the jobs that run to stop, and waits until they have. */
  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.queue.stop(), this.cleanup.stop()]);
  }

  /** Runs everything that is due, and waits for it. */
  runAll(): Promise<void> {
    return this.queue.runAll();
  }

  /** One step on an index for each company and kind with pending jobs. */
  findDue(): Promise<DueCompany[]> {
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
        WHERE due_at <= now() AND kind = ANY(${[...this.kinds.keys()]})`,
    );
  }

  take(companyId: string, limit: number): Promise<TakenJob[]> {
    const { database } = this.dependencies;
    const definitions = [...this.kinds.values()];
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

  async causeOf({ companyId, id, kind, attempts, traceparent }: TakenJob): Promise<Cause> {
    const attributes = { 'premises.company_id': companyId, 'premises.job_id': id, 'premises.attempt': attempts };
    return { name: `job ${kind}`, parents: [traceparent], attributes };
  }

  async run(job: TakenJob): Promise<void> {
    const definition = this.kinds.get(job.kind);
    if (!definition) throw new Error(`Jobs of kind ${job.kind} are not run here.`);
    const { pauses } = definition;
    // An instance has died during the last attempt.
    if (job.attempts > pauses.length + 1) return this.end(job, 'failed', 'The last attempt did not end.');
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
      if (pause === undefined) await this.end(job, 'failed', text);
      else await this.postpone(job, pause, text);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  private runOf(job: TakenJob, { leaseSeconds = defaultLeaseSeconds }: JobDefinition, signal: AbortSignal): JobRun {
    const { companyId, id, attempts: attempt, progress } = job;
    const { database, mailer } = this.dependencies;
    const { prisma } = database;
    return {
      companyId,
      id,
      attempt,
      progress,
      signal,
      database,
      mailer,
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
    const { database, api } = this.dependencies;
    const found = await database.prisma.user.findUnique({
      where: { companyId_id: { companyId, id: createdBy } },
      select: { role: true, deactivatedAt: true, company: { select: { timeZone: true } } },
    });
    if (!found || found.deactivatedAt) return undefined;
    const { role, company } = found;
    return ownerContext(database, api, { companyId, timeZone: company.timeZone, userId: createdBy, role }, id);
  }

  private async end(job: TakenJob, state: 'succeeded' | 'failed', error: string | null): Promise<void> {
    await this.dependencies.database.prisma.$executeRaw`
      UPDATE jobs SET state = ${state}, error = ${error}, finished_at = now(), lease_id = NULL WHERE ${isMine(job)}`;
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
