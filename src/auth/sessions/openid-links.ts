import type { DBAdapterInstance } from 'better-auth/types';
import type { Prisma, PrismaClient } from '../../database/generated/client/client.ts';
import type { Database } from '../../database/index.ts';
import { recordProofOfEmail } from '../email-proofs.ts';
import { type Actor, recordSecurityEvent } from '../security-log.ts';
import { lockPerson } from './people.ts';

/** better-auth's provider id for the OpenID provider. */
export const oidcProviderId = 'oidc';

/** What the provider said about who signs in. */
export interface Identity {
  /** As `subjectAt` spells it. */
  readonly subject: string;
  /** Email address that the provider has verified, in lowercase. */
  readonly verifiedEmail: string | undefined;
}

/** Spells a subject as stored: subjects are unique per provider only. @param issuer without a slash at its end */
export const subjectAt = (issuer: string, subject: string | number): string => `${issuer} ${subject}`;

/** Selects the links of a person to a provider's identities. */
const linksTo = (personId: string, issuer: string): Prisma.AccountWhereInput => ({
  personId,
  providerId: oidcProviderId,
  accountId: { startsWith: subjectAt(issuer, '') },
});

/**
 * Makes better-auth's database adapter link a person to one identity of a provider only: a second one with the same
 * email address may be somebody else, who got the address later.
 *
 * @param issuer of the provider, without a slash at its end
 */
export const linkOnce =
  (database: Database, issuer: string, open: DBAdapterInstance): DBAdapterInstance =>
  (options) => {
    const adapter = open(options);
    const { prisma, transaction } = database;
    return {
      ...adapter,
      create: (query) => {
        if (query.model !== 'account') return adapter.create(query);
        // The model's field, as `createAuth` names it.
        const personId = String(query.data['userId']);
        return transaction(async () => {
          await lockPerson(prisma, personId);
          if ((await prisma.account.count({ where: linksTo(personId, issuer) })) > 0)
            throw new Error('The person is linked to another identity of the provider.');
          await recordSecurityEvent(prisma, { action: 'openid_linked', actor: { personId }, personId });
          return adapter.create(query);
        });
      },
    };
  };

/**
 * Records in a new session what the provider said, and whether that proves the email address.
 *
 * @returns false when the person was unlinked from the identity meanwhile; the session has then ended
 */
export const recordIdentity = (
  { prisma, transaction }: Database,
  { id, personId }: { readonly id: string; readonly personId: string },
  { subject, verifiedEmail }: Identity,
  actor: Actor,
): Promise<boolean> =>
  transaction(async () => {
    await lockPerson(prisma, personId);
    const link = { personId, providerId: oidcProviderId, accountId: subject };
    if ((await prisma.account.count({ where: link })) === 0) {
      await prisma.session.deleteMany({ where: { id } });
      return false;
    }
    const owner = { id: personId, email: verifiedEmail ?? '' };
    if ((await prisma.person.count({ where: owner })) === 0) return true;
    await prisma.session.updateMany({ where: { id }, data: { isEmailVerified: true } });
    await recordProofOfEmail(prisma, personId, 'OpenID', actor);
    return true;
  });

/** Whether a person is linked to an identity of an OpenID provider. */
export const isLinked = async (prisma: PrismaClient, personId: string): Promise<boolean> =>
  (await prisma.account.count({ where: { personId, providerId: oidcProviderId }, take: 1 })) > 0;
