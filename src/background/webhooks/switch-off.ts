import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database/index.ts';
import { addJob } from '../../jobs/index.ts';
import type { Mailer } from '../../mail/index.ts';
import { turnedOffMail } from './turned-off-mail.ts';

/** What turning a webhook off depends on. */
export interface SwitchOffDependencies {
  readonly database: Pick<Database, 'prisma' | 'transaction'>;
  readonly mailer: Mailer;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** Turns a webhook off, and notifies its owner on the page and, except in a sandbox, by email. */
export async function switchOff(
  { database: { prisma, transaction }, mailer, log }: SwitchOffDependencies,
  { companyId, id }: { readonly companyId: string; readonly id: string },
  reason: string,
): Promise<void> {
  const isOff = await transaction(async () => {
    const count = await prisma.$executeRaw`
      UPDATE webhooks SET enabled = false, switched_off_reason = ${reason}, updated_at = now()
      WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid AND enabled`;
    // Another instance or the owner may have turned it off already.
    if (count > 0 && mailer.isEnabled)
      await addJob(prisma, turnedOffMail, { companyId, payload: { webhookId: id, reason } });
    return count > 0;
  });
  if (isOff) log.warn({ company: companyId, webhook: id }, 'webhook turned off');
}
