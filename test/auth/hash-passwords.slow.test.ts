import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { hashFor, hashPassword, maxHashes, runLimited } from '../../src/auth/sessions/hash-passwords.ts';
import { Browser, password } from '../support/browser.ts';
import { startSignInService } from './sign-in-service.ts';

const { service, acme, ada, signIn, signedIn, addMember, newAddress, close } = await startSignInService();
afterAll(close);

/** Takes all slots that a network may use, as slow hashing would. @returns a function that frees them */
function takeSlots(network?: string): () => void {
  let free = () => {};
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  const take = () => runLimited(() => freed).catch(() => {}); // Some are refused.
  for (let n = 0; n < maxHashes; n++) void (network === undefined ? take() : hashFor(network, take));
  return free;
}

const refused = {
  status: 503,
  error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('passwords') },
};

describe('many passwords at once', () => {
  test('leave threads for files', async () => {
    let hashed = 0;
    const hashes = Array.from({ length: 16 }, () => hashPassword('a long password').then(() => (hashed += 1)));
    await readFile(import.meta.filename);
    expect(hashed).toBeLessThan(8);
    await Promise.all(hashes);
  });

  test('are refused, and count as no failure', async () => {
    const { email } = await addMember(acme, 'busy@acme.example');
    const from = newAddress();
    const browser = await signedIn(email, password, from);
    const { json } = await signedIn().then((admin) =>
      admin.at('').post('/graphql', {
        query: 'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { path } }',
        variables: { input: { email: 'new@acme.example', fullName: 'Somebody New', role: 'MEMBER' } },
      }),
    );
    const { path } = (json['data'] as { inviteUser: { path: string } }).inviteUser;
    const accept = () =>
      new Browser(service.origin).post('/auth/invitation/accept', { token: path.split('#')[1], password });
    const free = takeSlots();
    const replies = [
      await signIn(new Browser(service.origin), 'nobody@acme.example', password),
      await browser.post('/auth/password', { current_password: password, new_password: 'a better password' }),
      await browser.post('/auth/two-factor', { password }),
      await accept(),
    ];
    for (let n = 0; n < 11; n++) replies.push(await signIn(new Browser(service.origin), email, 'not it', from));
    free();
    for (const reply of replies) {
      expect(reply).toMatchObject(refused);
      expect(reply.headers.get('retry-after')).toBe('1');
    }
    expect((await signIn(new Browser(service.origin), email, password, from)).status).toBe(200);
    expect((await accept()).status).toBe(204);
  });

  test('of one network use at most half of the slots', async () => {
    const from = newAddress();
    const free = takeSlots(from['x-forwarded-for']);
    const ofOther = signIn(new Browser(service.origin), ada.email, password);
    expect(await signIn(new Browser(service.origin), ada.email, password, from)).toMatchObject(refused);
    free();
    expect((await ofOther).status).toBe(200);
  });
});
