import { findLatestPositions, isAfter } from '../../events/change-notifier.ts';
import { readPageOrEnd } from '../../events/follow.ts';
import type { LogPage } from '../../events/log.ts';
import { decodePosition, type Position } from '../../events/position.ts';
import { uuidAt } from '../../formats.ts';
import type { Resource } from '../../resource/index.ts';
import { ChangeView, type LoggedType, loggedTypes } from '../../schema/changes/change-view.ts';
import { eventsOf, mailGroupOf, watchedTables } from '../../schema/notifications/events.ts';
import { deleteOldRows } from '../cleanup.ts';
import { ownerContext } from '../owner.ts';
import { Repeater } from '../repeater.ts';
import { type MailDependencies, NotificationMail } from './mail.ts';
import { findRecipients, type Recipient } from './recipients.ts';

/** How often (ms) the log and the messages that are due are looked at. */
const intervalMs = 2000;

/** How many changes of the log are read at once. */
const pageSize = 100;

/** How long (s) a message waits for further changes of the same row. */
const mailDelaySeconds = 60;

/** How many messages to a person wait separately; further notifications are sent in one message. */
const maxMailGroups = 20;

/** How many notifications a person keeps, and for how long (days). */
const maxNotifications = 1000;
const keptDays = 90;

/** How often (ms) old notifications are deleted. */
const cleanupIntervalMs = 3_600_000;

/** What notifications depend on. */
interface NotificationDependencies extends MailDependencies {
  readonly resources: readonly Resource[];
}

/** A company whose log is read, and the position up to which it was read. */
interface Followed {
  readonly companyId: string;
  readonly position: string | null;
  readonly timeZone: string;
  readonly isSandbox: boolean;
}

/**
 * Notifies people of changes. Each instance reads the logs of companies that no other instance reads at the moment,
 * writes the notifications, and emails those that are due. The page lists the same rows that are emailed.
 */
export class Notifications {
  private readonly types: readonly LoggedType[];
  private readonly mail: NotificationMail;
  private readonly repeater = new Repeater(
    () => this.turn(),
    intervalMs,
    (err) => this.dependencies.log.warn({ err }, 'creating notifications failed'),
  );
  private cleanedAt = performance.now();

  constructor(private readonly dependencies: NotificationDependencies) {
    this.types = loggedTypes(dependencies.resources).filter(({ table }) => watchedTables.includes(table));
    this.mail = new NotificationMail({ ...dependencies, types: this.types });
  }

  /** Starts it. */
  start(): void {
    this.repeater.start();
  }

  /** Stops it after the messages in flight were sent. */
  async close(): Promise<void> {
    await this.repeater.stop();
    await this.mail.sent();
  }

  /** Reads the logs, and begins to send what is due. */
  async turn(): Promise<void> {
    await this.readForAll();
    if (!this.repeater.isStopped) await this.mail.begin();
    if (performance.now() - this.cleanedAt < cleanupIntervalMs) return;
    this.cleanedAt = performance.now();
    await deleteOldRows(this.dependencies.database.prisma, 'notifications', keptDays, () => this.repeater.isStopped);
  }

  /** Processes everything that is due, and waits for it. */
  async deliverPending(): Promise<void> {
    await this.readForAll();
    do await this.mail.sent();
    while ((await this.mail.begin()) > 0);
  }

  /** Reads the logs of all companies that have new changes. */
  private async readForAll(): Promise<void> {
    const { database } = this.dependencies;
    await database.prisma.$executeRaw`
      INSERT INTO notification_positions (company_id) SELECT id FROM companies
      WHERE NOT EXISTS (SELECT FROM notification_positions WHERE company_id = companies.id)
      ON CONFLICT (company_id) DO NOTHING`;
    const followed = await database.prisma.$queryRaw<Followed[]>`
      SELECT company_id::text AS "companyId", position, time_zone AS "timeZone", sandbox_of_id IS NOT NULL AS "isSandbox"
      FROM notification_positions JOIN companies ON companies.id = company_id`;
    const latest = await findLatestPositions(
      database,
      followed.map(({ companyId }) => companyId),
    );
    for (const one of followed) {
      if (this.repeater.isStopped) return;
      const { companyId } = one;
      // A failure of one company does not affect the others.
      await this.readNew(one, latest.get(companyId)).catch((err: unknown) =>
        this.dependencies.log.warn({ err, company: companyId }, 'the log was not read for notifications'),
      );
    }
  }

  /** Reads the log of a company if it has new changes. @param newest its latest position */
  private async readNew(company: Followed, newest: Pick<Position, 'xid' | 'seq'> | undefined): Promise<void> {
    if (!newest) return;
    const { position } = company;
    if (!position || isAfter(newest, decodePosition(position, 'position'))) await this.readFor(company);
  }

