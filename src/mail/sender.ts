import type { Prisma } from '../database/generated/client/client.ts';

/** Whom a company's email is from. */
export interface Sender {
  readonly name: string;
  readonly companyName: string;
  readonly replyTo: string | null;
}

/** Finds the sender of a company's email; null for a sandbox, which sends none. */
export async function findSender(prisma: Prisma.TransactionClient, companyId: string): Promise<Sender | null> {
  const { name, emailSenderName, emailReplyTo, sandboxOfId } = await prisma.company.findUniqueOrThrow({
    where: { id: companyId },
    select: { name: true, emailSenderName: true, emailReplyTo: true, sandboxOfId: true },
  });
  if (sandboxOfId !== null) return null;
  return { name: emailSenderName ?? name, companyName: name, replyTo: emailReplyTo };
}
