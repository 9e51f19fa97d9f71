import type { RequestPriority, RequestStatus } from '../database/generated/client/client.ts';
import type { RequestThread } from '../schema/request/thread.ts';
import type { SeedContext } from './context.ts';
import type { Person } from './people.ts';
import { workingTime } from './working-time.ts';

const hour = 3_600_000;

/** Writes the history of one request: in working hours, and nothing that would be in the future. */
export class RequestHistory {
  /**
   * @param thread the request's kind
   * @param clock the time of the last step
   */
  constructor(
    private readonly seed: SeedContext,
    private readonly thread: RequestThread,
    private readonly id: string,
    private clock: Date,
  ) {}

  /** Advances the time of the next step. */
  after(hours: number): this {
    this.clock = workingTime(new Date(this.clock.getTime() + hours * hour), hour);
    return this;
  }

  async update(by: Person, columns: { status?: RequestStatus; priority?: RequestPriority; assignedTo?: string }) {
    const { seed, thread, id, clock: at } = this;
    if (!this.isFuture) await seed.update(thread.request, id, { at, by }, columns);
  }

  assign(by: Person, to: Person): Promise<void> {
    return this.update(by, { assignedTo: this.seed.user(to) });
  }

  async watch(by: Person): Promise<void> {
    const { seed, thread } = this;
    if (!this.isFuture) await seed.create(thread.Watcher, this.write(by), { userId: seed.user(by) });
  }

  async comment(by: Person, comment: string): Promise<void> {
    if (!this.isFuture) await this.seed.create(this.thread.Comment, this.write(by), { comment });
  }

  async logTime(by: Person, hours: number, description: string): Promise<void> {
    if (!this.isFuture) await this.seed.create(this.thread.TimeLog, this.write(by), { hours, description });
  }

  private get isFuture(): boolean {
    return this.clock > this.seed.now;
  }

  private write(by: Person) {
    return { at: this.clock, by, parentId: this.id };
  }
}
