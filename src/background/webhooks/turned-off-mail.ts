import { defineJob, GiveUp } from '../../jobs/index.ts';
import { findSender, mailPauses } from '../../mail/index.ts';

/** Emails the owner of a webhook that the service has turned it off. */
export const turnedOffMail = defineJob<{ readonly webhookId: string; readonly reason: string }>({
  kind: 'webhook-turned-off',
  pauses: mailPauses,
  async run({ webhookId, reason }, { id, companyId, database: { prisma }, mailer }) {
    const found = await prisma.webhook.findUnique({
      where: { companyId_id: { companyId, id: webhookId } },
      select: { name: true, user: { select: { email: true, deactivatedAt: true } } },
    });
    const sender = found && !found.user.deactivatedAt ? await findSender(prisma, companyId) : null;
    if (!found || !sender) return;
    const result = await mailer.sendOnce(sender, {
      id,
      to: found.user.email,
      subject: `Webhook turned off: ${found.name}`,
      paragraphs: [`The webhook "${found.name}" of ${sender.companyName} was turned off. ${reason}`],
      link: { label: 'Open the webhooks', path: '/webhooks' },
    });
    if (result === 'refused') throw new GiveUp('The mail server refuses the message.');
    if (result === 'failed') throw new Error('The mail server did not accept the message.');
  },
});
