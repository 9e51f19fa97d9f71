import type { FastifyBaseLogger } from 'fastify';
import { Prisma } from '../../database/generated/client/client.ts';
import type { Database } from '../../database/index.ts';
import { failureCounts } from '../../failure-counts.ts';
import type { Mailer } from '../../mail/index.ts';
import { CompanyTurns, type TurnEnd } from '../company-turns.ts';
import { Repeater } from '../repeater.ts';
import { findDueCompanies } from '../work-queue.ts';
import { savedQueryMail } from './mail.ts';

/** How often (ms) companies with schedules that are due are looked for. */
const intervalMs = 10_000;

/** For how many companies schedules are read at once, and how many of one in a turn. */
const lanes = 2;
const pageSize = 20;

/** After how long (hours) an answer is sent no more, as the service was stopped or had no mail server. */
const maxDelayHours = 24;

/** What schedules depend on. */
interface ScheduleDependencies {
  readonly database: Database;
  readonly mailer: Pick<Mailer, 'isEnabled'>;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Adds the jobs of saved queries that are to be sent: one for each recipient, with the time of the next ones, in one
 * statement. So whichever instance does it, and wherever one dies, each is added once.
 */
export class QuerySchedules {
  private readonly turns: CompanyTurns;
  private readonly repeater: Repeater;

  constructor(private readonly dependencies: ScheduleDependencies) {
    this.turns = new CompanyTurns(lanes, (companyId) => this.addJobs(companyId), this.warn);
    this.repeater = new Repeater(() => this.look(), intervalMs, this.warn);
  }

  /** Starts it, where email is sent. */
  start(): void {
    if (this.dependencies.mailer.isEnabled) this.repeater.start();
  }

  /** Stops it after what it has begun. */
  async close(): Promise<void> {
    await this.repeater.stop();
    await this.turns.stop();
  }

  /** Adds the jobs of everything that is due, and waits for it. */
  async addDue(): Promise<void> {
    await this.look();
    await this.turns.idle();
  }

  private async look(): Promise<void> {
    this.turns.addDeferred();
    const due = await findDueCompanies(this.dependencies.database, Prisma.sql`saved_query_schedules WHERE true`);
    this.turns.add(due.map(({ companyId }) => companyId));
  }

  private async addJobs(companyId: string): Promise<TurnEnd> {
    const [turn] = await this.dependencies.database.prisma.$queryRaw<{ taken: number }[]>`
      WITH due AS MATERIALIZED (
        SELECT saved_query_id, next_at FROM saved_query_schedules
        WHERE company_id = ${companyId}::uuid AND next_at <= now()
        ORDER BY next_at LIMIT ${pageSize}::int FOR UPDATE SKIP LOCKED
      ), moved AS (
        UPDATE saved_query_schedules AS schedule
        SET next_at = next_saved_query_at(weekday, month_day, minute, company.time_zone, now())
        FROM due, companies AS company
        WHERE schedule.company_id = ${companyId}::uuid AND schedule.saved_query_id = due.saved_query_id
          AND company.id = ${companyId}::uuid
        RETURNING schedule.saved_query_id, schedule.user_ids, due.next_at AS due_at
      ), added AS (
        INSERT INTO jobs (company_id, id, kind, payload, created_by)
        SELECT person.company_id, gen_random_uuid(), ${savedQueryMail.kind},
               jsonb_build_object('savedQueryId', saved_query_id), person.id
        FROM moved JOIN users AS person ON person.company_id = ${companyId}::uuid AND person.id = ANY (user_ids)
        WHERE person.deactivated_at IS NULL AND due_at > now() - make_interval(hours => ${maxDelayHours}::int)
      )
      SELECT count(*)::int AS taken FROM moved`;
    return (turn?.taken ?? 0) < pageSize ? 'done' : 'more';
  }

  private readonly warn = (err: unknown, company?: string): void => {
    failureCounts.mail += 1;
    this.dependencies.log.warn({ err, company }, 'scheduled queries not sent');
  };
}