  /** Reads the log of a company, unless another instance does, and writes their notifications. */
  private async readFor(company: Followed): Promise<void> {
    const { prisma, transaction } = this.dependencies.database;
    const { companyId } = company;
    for (let more = true; more && !this.repeater.isStopped; )
      more = await transaction(async () => {
        const [locked] = await prisma.$queryRaw<{ position: string | null }[]>`
          SELECT position FROM notification_positions
          WHERE company_id = ${companyId}::uuid FOR NO KEY UPDATE SKIP LOCKED`;
        if (!locked) return false;
        const page = await this.readPage(companyId, locked.position);
        const recipients = await findRecipients(prisma, companyId, page.changes.flatMap(eventsOf));
        await this.write(company, this.visible(company, recipients));
        await prisma.notificationPosition.update({
          where: { companyId },
          data: { position: page.next },
          select: { companyId: true },
        });
        return page.hasMore;
      });
  }

  /** Reads what follows a stored position. */
  private async readPage(companyId: string, position: string | null): Promise<LogPage> {
    const { prisma } = this.dependencies.database;
    const after = position === null ? undefined : decodePosition(position, 'position');
    return readPageOrEnd(prisma, { companyId }, { after, tables: watchedTables, limit: pageSize });
  }

  /** Leaves out what people may not read. */
  private visible({ companyId, timeZone }: Followed, recipients: readonly Recipient[]): Recipient[] {
    const views = new Map<string, ChangeView>();
    return recipients.filter(({ userId, role, event }) => {
      const context = () => ownerContext(this.dependencies.database, { companyId, timeZone, userId, role }, companyId);
      const view = views.get(userId) ?? new ChangeView(this.types, context());
      views.set(userId, view);
      return view.project(event.change) !== undefined;
    });
  }

  private async write({ companyId, isSandbox }: Followed, recipients: readonly Recipient[]): Promise<void> {
    if (recipients.length === 0) return;
    const { database, mailer } = this.dependencies;
    const { prisma } = database;
    const userIds = [...new Set(recipients.map(({ userId }) => userId))];
    const isMailed = mailer.isEnabled && !isSandbox;
    const groupOf = isMailed ? await this.mailGroups(companyId, userIds) : () => '';
    const now = new Date();
    const rows = recipients.map(({ userId, delivery, event }) => ({
      id: uuidAt(now),
      user_id: userId,
      kind: event.kind,
      table_name: event.table,
      row_id: event.rowId,
      xid: event.change.xid,
      seq: event.change.seq,
      mail_status: isMailed && delivery === 'email' && !event.change.actor?.is_sample ? 'pending' : 'none',
      mail_group: groupOf(userId, mailGroupOf(event)),
    }));
    // Not Prisma's createMany, which took longer than everything else that is done for a change.
    await prisma.$executeRaw`
      INSERT INTO notifications (company_id, id, user_id, kind, table_name, row_id, xid, seq, mail_status, mail_group, next_at)
      SELECT ${companyId}::uuid, id, user_id, kind, table_name, row_id, xid, seq, mail_status, mail_group,
             now() + make_interval(secs => ${mailDelaySeconds}::int)
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (
        id uuid, user_id uuid, kind text, table_name text, row_id uuid, xid bigint, seq bigint, mail_status text,
        mail_group text
      )`;
    await prisma.$executeRaw`
      DELETE FROM notifications AS old USING unnest(${userIds}::uuid[]) AS person (id)
      WHERE old.company_id = ${companyId}::uuid AND old.user_id = person.id AND old.id <= (
        SELECT id FROM notifications WHERE company_id = ${companyId}::uuid AND user_id = person.id
        ORDER BY id DESC OFFSET ${maxNotifications} LIMIT 1
      )`;
  }

  /** Returns a function that chooses the message of a person's notification, so that at most `maxMailGroups` wait. */
  private async mailGroups(companyId: string, userIds: readonly string[]) {
    const rows = await this.dependencies.database.prisma.$queryRaw<{ userId: string; groups: string[] }[]>`
      SELECT user_id::text AS "userId", array_agg(DISTINCT mail_group) AS groups FROM notifications
      WHERE company_id = ${companyId}::uuid AND user_id = ANY(${[...userIds]}::uuid[]) AND mail_status = 'pending'
      GROUP BY user_id`;
    const waiting = new Map(rows.map(({ userId, groups }) => [userId, new Set(groups)]));
    return (userId: string, group: string): string => {
      const groups = waiting.get(userId) ?? new Set();
      const chosen = groups.has(group) || groups.size < maxMailGroups ? group : 'more';
      waiting.set(userId, groups.add(chosen));
      return chosen;
    };
  }
}
