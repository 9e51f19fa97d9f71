import { createHmac } from 'node:crypto';
import type { Database } from '../database/index.ts';
import { loadSecret } from './sessions/secrets.ts';

/**
 * Creates the tokens of links that guests are emailed. All attempts to send a message have the same one, although the
 * table of messages, like that of packages, has only its hash.
 */
export class GuestLinks {
  private secret: string | undefined;

  constructor(private readonly database: Database) {}

  /** The token of a message's link: 128 bits, in the form of those that guests get when they register a package. */
  async tokenOf(mailId: string): Promise<string> {
    this.secret ??= await loadSecret(this.database, 'guest-links');
    return createHmac('sha256', this.secret).update(`guest ${mailId}`).digest().subarray(0, 16).toString('base64url');
  }
}
