import type { Prisma } from '../database/generated/client/client.ts';

/** Whom an email is from. */
export interface Sender {
  /** The company whose messages take turns with those of others; empty for the service itself. */
  readonly companyId: string;
  readonly name: string;
  readonly companyName: string;
  readonly replyTo: string | null;
}

/** Whom email about an account is from, which belongs to no single company. */
export const serviceSender: Sender = { companyId: '', name: 'Premises', companyName: 'Premises', replyTo: null };

/** Finds the sender of a company's email; null for a sandbox, which sends none. */
export async function findSender(prisma: Prisma.TransactionClient, companyId: string): Promise<Sender | null> {
  const { name, emailSenderName, emailReplyTo, sandboxOfId } = await prisma.company.findUniqueOrThrow({
    where: { id: companyId },
    select: { name: true, emailSenderName: true, emailReplyTo: true, sandboxOfId: true },
  });
  if (sandboxOfId !== null) return null;
  return { companyId, name: emailSenderName ?? name, companyName: name, replyTo: emailReplyTo };
}
