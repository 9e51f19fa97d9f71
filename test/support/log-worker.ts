import { Jobs } from '../../src/background/jobs.ts';
import { LogTurns } from '../../src/background/log-turns.ts';
import { Notifications } from '../../src/background/notifications/notifications.ts';
import { turnedOffMail } from '../../src/background/webhooks/turned-off-mail.ts';
import { Webhooks } from '../../src/background/webhooks/webhooks.ts';

type Dependencies = ConstructorParameters<typeof LogTurns>[0] & ConstructorParameters<typeof Jobs>[0];

/** What an instance does with the log of changes, when a test says so or, once started, by itself. */
class LogWorker<Sender extends Webhooks | Notifications> {
  private readonly log: LogTurns;
  private readonly jobs: Jobs;

  constructor(
    dependencies: Dependencies,
    private readonly sender: Sender,
  ) {
    this.log = new LogTurns(dependencies, [sender.reader]);
    this.jobs = new Jobs(dependencies, [turnedOffMail]);
  }

  start(): void {
    this.log.start();
    this.sender.start();
    this.jobs.start();
  }

  async close(): Promise<void> {
    await Promise.all([this.log.close(), this.sender.close(), this.jobs.close()]);
  }

  /** Processes everything that is due, and waits for it. */
  async deliverPending(): Promise<void> {
    await this.log.readAll();
    await this.sender.sendAll();
    await this.jobs.runAll();
  }

  /** Reads what can be read, and begins to send what is due. */
  async turn(this: LogWorker<Webhooks>): Promise<void> {
    await this.log.readAll();
    await this.sender.look();
  }
}

export type WebhookWorker = LogWorker<Webhooks>;
export type NotificationWorker = LogWorker<Notifications>;

/** Sends messages of webhooks of a service at https://premises.example. */
export const webhookWorker = (
  dependencies: Dependencies & Omit<ConstructorParameters<typeof Webhooks>[0], 'publicUrl'>,
): WebhookWorker =>
  new LogWorker(dependencies, new Webhooks({ ...dependencies, publicUrl: 'https://premises.example' }));

/** Notifies people. */
export const notificationWorker = (
  dependencies: Dependencies & ConstructorParameters<typeof Notifications>[0],
): NotificationWorker => new LogWorker(dependencies, new Notifications(dependencies));
