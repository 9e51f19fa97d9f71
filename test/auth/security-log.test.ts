import { afterAll, expect, test } from '@jest/globals';
import { verifyPassword } from '../../src/auth/sessions/passwords.ts';
import { password } from '../support/browser.ts';
import { startSignInService } from './sign-in-service.ts';

const setup = await startSignInService();
const { prisma } = setup.service.database;
afterAll(() => setup.close());

test('a password is not changed if the security log cannot record it', async () => {
  const browser = await setup.signedIn();
  const other = await setup.signedIn();
  await prisma.$executeRaw`
    ALTER TABLE security_events ADD CONSTRAINT refused CHECK (action <> 'password_changed') NOT VALID`;
  const change = () =>
    browser.post('/auth/password', { current_password: password, new_password: 'an unknown cat chose this' });
  expect((await change()).status).toBe(500);
  expect(await verifyPassword(prisma, setup.ada.id, password)).toBe(true);
  expect((await other.graphql('{ me { id } }')).status).toBe(200);

  await prisma.$executeRaw`ALTER TABLE security_events DROP CONSTRAINT refused`;
  expect((await change()).status).toBe(204);
  expect(await verifyPassword(prisma, setup.ada.id, password)).toBe(false);
  expect(await prisma.securityEvent.count({ where: { action: 'password_changed' } })).toBe(1);
});
