import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { createPasswordReset } from '../../src/auth/password-resets.ts';
import { Browser, signInAll } from '../support/browser.ts';
import { Client } from '../support/client.ts';
import type { Service, Tenant } from '../support/service.ts';
import { previousTotp, totp } from '../support/totp.ts';
import { invite } from './invite.ts';

/** The password of somebody who has created an account for an address that is not theirs. */
export const intruderPassword = 'a stolen identity';

/** Everything with which an intruder signs in to an account. */
export interface Intruder {
  readonly email: string;
  readonly personId: string;
  /** Signed in. */
  readonly session: Browser;
  /** Has entered the password, and waits for a code. */
  readonly waiting: Browser;
  readonly key: string;
  /** An API token of the intruder's company. */
  readonly token: string;
  /** The token of a link that sets the password. */
  readonly reset: string;
}

/**
 * Creates an account for an address that is not the intruder's: an admin of a company invites it, accepts with the link
 * that he sees, and sets up everything that can sign in.
 */
export async function intrude(service: Service, tenant: Tenant, email: string): Promise<Intruder> {
  const { origin, database } = service;
  const { prisma } = database;
  const { admin } = await signInAll(service, tenant);
  const token = tokenOf((await invite(admin, { email, fullName: 'New Boss' })).data.inviteUser?.path);
  const session = new Browser(origin);
  expect((await session.post('/auth/invitation/accept', { token, password: intruderPassword })).status).toBe(204);
  const created = await session.graphql<{ createApiToken: { token: string } }>(
    'mutation { createApiToken(input: { name: "kept", scopes: ["*:read"] }) { token } }',
  );
  const { json } = await session.post('/auth/two-factor', { password: intruderPassword });
  const { key } = json['data'] as { key: string };
  expect((await session.post('/auth/two-factor/confirm', { code: await previousTotp(key) })).status).toBe(204);
  const waiting = new Browser(origin);
  expect((await waiting.signIn(email, intruderPassword)).status).toBe(401);
  const { id: personId } = await prisma.person.findUniqueOrThrow({ where: { email } });
  const reset = (await createPasswordReset(prisma, personId, tenant.company.id)).token;
  return { email, personId, session, waiting, key, token: created.data.createApiToken.token, reset };
}

/** The token of a link. */
export const tokenOf = (path = ''): string => path.split('#')[1] ?? '';

/** Asserts that nothing of what an intruder has signs in any more. */
export async function expectShutOut({ origin, database }: Service, intruder: Intruder): Promise<void> {
  const { email, personId, session, waiting, key, token, reset } = intruder;
  await sleep(1000); // Callers are remembered for less.
  expect((await session.get('/auth/session')).json['data']).toBeNull();
  expect((await session.graphql('{ me { id } }')).status).toBe(401);
  expect((await new Browser(origin).signIn(email, intruderPassword)).status).toBe(401);
  expect((await waiting.post('/auth/sign-in/code', { code: totp(key, 1) })).status).toBe(403);
  expect((await new Client(origin, token).at('/api/v1').get('/token')).status).toBe(401);
  expect((await new Browser(origin).post('/auth/password-reset/link', { token: reset })).status).toBe(404);
  const { prisma } = database;
  expect(await prisma.twoFactor.count({ where: { personId } })).toBe(0);
  expect((await prisma.person.findUniqueOrThrow({ where: { id: personId } })).twoFactorEnabled).toBe(false);
}

/** Asserts that an intruder's account is what it was, and belongs to no other company. */
export async function expectUnchanged({ origin, database }: Service, intruder: Intruder): Promise<void> {
  const { personId, session, token } = intruder;
  expect((await session.graphql('{ me { id } }')).status).toBe(200);
  expect((await new Client(origin, token).at('/api/v1').get('/token')).status).toBe(200);
  expect(await database.prisma.user.count({ where: { id: personId } })).toBe(2);
}
