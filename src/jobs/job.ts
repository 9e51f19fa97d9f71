import type { Context } from '../context.ts';
import type { Prisma } from '../database/generated/client/client.ts';
import { currentTraceparent, type Database } from '../database/index.ts';
import type { Files } from '../files/index.ts';
import type { Mailer } from '../mail/index.ts';
import type { Api } from '../resource/index.ts';

/** A value that is stored as JSON. */
export type JobData = Prisma.InputJsonObject;

/** A job while it runs. */
export interface JobRun {
  readonly id: string;
  readonly companyId: string;
  /** Which attempt this is; the first is 1. */
  readonly attempt: number;
  /** What an earlier attempt stored last; null without. */
  readonly progress: unknown;
  /** Aborted when another instance may have taken the job, or this one stops. */
  readonly signal: AbortSignal;
  /**
   * Stores how far it is. In a transaction with what was done, neither is committed without the other, and both only
   * if no other instance has taken the job: so an attempt that goes on from `progress` does nothing twice.
   *
   * @throws LeaseLost if another instance has taken the job, or its company is gone
   */
  setProgress(progress: JobData): Promise<void>;
  readonly database: Database;
  readonly api: Api;
  readonly mailer: Mailer;
  /** Where files are; undefined where no job reads any. */
  readonly files?: Files;
  /** The context of the person who created it, in the role that they have now; undefined if nobody may act for them. */
  context(): Promise<Context | undefined>;
}

/** What jobs of a kind do. */
export interface JobDefinition<Payload extends JobData = JobData> {
  /** Names it in the table, for ever: jobs of a kind that an instance does not know wait for another one. */
  readonly kind: string;
  /** The pauses (s) before the attempts after the first: one more attempt than these. */
  readonly pauses: readonly number[];
  /**
   * How many run at once on an instance, beside those of all other kinds. Without it, they share slots with others, and
   * wait for them: kinds that are many or slow have their own.
   */
  readonly slots?: number;
  /** How long (s) an instance that has died keeps a job from others, 60 by default: renewed while the job runs. */
  readonly leaseSeconds?: number;
  /**
   * Does it. It may run again after an attempt whose end no instance learned, so what it does must bear that.
   *
   * @throws Error to try again later; GiveUp not to
   */
  run(payload: Payload, job: JobRun): Promise<void>;
  /**
   * What follows once it is given up, as no attempt is left or `run` has thrown GiveUp. It is committed with the end of
   * the job, and also happens where an instance has died in the last attempt, after which `run` does not run.
   */
  onGivenUp?(payload: Payload, job: GivenUpJob): Promise<void>;
}

/** A job that is given up, in the transaction that ends it. */
export type GivenUpJob = Pick<JobRun, 'id' | 'companyId' | 'database'>;

/** Defines a kind of jobs. Payloads have ids, and no texts of people, links or secrets: exports contain them. */
export const defineJob = <Payload extends JobData>(definition: JobDefinition<Payload>): JobDefinition<Payload> =>
  definition;

/** A job that no further attempt can do. The message is stored, so it has no secrets. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp';
}

/** Another instance has taken the job, or its company is gone. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** A job to be done. */
interface NewJob<Payload> {
  readonly companyId: string;
  readonly payload: Payload;
  /** The user on whose behalf it runs, if it needs one. */
  readonly createdBy?: string;
  /** When it is due; now by default. */
  readonly runAt?: Date;
}

/**
 * Adds a job, in the transaction of the caller: it runs once that is committed, and not otherwise.
 *
 * @returns its id
 */
export async function addJob<Payload extends JobData>(
  client: Pick<Prisma.TransactionClient, 'job'>,
  { kind }: JobDefinition<Payload>,
  { companyId, payload, createdBy, runAt }: NewJob<Payload>,
): Promise<string> {
  const traceparent = currentTraceparent();
  const data = { companyId, kind, payload, createdBy, traceparent, ...(runAt && { nextAt: runAt }) };
  const { id } = await client.job.create({ data, select: { id: true } });
  return id;
}
