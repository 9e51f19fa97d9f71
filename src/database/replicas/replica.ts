import type pg from 'pg';
import type { AdmittedPool } from '../admitted.ts';
import { giveBack } from '../request-client.ts';
import { Server } from '../server.ts';

/** What a replica says of itself. */
export interface ReplicaAnswer {
  readonly follows: boolean;
  readonly system: string;
  /** Which timeline it follows, as far as this role may know. */
  readonly timeline: number;
  /** How far it has replayed the writes of the primary. */
  readonly lsn: number;
}

/**
 * The timeline that it receives may be known to privileged roles only; the one of its last restart point follows a
 * promotion minutes later.
 */
const ask = `
  SELECT pg_is_in_recovery() AS follows, system_identifier::text AS system,
         GREATEST(timeline_id, (SELECT received_tli FROM pg_stat_wal_receiver))::float8 AS timeline,
         COALESCE(pg_last_wal_replay_lsn() - '0/0', 0)::float8 AS lsn
  FROM pg_control_system(), pg_control_checkpoint()`;

/** How often (ms) it is asked, and how long it may take to answer. */
const intervalMs = 100;
const answerTimeoutMs = 700;

/** Thrown when a replica cannot run a read, which the primary then runs. */
export class ReplicaUnfitError extends Error {
  override readonly name = 'ReplicaUnfitError';
}

/** What a read must find on a replica. */
export interface Needed {
  readonly system: string;
  readonly timeline: number;
  readonly lsn: number;
}

/** A server that follows the primary, and runs reads. */
export class Replica {
  readonly server: Server<ReplicaAnswer>;
  /** Its connections; set once, when they are created. */
  pools!: { readonly requests: AdmittedPool; readonly streams: AdmittedPool };
  /** How many reads were repeated on the primary. */
  repeated = 0;

  constructor(url: string) {
    this.server = new Server(url, ask, { intervalMs, answerTimeoutMs, maxTimeouts: 1 });
  }

  /** How far it has replayed; undefined while it does not answer. */
  get replayed(): number | undefined {
    return this.server.answer?.follows ? this.server.answer.lsn : undefined;
  }

  /** Whether it has all that a read needs. */
  has({ system, timeline, lsn }: Needed): boolean {
    const { answer } = this.server;
    return answer?.follows === true && answer.system === system && answer.timeline === timeline && answer.lsn >= lsn;
  }

  /** Asks it when a connection to it is new: another server may be there, or the same one with an older state. */
  async greet(): Promise<void> {
    await this.server.ask();
  }

  /** Runs a statement on a connection that leads to what was found fit. @throws ReplicaUnfitError */
  async query<Row>(pool: pg.Pool, statement: pg.QueryConfig, needed: Needed): Promise<Row[]> {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      if (!this.has(needed)) throw new ReplicaUnfitError('The replica has changed.');
      // Its rows are what the statement says.
      return (await client.query(statement)).rows as Row[];
    } catch (error) {
      // pg throws only errors.
      if (!(error instanceof ReplicaUnfitError)) failure = error as Error;
      throw error;
    } finally {
      giveBack(client, failure);
    }
  }
}
