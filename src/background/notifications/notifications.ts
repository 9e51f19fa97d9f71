import type { Api } from '../../resource/index.ts';
import { type LoggedType, loggedTypes } from '../../schema/changes/change-view.ts';
import { watchedTables } from '../../schema/notifications/events.ts';
import { deleteOldRows } from '../cleanup.ts';
import type { LogReader } from '../log-turns.ts';
import type { MailDependencies } from '../mail-queue.ts';
import { Repeater } from '../repeater.ts';
import { NotificationMail } from './mail.ts';
import { NotificationLogReader } from './read-log.ts';
import { trimNotifications } from './store.ts';

/** How long (days) notifications are kept. */
const keptDays = 90;

/** How often (ms) old notifications are deleted, and how often those that are too many of one person. */
const cleanupIntervalMs = 3_600_000;
const trimIntervalMs = 60_000;

/** How many people's notifications one statement trims. */
const trimSize = 50;

/** What notifications depend on. */
interface NotificationDependencies extends MailDependencies {
  readonly api: Pick<Api, 'resources' | 'storage'>;
}

/**
 * Notifies people of changes. Its reader of the log writes the notifications, for companies that no other instance
 * reads for at the moment; it emails those that are due. The page lists the same rows that are emailed.
 */
export class Notifications {
  /** Reads the log, in turns with others that do. */
  readonly reader: LogReader;
  private readonly mail: NotificationMail;
  private readonly cleanup: Repeater;
  private readonly trimming: Repeater;
  /** The people of each company who were notified since their notifications were trimmed. */
  private readonly notified = new Map<string, Set<string>>();

  constructor(private readonly dependencies: NotificationDependencies) {
    const { database, api, mailer, log } = dependencies;
    const types: readonly LoggedType[] = loggedTypes(api.resources).filter(({ table }) =>
      watchedTables.includes(table),
    );
    const onStored = (companyId: string, userIds: readonly string[]) =>
      this.notified.set(companyId, new Set([...(this.notified.get(companyId) ?? []), ...userIds]));
    this.reader = new NotificationLogReader({ database, api, isMailEnabled: mailer.isEnabled }, types, onStored);
    this.mail = new NotificationMail({ ...dependencies, types });
    const warn = (err: unknown) => log.warn({ err }, 'old notifications were not deleted');
    this.trimming = new Repeater(() => this.trim(), trimIntervalMs, warn);
    this.cleanup = new Repeater(
      () => deleteOldRows(database.prisma, 'notifications', keptDays, () => this.cleanup.isStopped),
      cleanupIntervalMs,
      warn,
    );
  }

  /** Starts it. */
  start(): void {
    this.mail.start();
    this.trimming.start();
    this.cleanup.start();
  }

  /** Stops it after the messages in flight were sent. */
  async close(): Promise<void> {
    await Promise.all([this.mail.close(), this.trimming.stop(), this.cleanup.stop()]);
  }

  /** Sends everything that is due, and waits for it. */
  async sendAll(): Promise<void> {
    await this.trim();
    await this.mail.sendAll();
  }

  /** Deletes what people have too much of, of those who were notified; the others have no more than before. */
  private async trim(): Promise<void> {
    for (const [companyId, people] of this.notified) {
      this.notified.delete(companyId);
      const userIds = [...people];
      for (let n = 0; n < userIds.length && !this.trimming.isStopped; n += trimSize)
        await trimNotifications(this.dependencies.database.prisma, companyId, userIds.slice(n, n + trimSize));
    }
  }
}
