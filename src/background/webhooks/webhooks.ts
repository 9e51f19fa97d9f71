import { loggedTypes } from '../../schema/changes/change-view.ts';
import { deleteOldRows } from '../cleanup.ts';
import type { LogReader } from '../log-turns.ts';
import { Repeater } from '../repeater.ts';
import { WebhookLogReader } from './read-log.ts';
import { type SenderDependencies, WebhookSender } from './sender.ts';

/** For how long (days) the log of deliveries is kept, also what is pending for a webhook that is off. */
const keptDays = 30;

/** How often (ms) old messages are deleted. */
const cleanupIntervalMs = 3_600_000;

/**
 * Sends changes to webhooks. Its reader of the log stores a message for each change that a webhook subscribes to, for
 * companies that no other instance reads for at the moment; it sends messages that are due. Neither waits for the
 * other.
 */
export class Webhooks {
  /** Reads the log, in turns with others that do. */
  readonly reader: LogReader;
  private readonly sender: WebhookSender;
  private readonly cleanup: Repeater;

  constructor(dependencies: SenderDependencies) {
    const { database, api, log } = dependencies;
    const types = loggedTypes(api.resources);
    this.sender = new WebhookSender(dependencies, types);
    const onStored = (companyId: string) => this.sender.add(companyId);
    this.reader = new WebhookLogReader(dependencies, types, onStored);
    this.cleanup = new Repeater(
      () => deleteOldRows(database.prisma, 'webhook_deliveries', keptDays, () => this.cleanup.isStopped),
      cleanupIntervalMs,
      (err) => log.warn({ err }, 'old webhook messages were not deleted'),
    );
  }

  /** Starts it. */
  start(): void {
    this.sender.start();
    this.cleanup.start();
  }

  /** Stops it after the messages in flight have ended. */
  async close(): Promise<void> {
    await Promise.all([this.sender.stop(), this.cleanup.stop()]);
  }

  /** Begins to send what is due. */
  look(): Promise<void> {
    return this.sender.look();
  }

  /** Sends everything that is due, and waits for it. */
  sendAll(): Promise<void> {
    return this.sender.sendAll();
  }
}
