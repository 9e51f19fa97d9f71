import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '../database/index.ts';
import { loadSecret } from './sessions/secrets.ts';

/** What a link in an email stops: emails to a user of a company about these kinds of notifications. */
interface Unsubscription {
  readonly companyId: string;
  readonly userId: string;
  readonly kinds: readonly string[];
}

const form = z.tuple([z.uuid(), z.uuid(), z.array(z.string().max(20)).min(1).max(20)]);

/**
 * Signs and reads the tokens of links that stop emails. They work without a session, never expire, and allow nothing
 * else. All instances on a database share their secret.
 */
export class UnsubscribeTokens {
  private secret: string | undefined;

  constructor(private readonly database: Database) {}

  /** Creates the token of a link. */
  async sign({ companyId, userId, kinds }: Unsubscription): Promise<string> {
    const content = Buffer.from(JSON.stringify([companyId, userId, kinds])).toString('base64url');
    return `${content}.${(await this.signatureOf(content)).toString('base64url')}`;
  }

  /** Reads a token; undefined for one that was not signed here. */
  async read(token: string): Promise<Unsubscription | undefined> {
    const [content = '', signature = ''] = token.split('.');
    const [given, expected] = [Buffer.from(signature, 'base64url'), await this.signatureOf(content)];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const [companyId, userId, kinds] = form.parse(JSON.parse(Buffer.from(content, 'base64url').toString()));
    return { companyId, userId, kinds };
  }

  private async signatureOf(content: string): Promise<Buffer> {
    this.secret ??= await loadSecret(this.database, 'unsubscribe');
    return createHmac('sha256', this.secret).update(`unsubscribe ${content}`).digest();
  }
}

/** Stops emails; the notifications are still in the list of notifications. */
export async function unsubscribe(database: Database, { companyId, userId, kinds }: Unsubscription): Promise<void> {
  await database.prisma.$executeRaw`
    INSERT INTO notification_preferences AS preference (company_id, id, user_id, kind, delivery)
    SELECT company_id, gen_random_uuid(), id, kind, 'list' FROM users, unnest(${[...kinds]}::text[]) AS kind
    WHERE company_id = ${companyId}::uuid AND id = ${userId}::uuid
    ON CONFLICT (company_id, user_id, kind) DO UPDATE SET delivery = 'list', updated_at = now()
    WHERE preference.delivery = 'email'`;
}
