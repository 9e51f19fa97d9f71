import type { FastifyBaseLogger } from 'fastify';
import { Prisma } from '../database/generated/client/client.ts';
import { failureCounts } from '../failure-counts.ts';
import { Shares } from '../limits/shares.ts';
import { noTracer, type Tracer } from '../tracing/index.ts';
import { CompanyTurns, type TurnEnd } from './company-turns.ts';
import { type Cause, runQueued } from './queued.ts';
import { Repeater } from './repeater.ts';
import { type WithoutSortingDatabase, withoutSorting } from './without-sorting.ts';

/** How often (ms) companies with work that is due are looked for. */
const intervalMs = 1000;

/** Work that waits in a table, which all instances share and no restart empties. */
export interface WorkSource<Item> {
  /** Finds the companies with work that is due. */
  findDue(): PromiseLike<readonly DueCompany[]>;
  /**
   * Takes work of a company that is due, for this instance alone until its lease ends.
   *
   * @param limit the most that is taken
   */
  take(companyId: string, limit: number): PromiseLike<readonly Item[]>;
  /** Does it, and stores how that ended: what is left is taken again when its lease has ended. */
  run(item: Item): Promise<void>;
  /** What it is in a trace; asked only where work is traced. */
  causeOf(item: Item): Promise<Cause>;
  /** Postpones what keeps a company's other work from being found, once nothing can be taken. @returns how much */
  postponeWaiting?(companyId: string): PromiseLike<number>;
}

/** A company with work that is due. */
export interface DueCompany {
  readonly companyId: string;
}

/** How much is done at once, and where failures are reported. */
export interface WorkQueueOptions {
  /** What counts its failures. */
  readonly name: keyof typeof failureCounts;
  /** What the log says when work failed. */
  readonly failure: string;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  /** Traces the work; by default none is. */
  readonly tracer?: Tracer | undefined;
  /** For how many companies work is taken at once. */
  readonly lanes: number;
  /** How much an instance does at once; one company gets at most half of what no other uses. */
  readonly slots: number;
  /** The most that an instance does at once for one company. */
  readonly perCompany?: number;
}

/**
 * Does work of all companies that is due, of each in turn: a turn takes what there are slots for, and what is left
 * waits behind the others.
 */
export class WorkQueue<Item> {
  private readonly running = new Set<Promise<void>>();
  private readonly shares: Shares;
  /** Companies whose work waits for a free slot. */
  private readonly withoutSlot = new Set<string>();
  private readonly turns: CompanyTurns;
  private readonly repeater: Repeater;

  constructor(
    private readonly source: WorkSource<Item>,
    private readonly options: WorkQueueOptions,
  ) {
    this.shares = new Shares(options.slots);
    this.turns = new CompanyTurns(options.lanes, (companyId) => this.beginDue(companyId), this.warn);
    this.repeater = new Repeater(() => this.look(), intervalMs, this.warn);
  }

  /** Starts it. */
  start(): void {
    this.repeater.start();
  }

  /** Begins nothing more, and waits for what is being done. */
  async stop(): Promise<void> {
    await this.repeater.stop();
    await this.turns.stop();
    await Promise.all(this.running);
  }

  /** Does the work of a company that is due. */
  add(companyId: string): void {
    this.turns.add([companyId]);
  }

  /** Begins to do the work of all companies that is due. */
  async look(): Promise<void> {
    this.turns.addDeferred();
    this.turns.add((await this.source.findDue()).map(({ companyId }) => companyId));
  }

  /** Does everything that is due, and waits for it. */
  async runAll(): Promise<void> {
    await this.look();
    await this.turns.idle();
    while (this.running.size > 0) {
      await Promise.all(this.running);
      // What waited for it may be due as soon as it has ended.
      await this.turns.idle();
    }
  }

  /** Begins work of a company, as much as there are slots for. */
  private async beginDue(companyId: string): Promise<TurnEnd> {
    const reserved = this.reserve(companyId);
    if (reserved === 0) {
      this.withoutSlot.add(companyId);
      return 'done';
    }
    let items: readonly Item[] = [];
    try {
      items = await this.source.take(companyId, reserved);
    } finally {
      this.free(companyId, reserved - items.length);
    }
    for (const item of items) this.begin(companyId, item);
    if (items.length > 0) return 'more';
    // Other work may be due behind what waits.
    return ((await this.source.postponeWaiting?.(companyId)) ?? 0) > 0 ? 'more' : 'done';
  }

  private begin(companyId: string, item: Item): void {
    const { source, options } = this;
    const run: Promise<void> = runQueued(
      options.tracer ?? noTracer,
      () => source.causeOf(item),
      () => source.run(item),
    )
      .catch((err: unknown) => this.warn(err, companyId))
      .finally(() => {
        this.running.delete(run);
        this.free(companyId, 1);
        // What waits for it may be due, and its slot is free.
        this.turns.add([companyId, ...this.withoutSlot]);
        this.withoutSlot.clear();
      });
    this.running.add(run);
  }

  /** Reserves the slots that a company may use now. @returns how many */
  private reserve(companyId: string): number {
    const { perCompany = Number.POSITIVE_INFINITY } = this.options;
    let reserved = 0;
    while (this.shares.hasCapacity([companyId]) && this.shares.countOf(companyId) < perCompany) {
      this.shares.count(1, [companyId]);
      reserved += 1;
    }
    return reserved;
  }

  private free(companyId: string, count: number): void {
    for (let n = 0; n < count; n++) this.shares.count(-1, [companyId]);
  }

  private readonly warn = (err: unknown, company?: string): void => {
    failureCounts[this.options.name] += 1;
    this.options.log.warn({ err, company }, this.options.failure);
  };
}

/**
 * Finds the companies with rows that are due: one step on an index for each company that has pending ones.
 *
 * @param pending a table with `company_id` and `next_at`, and the condition of the rows that are to be done
 */
export const findDueCompanies = (database: WithoutSortingDatabase, pending: Prisma.Sql): Promise<DueCompany[]> =>
  withoutSorting(
    database,
    () => database.prisma.$queryRaw<DueCompany[]>`
      WITH RECURSIVE company (id, due_at) AS (
        (SELECT company_id, next_at FROM ${pending} ORDER BY company_id, next_at LIMIT 1)
        UNION ALL
        SELECT following.* FROM company CROSS JOIN LATERAL (
          SELECT company_id, next_at FROM ${pending} AND company_id > company.id
          ORDER BY company_id, next_at LIMIT 1
        ) AS following
      )
      SELECT id::text AS "companyId" FROM company WHERE due_at <= now()`,
  );

/** When a lease of so many seconds ends, in SQL. */
export const leaseEnd = (seconds: number): Prisma.Sql => Prisma.sql`now() + make_interval(secs => ${seconds}::int)`;
