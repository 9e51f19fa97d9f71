import { UnsubscribeTokens } from '../../auth/unsubscribe.ts';
import { Prisma, type UserRole } from '../../database/generated/client/client.ts';
import { readTraceparents } from '../../events/causes.ts';
import { findSender } from '../../mail/index.ts';
import type { Api } from '../../resource/index.ts';
import type { LoggedType } from '../../schema/changes/change-view.ts';
import { deliveryOf, kindNames } from '../../schema/notifications/kinds.ts';
import { composeMail } from '../../schema/notifications/mail.ts';
import { readNotifications } from '../../schema/notifications/read.ts';
import { type MailDependencies, MailQueue, outcomeOf } from '../mail-queue.ts';
import { ownerContext } from '../owner.ts';
import type { Cause } from '../queued.ts';
import { leaseEnd } from '../work-queue.ts';
import { type Mail, postponeWaiting, takeMail } from './due-mail.ts';

/** Whom a message is for, as they are now. */
interface Addressee {
  readonly email: string;
  readonly role: UserRole;
  readonly deactivatedAt: Date | null;
  readonly company: { readonly slug: string; readonly timeZone: string };
}

/** What the emails depend on. */
interface NotificationMailDependencies extends MailDependencies {
  readonly api: Pick<Api, 'storage'>;
  readonly types: readonly LoggedType[];
}

/** Emails notifications that are due. */
export class NotificationMail extends MailQueue<Mail, NotificationMailDependencies> {
  protected readonly pending = Prisma.sql`notifications WHERE mail_status = 'pending'`;
  private readonly tokens = new UnsubscribeTokens(this.dependencies.database);

  constructor(dependencies: NotificationMailDependencies) {
    super(dependencies, 'notifications not emailed');
  }

  take(companyId: string, limit: number) {
    return takeMail(this.dependencies.database, companyId, limit);
  }

  postponeWaiting(companyId: string) {
    return postponeWaiting(this.dependencies.database, companyId);
  }

  async causeOf({ companyId, attempts, items }: Mail): Promise<Cause> {
    const parents = await readTraceparents(this.dependencies.database.prisma, { companyId }, items);
    const attributes = { 'premises.company_id': companyId, 'premises.attempt': attempts };
    return { name: 'send notifications', parents, attributes };
  }

  async run(mail: Mail): Promise<void> {
    const { database, api, mailer, types } = this.dependencies;
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
            api,
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
    const { status, pause } = outcomeOf(result, attempts);
    await this.finish(mail, [...ids], status, pause);
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
  private async finish({ companyId }: Mail, ids: readonly string[], status: string, pause = 0): Promise<void> {
    if (ids.length === 0) return;
    await this.dependencies.database.prisma.$executeRaw`
      UPDATE notifications
      SET mail_status = ${status}, next_at = ${leaseEnd(pause)}
      WHERE company_id = ${companyId}::uuid AND id = ANY(${[...ids]}::uuid[])`;
  }
}
