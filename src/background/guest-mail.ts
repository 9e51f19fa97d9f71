import { GuestLinks } from '../auth/guest-links.ts';
import type { Limiter } from '../auth/limits.ts';
import { guestMailLimits } from '../auth/sessions/brute-force.ts';
import { storedHash } from '../auth/tokens.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { findSender } from '../mail/index.ts';
import { leaseSeconds, type MailDependencies, MailQueue, outcomeOf } from './mail-queue.ts';
import type { Cause } from './queued.ts';
import { leaseEnd } from './work-queue.ts';

/** A message to the guest who registered a package. */
interface Mail {
  readonly companyId: string;
  readonly id: string;
  readonly packageId: string;
  readonly attempts: number;
  readonly traceparent: string | null;
}

/** What the emails depend on. */
interface GuestMailDependencies extends MailDependencies {
  readonly limiter: Pick<Limiter, 'consume'>;
}

/**
 * Emails guests the links to the packages that they registered. As anybody can register one with anybody's address, the
 * messages have no text of a guest, and those to an address and of a company are limited.
 */
export class GuestMail extends MailQueue<Mail, GuestMailDependencies> {
  protected readonly pending = Prisma.sql`guest_mails WHERE status = 'pending'`;
  private readonly links = new GuestLinks(this.dependencies.database);

  constructor(dependencies: GuestMailDependencies) {
    super(dependencies, 'links of guests not emailed');
  }

  take(companyId: string, limit: number) {
    return this.dependencies.database.prisma.$queryRaw<Mail[]>`
      WITH due AS MATERIALIZED (
        SELECT company_id, id FROM guest_mails
        WHERE company_id = ${companyId}::uuid AND status = 'pending' AND next_at <= now()
        ORDER BY next_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
      )
      UPDATE guest_mails AS mail
      SET next_at = ${leaseEnd(leaseSeconds)}, attempts = attempts + 1
      FROM due WHERE mail.company_id = due.company_id AND mail.id = due.id
      RETURNING mail.company_id::text AS "companyId", mail.id::text, package_id::text AS "packageId", attempts, traceparent`;
  }

  async causeOf({ companyId, id, attempts, traceparent }: Mail): Promise<Cause> {
    const attributes = { 'premises.company_id': companyId, 'premises.message_id': id, 'premises.attempt': attempts };
    return { name: 'send guest link', parents: [traceparent], attributes };
  }

  async run(mail: Mail): Promise<void> {
    const { database, mailer } = this.dependencies;
    const { companyId, id, packageId, attempts } = mail;
    const [sender, found] = await Promise.all([
      findSender(database.prisma, companyId),
      database.prisma.expectedPackage.findUnique({
        where: { companyId_id: { companyId, id: packageId } },
        select: { guestEmail: true },
      }),
    ]);
    // Only the first attempt counts.
    const isWanted = sender && found && (attempts > 1 || (await this.isAllowed(found.guestEmail, companyId)));
    if (!isWanted) return this.finish(mail, 'skipped');
    const token = await this.links.tokenOf(id);
    await database.prisma.guestMail.updateMany({ where: { companyId, id }, data: { tokenHash: storedHash(token) } });
    const result = await mailer.sendOnce(sender, {
      id,
      to: found.guestEmail,
      subject: `Delivery to ${sender.companyName}`,
      paragraphs: [
        `A delivery to ${sender.companyName} was registered with this email address.`,
        'With the link you see when it arrives. Ignore this message if you did not register it.',
      ],
      link: { label: 'Track the delivery', path: `/packages/${token}` },
    });
    const { status, pause } = outcomeOf(result, attempts);
    await this.finish(mail, status, pause);
  }

  /** Counts a message against the limits of its address and its company. @returns whether it may be sent */
  private async isAllowed(email: string, companyId: string): Promise<boolean> {
    for (const limit of guestMailLimits(email, companyId))
      if (!(await this.dependencies.limiter.consume(...limit)).allowed) return false;
    return true;
  }

  /** Stores how an attempt ended. @param pause the time (s) to the next one */
  private async finish({ companyId, id }: Mail, status: string, pause = 0): Promise<void> {
    await this.dependencies.database.prisma.$executeRaw`
      UPDATE guest_mails SET status = ${status}, next_at = ${leaseEnd(pause)}
      WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid AND status = 'pending'`;
  }
}
