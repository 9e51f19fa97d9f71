/** The methods of the logger that an outage report needs. */
export interface OutageLog {
  warn(details: { err: unknown }, message: string): void;
  info(message: string): void;
}

export const noLog: OutageLog = { warn() {}, info() {} };

const firstPauseMs = 60_000;
const maxPauseMs = 3600_000;

/**
 * Logs that Redis cannot be reached: when it first fails, again after one minute, two, four and so on, at most an hour,
 * and once when it is back. The connection itself is tried every second or two.
 */
export class OutageReport {
  private pauseMs = 0;
  private nextAt = -Infinity;

  constructor(private readonly log: OutageLog) {}

  fail(err: unknown): void {
    const now = performance.now();
    if (now < this.nextAt) return;
    this.pauseMs = Math.min(Math.max(firstPauseMs, this.pauseMs * 2), maxPauseMs);
    this.nextAt = now + this.pauseMs;
    this.log.warn({ err }, 'Redis cannot be reached; counting in the database');
  }

  recover(): void {
    if (this.pauseMs === 0) return;
    this.pauseMs = 0;
    this.nextAt = -Infinity;
    this.log.info('Redis can be reached again; it counts again an hour after the outage');
  }
}
