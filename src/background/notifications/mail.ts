import type { FastifyBaseLogger } from 'fastify';
import { UnsubscribeTokens } from '../../auth/unsubscribe.ts';
import type { UserRole } from '../../database/generated/client/client.ts';
import type { Database } from '../../database/index.ts';
import { findSender, type Mailer, type MailResult, pauseAfter } from '../../mail/index.ts';
import type { LoggedType } from '../../schema/changes/change-view.ts';
import { deliveryOf, kindNames } from '../../schema/notifications/kinds.ts';
import { composeMail } from '../../schema/notifications/mail.ts';
import { readNotifications, type StoredNotification } from '../../schema/notifications/read.ts';
import { ownerContext } from '../owner.ts';

/** How many messages an instance sends at once. */
const maxSending = 4;

/** How long (s) an instance has to send a message before another one may. */
const leaseSeconds = 120;

/** What emails depend on. */
export interface MailDependencies {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** A message to send: notifications of one person, oldest first. */
interface Mail {
  readonly companyId: string;
  readonly userId: string;
  readonly attempts: number;
  readonly items: readonly Omit<StoredNotification, 'readAt'>[];
}

/** Whom a message is for, as they are now. */
interface Addressee {
  readonly email: string;
  readonly role: UserRole;
  readonly deactivatedAt: Date | null;
  readonly company: { readonly slug: string; readonly timeZone: string };
}

/** Emails notifications that are due: at least once each, again for some hours after failures. */
export class NotificationMail {
  private readonly sending = new Set<Promise<void>>();
  private readonly tokens: UnsubscribeTokens;

  constructor(private readonly dependencies: MailDependencies & { readonly types: readonly LoggedType[] }) {
    this.tokens = new UnsubscribeTokens(dependencies.database);
  }

  /** Begins to send messages that are due. @returns how many */
  async begin(): Promise<number> {
    const { mailer, log } = this.dependencies;
    const limit = maxSending - this.sending.size;
    if (!mailer.isEnabled || limit <= 0) return 0;
    const taken = await this.take(limit);
    for (const mail of taken) {
      const sent: Promise<void> = this.send(mail)
        .catch((err: unknown) => log.warn({ err, company: mail.companyId }, 'notification not emailed'))
        .finally(() => this.sending.delete(sent));
      this.sending.add(sent);
    }
    return taken.length;
  }

  /** Waits for the messages in flight. */
  async sent(): Promise<void> {
    await Promise.all(this.sending);
  }

  /**
   * Takes messages that are due, for this instance alone. Whichever instance takes the oldest notification of a message
   * takes the whole message.
   */
  private take(limit: number): Promise<Mail[]> {
    return this.dependencies.database.prisma.$queryRaw<Mail[]>`
      WITH due AS MATERIALIZED (
        SELECT company_id, user_id, mail_group FROM notifications AS one
        WHERE mail_status = 'pending' AND next_at <= now() AND NOT EXISTS (
          SELECT FROM notifications AS earlier
          WHERE earlier.mail_status = 'pending' AND earlier.company_id = one.company_id
            AND earlier.user_id = one.user_id AND earlier.mail_group = one.mail_group AND earlier.id < one.id
        )
        ORDER BY next_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ), taken AS (
        UPDATE notifications AS one
        SET next_at = now() + make_interval(secs => ${leaseSeconds}::int), attempts = attempts + 1
        FROM due WHERE one.company_id = due.company_id AND one.user_id = due.user_id
          AND one.mail_group = due.mail_group AND one.mail_status = 'pending'
        RETURNING one.*
      )
      SELECT company_id::text AS "companyId", user_id::text AS "userId", max(attempts) AS attempts,
             jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'tableName', table_name, 'rowId', row_id,
                                          'xid', xid::text, 'seq', seq::text) ORDER BY id) AS items
      FROM taken GROUP BY company_id, user_id, mail_group`;
  }

  private async send(mail: Mail): Promise<void> {
    const { database, mailer, types } = this.dependencies;
    const { companyId, userId, attempts, items } = mail;
    const addressee = await this.findAddressee(mail);
    const sender = await findSender(database.prisma, companyId);
    const wanted = addressee && sender ? await this.wantedOf(mail) : [];
    const rows = wanted.map((row) => ({ ...row, readAt: null }));
    const views = addressee
      ? await readNotifications(
          rows,
          types,
          ownerContext(
            database,
            { companyId, userId, role: addressee.role, timeZone: addressee.company.timeZone },
            userId,
          ),
        )
      : [];
    const ids = new Set(views.map(({ id }) => id));
    const others = items.filter(({ id }) => !ids.has(id));
    await this.finish(
      mail,
      others.map(({ id }) => id),
      'skipped',
    );
    if (!addressee || !sender || views.length === 0) return;
    const message = await composeMail(views, {
      companyName: sender.companyName,
      ...addressee.company,
      signUnsubscribe: (kinds) => this.tokens.sign({ companyId, userId, kinds }),
    });
    const result = await mailer.sendOnce(sender, { ...message, to: addressee.email });
    await this.finish(mail, [...ids], statusOf[result], pauseAfter(attempts));
  }

  private async findAddressee({ companyId, userId: id }: Mail): Promise<Addressee | undefined> {
    const found = await this.dependencies.database.prisma.user.findUnique({
      where: { companyId_id: { companyId, id } },
      select: { email: true, role: true, deactivatedAt: true, company: { select: { slug: true, timeZone: true } } },
    });
    return found && !found.deactivatedAt ? found : undefined;
  }

  /** The notifications that the person still wants by email. */
  private async wantedOf({ companyId, userId, items }: Mail): Promise<Mail['items']> {
    const preferences = await this.dependencies.database.prisma.notificationPreference.findMany({
      where: { companyId, userId },
      select: { kind: true, delivery: true },
    });
    const kinds: readonly string[] = kindNames.filter((kind) => deliveryOf(kind, preferences) === 'email');
    return items.filter(({ kind }) => kinds.includes(kind));
  }

  /** Stores how an attempt ended. @param pause the time (s) to the next one, if there is one */
  private async finish({ companyId }: Mail, ids: readonly string[], status: string, pause?: number): Promise<void> {
    if (ids.length === 0) return;
    const ended = status === 'pending' && pause === undefined ? 'failed' : status;
    await this.dependencies.database.prisma.$executeRaw`
      UPDATE notifications
      SET mail_status = ${ended}, next_at = now() + make_interval(secs => ${pause ?? 0}::int)
      WHERE company_id = ${companyId}::uuid AND id = ANY(${[...ids]}::uuid[])`;
  }
}

const statusOf: Readonly<Record<MailResult, string>> = { sent: 'sent', refused: 'failed', failed: 'pending' };
