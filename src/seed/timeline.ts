import type { Prisma, RequestPriority, RequestStatus } from '../database/generated/client/client.ts';
import { uuidAt } from '../formats.ts';
import {
  createWithActivity,
  type RequestColumn,
  type RequestRow,
  updateWithActivity,
} from '../schema/request/activity.ts';
import type { SeedContext } from './context.ts';
import type { Person } from './people.ts';
import { workingTime } from './working-time.ts';

const hour = 3_600_000;

/**
 * The history of one request, in working hours and never after the present. The rows are collected and written in bulk,
 * as writing each of the thousand steps would take several statements; they follow the same rules as other writes.
 */
export class RequestTimeline {
  /** The request's id. */
  readonly id: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  updatedAt: Date;
  completedAt: Date | null = null;
  status: RequestStatus = 'PENDING';
  assignedTo: string | null = null;
  readonly comments: Prisma.CommentCreateManyInput[] = [];
  readonly watchers: Prisma.WatcherCreateManyInput[] = [];
  readonly timeLogs: Prisma.TimeLogCreateManyInput[] = [];
  readonly activity: Prisma.ActivityEntryCreateManyInput[] = [];
  private clock: Date;

  /** @param at when the request is created; moved into working hours */
  constructor(
    private readonly reference: RequestColumn,
    private readonly seed: SeedContext,
    by: Person,
    public priority: RequestPriority,
    at: Date,
  ) {
    this.clock = this.createdAt = this.updatedAt = workingTime(at, -hour);
    this.id = uuidAt(this.createdAt);
    this.createdBy = seed.user(by);
    const { activity } = createWithActivity({ context: seed.as({ at: this.createdAt, by }), data: {} });
    for (const event of activity.create) this.record({ ...this.row(by), ...event });
  }

  /** The request's columns so far. */
  get request() {
    const { id, createdBy, status, priority, assignedTo, completedAt, createdAt, updatedAt } = this;
    const { companyId } = this.seed;
    return { companyId, id, createdBy, status, priority, assignedTo, completedAt, createdAt, updatedAt };
  }

  /** Advances the time, then runs the next step unless it would be in the future. */
  after(hours: number, happens: () => void): this {
    this.clock = workingTime(new Date(this.clock.getTime() + hours * hour), hour);
    if (this.clock <= this.seed.now) happens();
    return this;
  }

  assign(by: Person, to: Person): void {
    this.change(by, { assignedTo: this.seed.user(to) });
  }

  setPriority(by: Person, priority: RequestPriority): void {
    this.change(by, { priority });
  }

  setStatus(by: Person, status: RequestStatus): void {
    this.change(by, { status });
  }

  comment(by: Person, comment: string): void {
    this.comments.push({ ...this.row(by), comment });
    this.record({ ...this.row(by), action: 'COMMENTED' });
  }

  watch(by: Person): void {
    const watcher = this.row(by);
    this.watchers.push(watcher);
    this.record({ ...this.row(by), action: 'WATCHER_ADDED', toValue: watcher.userId });
  }

  logTime(by: Person, hours: number, description: string): void {
    this.timeLogs.push({ ...this.row(by), hours, description });
    this.record({ ...this.row(by), action: 'TIME_LOGGED', toValue: String(hours) });
  }

  /** Updates the request, with the rules of a regular update. */
  private change(by: Person, data: Partial<Omit<RequestRow, 'id'>>): void {
    const { clock: at, id, status, priority, assignedTo } = this;
    const previous = { id, status, priority, assignedTo };
    const { activity, ...columns } = updateWithActivity({ context: this.seed.as({ at, by }), data, previous });
    Object.assign(this, columns, { updatedAt: at });
    for (const event of activity.create) this.record({ ...this.row(by), ...event });
  }

  private record(entry: Prisma.ActivityEntryCreateManyInput): void {
    this.activity.push(entry);
  }

  private row(by: Person) {
    const { seed, reference, id, clock } = this;
    const { companyId } = seed;
    const userId = seed.user(by);
    return { companyId, [reference]: id, id: uuidAt(clock), userId, createdAt: clock, updatedAt: clock };
  }
}
