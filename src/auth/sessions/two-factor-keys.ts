import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { PrismaClient, TwoFactor } from '../../database/generated/client/client.ts';
import { versionOf } from './auth.ts';
import type { Secrets } from './cookie.ts';

/** How better-auth begins what a secret has encrypted. */
const prefixOf = (secret: string) => `$ba$${versionOf(secret)}$`;

/** How many keys are read at once. */
const batchSize = 500;

/**
 * Encrypts the keys of authenticator apps again with the current secret, so that the others can be removed. Warns about
 * keys that none of the secrets has encrypted.
 */
export async function encryptKeysAgain(prisma: PrismaClient, secrets: Secrets, log: FastifyBaseLogger): Promise<void> {
  const [current] = secrets;
  const key = {
    keys: new Map(secrets.map((secret) => [versionOf(secret), secret])),
    currentVersion: versionOf(current),
  };
  const again = async (data: string) => symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) });
  const startsWith = prefixOf(current);
  let unreadable = 0;
  for (let after: string | undefined; ; ) {
    const rows = await prisma.twoFactor.findMany({
      where: {
        NOT: { AND: [{ secret: { startsWith } }, { backupCodes: { startsWith } }] },
        ...(after !== undefined && { id: { gt: after } }),
      },
      orderBy: { id: 'asc' },
      take: batchSize,
    });
    for (const { id, secret, backupCodes } of rows) {
      if (!isReadable({ secret, backupCodes }, secrets)) unreadable++;
      // Unless somebody has set up another app, or used a code, meanwhile.
      else
        await prisma.twoFactor.updateMany({
          where: { id, secret, backupCodes },
          data: { secret: await again(secret), backupCodes: await again(backupCodes) },
        });
    }
    after = rows.at(-1)?.id;
    if (rows.length < batchSize) break;
  }
  if (unreadable > 0)
    log.warn({ people: unreadable }, 'AUTH_SECRET has changed: keys of authenticator apps cannot be read');
}

/** Whether the secrets have encrypted the key and the backup codes of a person. */
export const isReadable = (
  { secret, backupCodes }: Pick<TwoFactor, 'secret' | 'backupCodes'>,
  secrets: Secrets,
): boolean => [secret, backupCodes].every((text) => secrets.some((each) => text.startsWith(prefixOf(each))));
