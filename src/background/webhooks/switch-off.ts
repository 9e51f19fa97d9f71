import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database/index.ts';
import { findSender, type Mailer } from '../../mail/index.ts';

/** What turning a webhook off depends on. */
export interface SwitchOffDependencies {
  readonly database: Pick<Database, 'prisma'>;
  readonly mailer: Mailer;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** Turns a webhook off, and notifies its owner on the page and, except in a sandbox, by email. */
export async function switchOff(
  { database: { prisma }, mailer, log }: SwitchOffDependencies,
  { companyId, id }: { readonly companyId: string; readonly id: string },
  reason: string,
): Promise<void> {
  const [found] = await prisma.$queryRaw<{ name: string; email: string }[]>`
    UPDATE webhooks SET enabled = false, switched_off_reason = ${reason}, updated_at = now() FROM users
    WHERE webhooks.company_id = ${companyId}::uuid AND webhooks.id = ${id}::uuid AND webhooks.enabled
      AND users.company_id = webhooks.company_id AND users.id = webhooks.user_id
    RETURNING webhooks.name, users.email`;
  if (!found) return; // Another instance or the owner has already turned it off.
  log.warn({ company: companyId, webhook: id }, 'webhook turned off');
  const sender = await findSender(prisma, companyId);
  if (!sender) return;
  mailer.send(sender, {
    to: found.email,
    subject: `Webhook turned off: ${found.name}`,
    paragraphs: [`The webhook "${found.name}" of ${sender.companyName} was turned off. ${reason}`],
    link: { label: 'Open the webhooks', path: '/webhooks' },
  });
}
