// Only one request at a time changes an upload, on any instance.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import type { LockOptions } from '../../resource/index.ts';

/** For how long (s) a lock lasts of which nothing is heard, and how often (ms) its holder says that it goes on. */
const leaseSeconds = 10;
const renewMs = 2000;

/** How long (ms) a request waits for another one to end: longer than the lock of one whose instance has died lasts. */
const waitMs = 12_000;

/** How often (ms) it looks. */
const pollMs = 200;

/**
 * The lock of an upload, in its row. Its holder writes again and again until when it has it, so that the lock of an
 * instance that has died ends; what a holder changes depends on the row still naming it.
 */
export class UploadLock {
  /** Names the request in the row. */
  readonly holder = randomUUID();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly context: Context) {}

  /**
   * Locks an upload. One that there is not, or no longer, needs no lock.
   *
   * @throws ServiceError LOCKED while another request has it
   */
  async acquire(id: string, { waits, onAwaited }: LockOptions): Promise<void> {
    const until = performance.now() + waitMs;
    while (!(await this.take(id))) {
      if (!waits || performance.now() > until) throw locked();
      await this.askToEnd(id);
      await sleep(pollMs);
    }
    this.timer = setInterval(() => void this.renew(id).then((goesOn) => goesOn || onAwaited()), renewMs).unref();
  }

  /** Lets others lock the upload. */
  async release(id: string): Promise<void> {
    clearInterval(this.timer);
    const { unscopedDb, caller } = this.context;
    await unscopedDb.$executeRaw`
      UPDATE file_uploads SET locked_by = NULL, locked_until = NULL, is_awaited = false
      WHERE company_id = ${caller.companyId}::uuid AND id = ${id}::uuid AND locked_by = ${this.holder}::uuid`;
  }

  /** Locks an upload, if it is free. @returns whether the request has the lock, or there is nothing to lock */
  async take(id: string): Promise<boolean> {
    const { unscopedDb, caller } = this.context;
    const { companyId, userId } = caller;
    const [found] = await unscopedDb.$queryRaw<{ taken: boolean; exists: boolean }[]>`
      WITH taken AS (
        UPDATE file_uploads
        SET locked_by = ${this.holder}::uuid, is_awaited = false,
          locked_until = clock_timestamp() + make_interval(secs => ${leaseSeconds}::int)
        WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid AND user_id = ${userId}::uuid
          AND (locked_until IS NULL OR locked_until < clock_timestamp())
        RETURNING id
      )
      SELECT EXISTS (SELECT FROM taken) AS taken, EXISTS (
        SELECT FROM file_uploads
        WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid AND user_id = ${userId}::uuid
      ) AS "exists"`;
    return found === undefined || found.taken || !found.exists;
  }

  private async askToEnd(id: string): Promise<void> {
    const { unscopedDb, caller } = this.context;
    await unscopedDb.$executeRaw`
      UPDATE file_uploads SET is_awaited = true
      WHERE company_id = ${caller.companyId}::uuid AND id = ${id}::uuid AND NOT is_awaited`;
  }

  /** @returns whether nobody waits for the lock, as far as is known */
  private async renew(id: string): Promise<boolean> {
    const { unscopedDb, caller } = this.context;
    try {
      const [found] = await unscopedDb.$queryRaw<{ is_awaited: boolean }[]>`
        UPDATE file_uploads SET locked_until = clock_timestamp() + make_interval(secs => ${leaseSeconds}::int)
        WHERE company_id = ${caller.companyId}::uuid AND id = ${id}::uuid AND locked_by = ${this.holder}::uuid
        RETURNING is_awaited`;
      return found?.is_awaited !== true;
    } catch {
      // The database may be back before the lock ends; what is written then says whether it has.
      return true;
    }
  }
}

const locked = () => new ServiceError('LOCKED', 'Another request changes the upload; try again in some seconds.');
