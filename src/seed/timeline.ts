import { randomBytes } from 'node:crypto';
import type { ActivityAction, Prisma, RequestPriority, RequestStatus } from '../database/generated/client/client.ts';
import facts from '../database/generated/facts.ts';

const hour = 3_600_000;

/** How what belongs to a request refers to it. */
export type Reference = 'serviceRequestId' | 'moveRequestId';

/**
 * What becomes of one request, in working hours and never past the present: every step keeps the request as the
 * service would leave it and writes the activity entries the service would write.
 */
export class RequestTimeline {
  /** The request's id. */
  readonly id: string;
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

  /** @param at when the request is made; moved back into working hours */
  constructor(
    private readonly reference: Reference,
    readonly companyId: string,
    readonly createdBy: string,
    public priority: RequestPriority,
    at: Date,
    private readonly now: Date,
  ) {
    this.clock = this.createdAt = this.updatedAt = workingTime(at, -hour);
    this.id = uuid7(this.createdAt);
    this.record('CREATED', createdBy);
  }

  /** The request's own columns, as far as the timeline knows them. */
  get request() {
    const { companyId, id, createdBy, status, priority, assignedTo, completedAt, createdAt, updatedAt } = this;
    return { companyId, id, createdBy, status, priority, assignedTo, completedAt, createdAt, updatedAt };
  }

  /** Lets hours pass, then does what happens next, unless that would be in the future. */
  after(hours: number, happens: () => void): this {
    this.clock = workingTime(new Date(this.clock.getTime() + hours * hour), hour);
    if (this.clock <= this.now) happens();
    return this;
  }

  assign(by: string, to: string): void {
    this.record('ASSIGNED', by, this.assignedTo, to);
    this.assignedTo = to;
    this.updatedAt = this.clock;
  }

  setPriority(by: string, priority: RequestPriority): void {
    const { words } = facts.enums.RequestPriority;
    this.record('PRIORITY_CHANGED', by, words[this.priority], words[priority]);
    this.priority = priority;
    this.updatedAt = this.clock;
  }

  setStatus(by: string, status: RequestStatus): void {
    const { words } = facts.enums.RequestStatus;
    this.record('STATUS_CHANGED', by, words[this.status], words[status]);
    this.status = status;
    this.completedAt = status === 'COMPLETED' ? this.clock : null;
    this.updatedAt = this.clock;
  }

  comment(by: string, comment: string): void {
    this.comments.push({ ...this.row(by), comment });
    this.record('COMMENTED', by);
  }

  watch(by: string): void {
    this.watchers.push(this.row(by));
    this.record('WATCHER_ADDED', by, null, by);
  }

  logTime(by: string, hours: number, description: string): void {
    this.timeLogs.push({ ...this.row(by), hours, description });
    this.record('TIME_LOGGED', by, null, String(hours));
  }

  private record(
    action: ActivityAction,
    by: string,
    fromValue: string | null = null,
    toValue: string | null = null,
  ): void {
    this.activity.push({ ...this.row(by), action, fromValue, toValue });
  }

  private row(userId: string) {
    const { companyId, reference, id, clock } = this;
    return { companyId, [reference]: id, id: uuid7(clock), userId, createdAt: clock, updatedAt: clock };
  }
}

/** The nearest time from `at` on, in steps of `step` (ms), that is on a working day between 7 and 18 h UTC. */
export function workingTime(at: Date, step: number): Date {
  const isWorking = at.getUTCHours() >= 7 && at.getUTCHours() < 18 && at.getUTCDay() % 6 !== 0;
  return isWorking ? at : workingTime(new Date(at.getTime() + step), step);
}

/** A version 7 UUID (RFC 9562) as it would have been issued at a given time. */
export function uuid7(at: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}
