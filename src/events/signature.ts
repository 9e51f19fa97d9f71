import { createHmac, randomBytes } from 'node:crypto';

/** Creates the secret of a webhook, in base64. */
export const createSecret = (): string => randomBytes(24).toString('base64');

/** A secret as receivers get it, in the form of Standard Webhooks. */
export const showSecret = (secret: string): string => `whsec_${secret}`;

/**
 * Signs a message in the form of Standard Webhooks.
 *
 * @param secrets one; or two while receivers change from one to the other
 * @returns the headers of the message
 */
export function signMessage(secrets: readonly string[], id: string, at: Date, body: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}
